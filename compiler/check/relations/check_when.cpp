#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_when(const ast::WhenItem* item, std::vector<core::Item*>& out) {
  std::vector<core::WhenBranch> branches;
  for (const ast::WhenBranch& branch : item->branches) {
    std::vector<core::Expr*> conditions;
    for (const ast::Expr* condition : branch.conditions)
      conditions.push_back(expressions_.check_expr(condition, types_.boolean(), {ReasonKind::Condition}));
    branches.push_back({core_.copy(conditions), check_block(branch.body), branch.span});
  }
  out.push_back(core_.make(core::WhenItem{{core::ItemKind::When, item->span}, core_.copy(branches)}));
}

}  // namespace sigrel::check
