#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

core::Expr* ExpressionChecker::check_tuple(const ast::TupleExpr* e, Type* expected, const Reason& reason) {
  Type* known = find(expected);
  std::vector<core::Expr*> elements;
  if (known->kind == TypeKind::Tuple && known->args.size() == e->elements.size()) {
    for (std::size_t i = 0; i < e->elements.size(); ++i)
      elements.push_back(check_expr(e->elements[i], known->args[i], reason));
    return core_.tuple(elements, e->span);
  }
  std::vector<Type*> types;
  for (auto* x : e->elements) {
    Typed element = infer(x);
    elements.push_back(element.expr);
    types.push_back(element.type);
  }
  Type* found = types_.tuple(types);
  if (!unifier_.agree(expected, found)) messages_.mismatch(e, found, expected, reason);
  return core_.tuple(elements, e->span);
}

}  // namespace sigrel::check
