#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

/// `when (a, b) do`, where `when a, b do` is meant.
bool RelationChecker::report_tuple(const ast::Expr& condition) {
  if (condition.kind != ast::ExprKind::Tuple) return false;
  diagnostics_.report(Code::TypeMismatch, condition.span, "several conditions stand without parentheses")
      .label("this is a tuple")
      .help("write `when a, b do`, which fires when `a` or `b` becomes true");
  return true;
}

void RelationChecker::check_when(const ast::WhenItem* item, std::vector<core::Item*>& out) {
  std::vector<core::WhenBranch> branches;
  for (const ast::WhenBranch& branch : item->branches) {
    std::vector<core::Expr*> conditions;
    for (const ast::Expr* condition : branch.conditions) {
      if (report_tuple(*condition)) continue;
      conditions.push_back(expressions_.check_expr(condition, types_.boolean(), {ReasonKind::Condition}));
    }
    branches.push_back({core_.copy(conditions), check_block(branch.body), branch.span});
  }
  out.push_back(core_.make(core::WhenItem{{core::ItemKind::When, item->span}, core_.copy(branches)}));
}

}  // namespace sigrel::check
