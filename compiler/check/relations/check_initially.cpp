// `initially`, `guess` and `steady`.
#include <algorithm>
#include <utility>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/builtins.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_initially(const ast::BlockItem* item, std::vector<core::Item*>& out) {
  const bool initially = item->kind == ast::ItemKind::Initially;
  core::BlockItem node{{initially ? core::ItemKind::Initially : core::ItemKind::Guess, item->span}, {}};
  const bool outer = std::exchange(in_initially_, initially);
  node.body = check_block(item->body);
  in_initially_ = outer;
  out.push_back(core_.make(node));
}

void RelationChecker::check_steady(const ast::SteadyItem* item, std::vector<core::Item*>& out) {
  if (!in_initially_) {
    diagnostics_
        .report(Code::SyntaxError, item->span, "`steady` is an initial condition; it belongs in `initially`")
        .help("write `initially steady`");
    return;
  }
  core::SteadyItem node{{core::ItemKind::Steady, item->span}, {}};
  std::vector<core::Expr*> derivatives;
  for (ast::Expr* signal : item->signals) derivatives.push_back(derivative_of(signal));
  node.derivatives = core_.copy(derivatives);
  out.push_back(core_.make(node));
}

/// `der signal`, of any unit.
core::Expr* RelationChecker::derivative_of(const ast::Expr* signal) {
  const Builtin& der = *std::ranges::find(builtins(), core::Primitive::Der, &Builtin::op);
  core::Expr* argument =
      expressions_.check_expr(signal, unifier_.fresh(kNumber | kReal),
                              {ReasonKind::Argument, signal->span, intern("steady"), 0, nullptr, false});
  return expressions_.apply_known(Value::of(der), {argument}, signal->span);
}

}  // namespace sigrel::check
