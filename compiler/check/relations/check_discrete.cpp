// Discrete variables: declaration and assignment.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/free_variables.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {
namespace {

/// The names that an expression uses.
class Mentioned final : public FreeVariables {
 public:
  std::vector<Name> names;

 private:
  void use(const ast::QualifiedIdent& name, bool) override {
    if (!name.qualified) names.push_back(name.ident.name);
  }
};

}  // namespace

void RelationChecker::check_discrete(const ast::DiscreteItem* item, std::vector<core::Item*>& out) {
  const std::size_t errors = diagnostics_.error_count();
  for (auto& name : item->names) {
    if (diagnostics_.error_count() != errors) return;  // it is the same for the others
    Local* local = scopes_.lookup_local(name.name);    // declared with the block
    core::DiscreteItem node{{core::ItemKind::Discrete, item->span},
                            {local->id, name.name, name.span, false, nullptr, {}},
                            nullptr};
    if (item->initial)
      node.initial = expressions_.check_expr(item->initial, local->type,
                                             {ReasonKind::Target, name.span, name.name, 0, nullptr, true});
    node.declaration.attributes = attributes(item->settings, local->type);
    auto* made = core_.make(node);
    layouts_.request(&made->declaration.layout, local->type, display_of(item->settings));
    out.push_back(made);
  }
}

/// The only definition that the assigned value mentions, if it does not mention the target itself.
std::optional<Span> RelationChecker::only_definition(const ast::AssignItem& item) const {
  Mentioned mentioned;
  mentioned.expr(item.value);
  std::optional<Span> found;
  for (const Name name : mentioned.names) {
    const Local* local = scopes_.lookup_local(name);
    if (item.target->kind == ast::ExprKind::Variable &&
        static_cast<const ast::VariableExpr*>(item.target)->name.ident.name == name)
      return std::nullopt;
    if (!local || local->kind != Local::Value) continue;
    if (found && *found != local->span) return std::nullopt;
    found = local->span;
  }
  return found;
}

void RelationChecker::check_assign(const ast::AssignItem* item, std::vector<core::Item*>& out) {
  Typed target = expressions_.infer(item->target);
  core::Expr* value = expressions_.check_expr(
      item->value, target.type, {ReasonKind::Target, item->target->span, {}, 0, item->target, true});
  out.push_back(core_.make(
      core::AssignItem{{core::ItemKind::Assign, item->span}, target.expr, value, only_definition(*item)}));
}

}  // namespace sigrel::check
