#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

namespace {

bool is_literal(const ast::Expr* e) {
  return e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Comprehension ||
         e->kind == ast::ExprKind::Int;
}

}  // namespace

void RelationChecker::check_equation(const ast::EquationItem* item, std::vector<core::Item*>& out) {
  auto other_side = [](const ast::Expr* e) { return Reason{ReasonKind::LeftSide, e->span, {}, 0, e, true}; };
  core::EquationItem node{{core::ItemKind::Equation, item->span}, nullptr, nullptr};
  std::size_t errors = diagnostics_.error_count();
  Type* type;
  // A literal takes the type of the other side.
  auto adapts = [&](const ast::Expr* e) { return is_literal(e) || expressions_.names_brackets(e); };
  if (adapts(item->left) && !adapts(item->right)) {
    Typed right = expressions_.infer(item->right);
    type = right.type;
    node.right = right.expr;
    node.left = expressions_.check_expr(item->left, type, other_side(item->right));
  } else {
    Typed left = expressions_.infer(item->left);
    type = left.type;
    node.left = left.expr;
    node.right = expressions_.check_expr(item->right, type, other_side(item->left));
  }
  if (diagnostics_.error_count() != errors) {
    // It is not known what the equation is between.
  } else if (!unifier_.require(type, kSignal)) {
    auto& d = diagnostics_.report(
        Code::NotASignal, item->span,
        "an equation is between signals, and this is between values of type " + messages_.describe(type));
    if (find(type)->kind == TypeKind::Relation) d.help("a relation is applied with `<>`; `let` names one");
  } else {
    deferred_.add_equation(*item, type);
  }
  out.push_back(core_.make(node));
}

}  // namespace sigrel::check
