// Discrete variables: declaration and assignment.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_discrete(const ast::DiscreteItem* item, std::vector<core::Item*>& out) {
  for (auto& name : item->names) {
    Local* local = scopes_.lookup_local(name.name);  // declared with the block
    core::DiscreteItem node{{core::ItemKind::Discrete, item->span},
                            {local->id, name.name, name.span, false, nullptr, {}},
                            nullptr};
    if (item->initial)
      node.initial = expressions_.check_expr(item->initial, local->type,
                                             {ReasonKind::Target, name.span, name.name, 0, nullptr, true});
    node.declaration.attributes = attributes(item->settings, local->type);
    auto* made = core_.make(node);
    layouts_.request(&made->declaration.layout, local->type);
    out.push_back(made);
  }
}

void RelationChecker::check_assign(const ast::AssignItem* item, std::vector<core::Item*>& out) {
  Typed target = expressions_.infer(item->target);
  core::Expr* value = expressions_.check_expr(
      item->value, target.type, {ReasonKind::Target, item->target->span, {}, 0, item->target, true});
  out.push_back(core_.make(core::AssignItem{{core::ItemKind::Assign, item->span}, target.expr, value}));
}

}  // namespace sigrel::check
