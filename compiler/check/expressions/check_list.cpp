#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

Typed ExpressionChecker::infer_list(const ast::ListExpr* e, Type* hint) {
  Type* known = hint ? find(hint) : nullptr;
  // A list is not a signal: where one is expected, the brackets are those of a vector.
  const bool is_signal = known && known->kind == TypeKind::Variable && (known->needs & kSignal);
  const bool vector = is_signal || (known && known->kind == TypeKind::Vector);
  Type* element = unifier_.fresh();
  if (vector && !is_signal)
    element = known->args[0];
  else if (known && is_constructor(known, types_.list_constructor))
    element = known->args[0];
  std::vector<core::Expr*> elements;
  Reason reason;
  for (auto* x : e->elements) {
    elements.push_back(check_expr(x, element, reason));
    if (reason.kind == ReasonKind::None) reason = {ReasonKind::Element, x->span, {}, 0, x, true};
  }
  if (vector)
    return {core_.make(core::VectorExpr{{core::ExprKind::Vector, e->span}, core_.copy(elements)}),
            types_.vector(element, types_.size_literal(static_cast<std::int64_t>(elements.size())))};
  core::Expr* list = core_.construct(types_.nil, {}, e->span);
  for (auto it = elements.rbegin(); it != elements.rend(); ++it)
    list = core_.construct(types_.cons, {*it, list}, e->span);
  return {list, types_.list(element)};
}

}  // namespace sigrel::check
