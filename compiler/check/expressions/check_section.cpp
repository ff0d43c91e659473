// Operators as functions: `(+)`, `(+ 1)`, `(1 +)`.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/operator_names.h"

namespace sigrel::check {

using ast::BinaryOp;

Typed ExpressionChecker::operator_function(BinaryOp op, Span span) {
  core::LocalId x = core_.new_local(intern("x")), y = core_.new_local(intern("y"));
  OperatorType t = operator_type(op, span);
  std::vector<core::Expr*> operands{core_.local(x, span), core_.local(y, span)};
  core::Expr* body = op == BinaryOp::Cons ? core_.construct(types_.cons, operands, span)
                                          : core_.primitive(primitive_of(op), operands, span);
  return {core_.lambda({x, y}, body, span), types_.function(t.left, types_.function(t.right, t.result))};
}

ExpressionChecker::OperatorType ExpressionChecker::operator_type(BinaryOp op, Span span) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      Type* a = unifier_.fresh(kNumber);
      return {a, a, a};
    }
    case BinaryOp::Mul: {
      Type *a = unifier_.fresh(kNumber), *b = unifier_.fresh(kNumber);
      return {a, b, deferred_.product({a, b, nullptr, op, {}, span, nullptr, nullptr})};
    }
    case BinaryOp::Pow: {
      Type* a = unifier_.fresh(kNumber | kScalar);
      return {a, a, a};
    }
    case BinaryOp::Div: {
      Type *a = unifier_.fresh(kNumber | kReal), *b = unifier_.fresh_real();
      return {a, b, deferred_.product({a, b, nullptr, op, {}, span, nullptr, nullptr})};
    }
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: {
      Type* a = unifier_.fresh(kEquality);
      return {a, a, types_.boolean()};
    }
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: {
      Type* a = unifier_.fresh(kOrder);
      return {a, a, types_.boolean()};
    }
    case BinaryOp::And:
    case BinaryOp::Or: return {types_.boolean(), types_.boolean(), types_.boolean()};
    case BinaryOp::Cons: {
      Type* a = unifier_.fresh();
      return {a, types_.list(a), types_.list(a)};
    }
    case BinaryOp::Append: {
      Type* a = types_.list(unifier_.fresh());
      return {a, a, a};
    }
    case BinaryOp::Named: break;
  }
  return {types_.error(), types_.error(), types_.error()};
}

Typed ExpressionChecker::infer_section(const ast::SectionExpr* e) {
  core::LocalId missing = core_.new_local(intern("x"));
  core::Expr* hole = core_.local(missing, e->span);
  OperatorType t = operator_type(e->op, e->span);
  Typed named{nullptr, nullptr};
  if (e->op == BinaryOp::Named) {
    named = infer_variable(e->name, e->name.ident.span);
    t = {unifier_.fresh(), unifier_.fresh(), unifier_.fresh()};
    Type* wanted = types_.function(t.left, types_.function(t.right, t.result));
    if (!unifier_.agree(named.type, wanted)) {
      diagnostics_.report(Code::AppliedNonFunction, e->name.ident.span,
                          "`" + std::string(text(e->name.ident.name)) +
                              "` is not a function of two arguments: its type is " +
                              messages_.describe(named.type));
      t = {types_.error(), types_.error(), types_.error()};
    }
  }
  core::Expr *left = hole, *right = hole;
  Type* argument;
  Reason reason{ReasonKind::Operand};
  if (e->left) {
    left = check_expr(e->left, t.left, reason);
    argument = t.right;
  } else {
    right = check_expr(e->right, t.right, reason);
    argument = t.left;
  }
  core::Expr* body = e->op == BinaryOp::Cons ? core_.construct(types_.cons, {left, right}, e->span)
                     : e->op == BinaryOp::Named
                         ? apply_named(e->name, named.expr, {left, right}, e->span)
                         : core_.primitive(primitive_of(e->op), {left, right}, e->span);
  return {core_.lambda({missing}, body, e->span), types_.function(argument, t.result)};
}

// A primitive between backticks is applied directly, without the lambda that its bare name stands for.
core::Expr* ExpressionChecker::apply_named(const ast::QualifiedIdent& name, core::Expr* function,
                                           const std::vector<core::Expr*>& args, Span span) {
  if (name.qualified || !scopes_.lookup_local(name.ident.name))
    if (auto* entry = scopes_.lookup_value(name, false); entry && entry->meaning.kind == Value::Primitive)
      return apply_known(entry->meaning, args, span);
  return core_.apply(function, args, span);
}

}  // namespace sigrel::check
