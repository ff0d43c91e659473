#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_connect(const ast::ConnectItem* item, std::vector<core::Item*>& out) {
  if (item->nodes.size() == 1 && item->nodes[0]->kind == ast::ExprKind::Tuple) {
    std::string call = "connect";
    for (const ast::Expr* node : static_cast<const ast::TupleExpr*>(item->nodes[0])->elements) {
      const std::string name = quantity_text(*node);
      call += " " + (name.empty() ? "…" : name);
    }
    diagnostics_
        .report(Code::ForeignSyntax, item->nodes[0]->span, "the nodes of `connect` are separated by spaces")
        .help("write `" + call + "`");
    return;
  }
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
