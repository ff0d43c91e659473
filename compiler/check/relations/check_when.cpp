#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_when(const ast::WhenItem* item, std::vector<core::Item*>& out) {
  core::WhenItem node{{core::ItemKind::When, item->span}, nullptr, {}};
  node.condition = expressions_.check_expr(item->condition, types_.boolean(), {ReasonKind::Condition});
  node.body = check_block(item->body);
  out.push_back(core_.make(node));
}

}  // namespace sigrel::check
