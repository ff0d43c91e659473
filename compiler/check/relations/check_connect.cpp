#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_connect(const ast::ConnectItem* item, std::vector<core::Item*>& out) {
  std::vector<core::Expr*> nodes;
  Type* type = unifier_.fresh(kSignal);
  Reason reason;
  for (auto* n : item->nodes) {
    nodes.push_back(expressions_.check_expr(n, type, reason));
    if (reason.kind == ReasonKind::None) reason = {ReasonKind::Node, n->span, {}, 0, n, true};
  }
  out.push_back(core_.make(core::ConnectItem{{core::ItemKind::Connect, item->span}, core_.copy(nodes)}));
}

}  // namespace sigrel::check
