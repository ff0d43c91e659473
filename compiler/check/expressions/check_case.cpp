#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

core::Expr* ExpressionChecker::check_case(const ast::CaseExpr* e, Type* expected, const Reason& reason) {
  Typed scrutinee = infer(e->scrutinee);
  std::vector<core::Arm> arms;
  std::vector<const core::Pattern*> rows;
  Reason other = reason;
  // After an error in one alternative, those of the next ones would mostly have the same cause.
  std::size_t errors = diagnostics_.error_count();
  auto unless_reported = [&](Type*& type) {
    if (diagnostics_.error_count() != errors) type = types_.error();
    errors = diagnostics_.error_count();
  };
  for (auto& a : e->alternatives) {
    std::size_t m = scopes_.mark();
    core::Pattern* p = infer_pattern(a.pattern, scrutinee.type, {ReasonKind::None});
    unless_reported(scrutinee.type);
    rows.push_back(p);
    arms.push_back({p, check_expr(a.body, expected, other)});
    unless_reported(expected);
    if (other.kind == ReasonKind::None) other = {ReasonKind::Branch, a.body->span, {}, 0, a.body, true};
    scopes_.release(m);
  }
  matches_.add(rows, scrutinee.type, e->scrutinee->span, false);
  return core_.make(core::CaseExpr{{core::ExprKind::Case, e->span}, scrutinee.expr, core_.copy(arms)});
}

}  // namespace sigrel::check
