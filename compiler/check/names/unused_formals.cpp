#include "compiler/check/names/unused_formals.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "compiler/check/names/definitions.h"

namespace sigrel::check {
namespace {

class UsedNames : public FreeVariables {
 public:
  bool contains(Name name) const { return used_.contains(name.value); }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override {
    if (!name.qualified) used_.insert(name.ident.name.value);
  }
  void use_bound(const ast::Ident& name) override { used_.insert(name.name.value); }
  void type(const ast::Type& type) override { sizes(type); }

 private:
  std::unordered_set<std::uint32_t> used_;
};

void warn(const ast::Ident& name, const Definition& definition, std::string_view what, const char* help,
          Diagnostics& diagnostics) {
  diagnostics
      .report(Code::UnusedFormal, name.span,
              fmt::format("`{}` is not used in `{}`", text(name.name), text(definition.name)))
      .label(fmt::format("no equation of `{}` contains this {}", text(definition.name), what))
      .help(help);
}

constexpr const char* kUseFormal = "use it, or write `_` in its place";

/// Locals without a type that nothing mentions are no unknowns: results do not have them. Others have no
/// equation, which is an error of the structure.
void warn_of_unused_locals(const ast::SigrelExpr& relation, const UsedNames& used,
                           const Definition& definition, Diagnostics& diagnostics) {
  for (const ast::Item* item : relation.body) {
    if (item->kind != ast::ItemKind::Local || static_cast<const ast::LocalItem*>(item)->type) continue;
    for (const ast::Ident& name : static_cast<const ast::LocalItem*>(item)->names)
      if (!used.contains(name.name)) warn(name, definition, "variable", "use it, or remove it", diagnostics);
  }
}

}  // namespace

void warn_of_unused_formals(const Definition& definition, Type* type, const Types& types,
                            Diagnostics& diagnostics) {
  if (definition.clauses.size() != 1) return;
  const ast::ClauseDecl& clause = *definition.clauses[0];
  if (!makes_relation(clause.body)) return;
  UsedNames used;
  used.expr(clause.body);
  const ast::Type* written = definition.signature ? definition.signature->type : nullptr;
  for (const ast::Pattern* p : clause.parameters) {
    type = find(type);
    const bool may_be_size = type->kind != TypeKind::Function || find(type->args[0]) == types.integer();
    if (type->kind == TypeKind::Function) type = type->args[1];
    written = written && written->kind == ast::TypeKind::Function
                  ? static_cast<const ast::FunctionType*>(written)->to
                  : nullptr;
    if (p->kind != ast::PatternKind::Variable || may_be_size) continue;
    const ast::Ident& name = static_cast<const ast::VariablePattern*>(p)->name;
    if (!used.contains(name.name)) warn(name, definition, "parameter", kUseFormal, diagnostics);
  }
  if (clause.body->kind != ast::ExprKind::Sigrel) return;
  const auto& relation = static_cast<const ast::SigrelExpr&>(*clause.body);
  warn_of_unused_locals(relation, used, definition, diagnostics);
  if (!written || written->kind != ast::TypeKind::Relation) return;
  const std::span<const ast::InterfaceItem> interface =
      static_cast<const ast::RelationType*>(written)->interface;
  UsedNames inside;
  inside.items(relation.body);
  for (std::size_t k = 0; k < std::min(interface.size(), relation.formals.size()); ++k) {
    const ast::Formal& formal = relation.formals[k];
    const bool is_input =
        formal.causality == ast::Causality::In || interface[k].causality == ast::Causality::In;
    if (is_input && !formal.pattern && !inside.contains(formal.name.name))
      warn(formal.name, definition, "input", kUseFormal, diagnostics);
  }
}

}  // namespace sigrel::check
