#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

Typed ExpressionChecker::infer_index(const ast::IndexExpr* e) {
  Typed base = infer(e->base, names_brackets(e->base) ? vector_literal(e->base) : nullptr);
  std::vector<core::IndexPart> parts;
  for (auto& part : e->parts) {
    core::Expr* first = check_expr(part.first, types_.integer(), {ReasonKind::IndexValue});
    core::Expr* last =
        part.last ? check_expr(part.last, types_.integer(), {ReasonKind::IndexValue}) : nullptr;
    parts.push_back({first, last});
  }
  auto copied = core_.copy(parts);
  core::Expr* expr = core_.make(core::IndexExpr{{core::ExprKind::Index, e->span}, base.expr, copied});
  const std::size_t errors = diagnostics_.error_count();
  Type* type = deferred_.indexed(base.type, copied, e->base->span);
  if (diagnostics_.error_count() != errors) messages_.suppress_further_errors(e->base, base.type);
  return {expr, type};
}

}  // namespace sigrel::check
