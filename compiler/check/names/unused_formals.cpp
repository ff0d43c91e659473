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

 private:
  std::unordered_set<std::uint32_t> used_;
};

bool is_int(const ast::Type* type) {
  return type->kind == ast::TypeKind::Named &&
         text(static_cast<const ast::NamedType*>(type)->name.ident.name) == "Int";
}

void warn(const ast::Ident& name, const Definition& definition, std::string_view what,
          Diagnostics& diagnostics) {
  diagnostics
      .report(Code::UnusedFormal, name.span,
              fmt::format("`{}` is not used in `{}`", text(name.name), text(definition.name)))
      .label(fmt::format("no equation of `{}` contains this {}", text(definition.name), what))
      .help(fmt::format("use it, or write `_` in its place"));
}

}  // namespace

void warn_of_unused_formals(const Definition& definition, Diagnostics& diagnostics) {
  if (definition.clauses.size() != 1) return;
  const ast::ClauseDecl& clause = *definition.clauses[0];
  if (!makes_relation(clause.body)) return;
  UsedNames used;
  used.expr(clause.body);
  const ast::Type* type = definition.signature ? definition.signature->type : nullptr;
  for (const ast::Pattern* p : clause.parameters) {
    const auto* function =
        type && type->kind == ast::TypeKind::Function ? static_cast<const ast::FunctionType*>(type) : nullptr;
    const bool may_be_size = !function || is_int(function->from);
    type = function ? function->to : nullptr;
    if (p->kind != ast::PatternKind::Variable || may_be_size) continue;
    const ast::Ident& name = static_cast<const ast::VariablePattern*>(p)->name;
    if (!used.contains(name.name)) warn(name, definition, "parameter", diagnostics);
  }
  if (clause.body->kind != ast::ExprKind::Sigrel || !type || type->kind != ast::TypeKind::Relation) return;
  const auto& relation = static_cast<const ast::SigrelExpr&>(*clause.body);
  const std::span<const ast::InterfaceItem> interface =
      static_cast<const ast::RelationType*>(type)->interface;
  UsedNames inside;
  inside.items(relation.body);
  for (std::size_t k = 0; k < std::min(interface.size(), relation.formals.size()); ++k) {
    const ast::Formal& formal = relation.formals[k];
    const bool is_input =
        formal.causality == ast::Causality::In || interface[k].causality == ast::Causality::In;
    if (is_input && !formal.pattern && !inside.contains(formal.name.name))
      warn(formal.name, definition, "input", diagnostics);
  }
}

}  // namespace sigrel::check
