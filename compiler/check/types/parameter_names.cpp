#include "compiler/check/types/parameter_names.h"

namespace sigrel::check {

const ast::Pattern* parameter_pattern(const Definition& definition, std::size_t index) {
  if (definition.clauses.empty()) return nullptr;
  const ast::ClauseDecl& clause = *definition.clauses[0];
  if (index < clause.parameters.size()) return clause.parameters[index];
  index -= clause.parameters.size();
  for (const ast::Expr* e = clause.body; e->kind == ast::ExprKind::Lambda;
       e = static_cast<const ast::LambdaExpr*>(e)->body) {
    auto& lambda = *static_cast<const ast::LambdaExpr*>(e);
    if (index < lambda.parameters.size()) return lambda.parameters[index];
    index -= lambda.parameters.size();
  }
  return nullptr;
}

std::optional<Name> name_of(const ast::Pattern* p) {
  if (p && p->kind == ast::PatternKind::Variable)
    return static_cast<const ast::VariablePattern*>(p)->name.name;
  if (p && p->kind == ast::PatternKind::Typed) return static_cast<const ast::TypedPattern*>(p)->name.name;
  return std::nullopt;
}

std::optional<Name> parameter_name(const Definition& definition, std::size_t index) {
  if (auto name = name_of(parameter_pattern(definition, index))) return name;
  for (const ast::ClauseDecl* clause : definition.clauses)
    if (index < clause->parameters.size())
      if (auto name = name_of(clause->parameters[index])) return name;
  return std::nullopt;
}

Type* name_parameters(Types& types, Type* scheme, const Definition& definition) {
  std::vector<Type*> functions;
  Type* result = find(scheme);
  bool unnamed = false;
  for (; result->kind == TypeKind::Function; result = find(result->args[1])) {
    unnamed |= result->parameter == Name{} && parameter_name(definition, functions.size()).has_value();
    functions.push_back(result);
  }
  if (!unnamed) return scheme;
  for (std::size_t i = functions.size(); i-- > 0;) {
    const bool synonym = functions[i]->named;
    Type* named = types.with_result(functions[i], result);
    named->named = synonym;
    if (named->parameter == Name{})
      if (auto name = parameter_name(definition, i)) named->parameter = *name;
    result = named;
  }
  return result;
}

}  // namespace sigrel::check
