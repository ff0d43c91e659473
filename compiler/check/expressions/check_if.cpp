// `if`: as an expression, and as an item of a relation body.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

core::Expr* ExpressionChecker::check_if(const ast::IfExpr* e, Type* expected, const Reason& reason) {
  core::Expr* condition = check_expr(e->condition, types_.boolean(), {ReasonKind::Condition});
  auto outer_refined = unifier_.refined_sizes();
  sizes_.refine(condition);
  core::Expr* then_branch = check_expr(e->then_branch, expected, reason);
  Reason other = reason.kind == ReasonKind::None
                     ? Reason{ReasonKind::Branch, e->then_branch->span, {}, 0, e->then_branch, true}
                     : reason;
  core::Expr* else_branch = check_expr(e->else_branch, expected, other);
  unifier_.restore_refined_sizes(std::move(outer_refined));
  return core_.make(core::IfExpr{{core::ExprKind::If, e->span}, condition, then_branch, else_branch});
}

void RelationChecker::check_if(const ast::IfItem* item, std::vector<core::Item*>& out) {
  core::IfItem node{{core::ItemKind::If, item->span}, nullptr, {}, {}};
  node.condition = expressions_.check_expr(item->condition, types_.boolean(), {ReasonKind::Condition});
  auto outer_refined = unifier_.refined_sizes();
  sizes_.refine(node.condition);
  node.then_body = check_block(item->then_body);
  node.else_body = check_block(item->else_body);
  unifier_.restore_refined_sizes(std::move(outer_refined));
  out.push_back(core_.make(node));
}

}  // namespace sigrel::check
