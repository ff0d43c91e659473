#include <fmt/format.h>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

using ast::ExprKind;

core::Expr* ExpressionChecker::check_expr(const ast::Expr* e, Type* expected, const Reason& reason) {
  switch (e->kind) {
    case ExprKind::If:
    case ExprKind::Let:
    case ExprKind::Case:
    case ExprKind::Lambda:
    case ExprKind::Tuple:
    case ExprKind::Comprehension: return check_parts(e, expected, reason);
    default: break;
  }
  Typed found = infer(e, expected);
  if (!unifier_.agree(expected, found.type)) messages_.mismatch(e, found.type, expected, reason);
  report_large_type(e->span);
  return contracts_.claim(found.expr, expected, reason.kind == ReasonKind::Argument, e->span);
}

/// Reports a type beyond the limit, at the innermost expression where it arose.
void ExpressionChecker::report_large_type(Span span) {
  if (!unifier_.take_large_type()) return;
  diagnostics_
      .report(Code::LimitExceeded, span,
              fmt::format("a type in this expression has more than {} parts", unifier_.largest_type()))
      .note(fmt::format("the limit `types` is {}", unifier_.largest_type()))
      .help("does it double with each step? A record or a vector has a type that stays small");
}

/// The constructs whose parts are checked against the expected type, so that a message points at the part.
core::Expr* ExpressionChecker::check_parts(const ast::Expr* e, Type* expected, const Reason& reason) {
  switch (e->kind) {
    case ExprKind::If: return check_if(static_cast<const ast::IfExpr*>(e), expected, reason);
    case ExprKind::Let: return check_let(static_cast<const ast::LetExpr*>(e), expected, reason);
    case ExprKind::Case: return check_case(static_cast<const ast::CaseExpr*>(e), expected, reason);
    case ExprKind::Lambda: return check_lambda(static_cast<const ast::LambdaExpr*>(e), expected, reason);
    case ExprKind::Tuple: return check_tuple(static_cast<const ast::TupleExpr*>(e), expected, reason);
    default: return check_comprehension(static_cast<const ast::ComprehensionExpr*>(e), expected, reason);
  }
}

Typed ExpressionChecker::infer(const ast::Expr* e, Type* hint) {
  Typed typed = infer_kind(e, hint);
  report_large_type(e->span);
  bool literal =
      e->kind == ExprKind::Int || (e->kind == ExprKind::Real && !static_cast<const ast::RealExpr*>(e)->unit);
  bool named = e->kind == ExprKind::Variable || e->kind == ExprKind::Field || e->kind == ExprKind::Apply ||
               e->kind == ExprKind::Index;
  if ((literal || named) && is_constructor(typed.type, types_.real_constructor))
    units_.add_quantity({e, typed.type, literal && hint == types_.number()});
  return typed;
}

Typed ExpressionChecker::infer_kind(const ast::Expr* e, Type* hint) {
  switch (e->kind) {
    case ExprKind::Int: return deferred_.literal(static_cast<const ast::IntExpr*>(e)->value, e->span, hint);
    case ExprKind::Real: return infer_real(static_cast<const ast::RealExpr*>(e), hint);
    case ExprKind::String: {
      std::string_view value = static_cast<const ast::StringExpr*>(e)->value;
      auto bytes = core_.copy(std::vector<char>(value.begin(), value.end()));  // outlives the tree
      return {core_.make(core::StringExpr{{core::ExprKind::String, e->span}, {bytes.data(), bytes.size()}}),
              types_.string()};
    }
    case ExprKind::Variable:
      return as_vector(e, infer_variable(static_cast<const ast::VariableExpr*>(e)->name, e->span), hint);
    case ExprKind::Constructor: return infer_constructor(static_cast<const ast::ConstructorExpr*>(e));
    case ExprKind::Wildcard:
      diagnostics_.report(Code::UnknownName, e->span, "`_` is a pattern, not a value");
      return {core_.placeholder(e->span), types_.error()};
    case ExprKind::Apply: return infer_apply(static_cast<const ast::ApplyExpr*>(e));
    case ExprKind::Binary: return infer_binary(static_cast<const ast::BinaryExpr*>(e), hint);
    case ExprKind::Unary: return infer_negation(static_cast<const ast::UnaryExpr*>(e), hint);
    case ExprKind::Section: return infer_section(static_cast<const ast::SectionExpr*>(e));
    case ExprKind::OperatorName:
      return operator_function(static_cast<const ast::OperatorNameExpr*>(e)->op, e->span);
    case ExprKind::If:
    case ExprKind::Let:
    case ExprKind::Case:
    case ExprKind::Lambda:
    case ExprKind::Comprehension:
    case ExprKind::Tuple: {
      const bool vector = e->kind == ExprKind::Comprehension && hint && find(hint)->kind == TypeKind::Vector;
      Type* type = vector ? hint : unifier_.fresh();
      core::Expr* expr = check_parts(e, type, {});
      return {expr, type};
    }
    case ExprKind::List: return infer_list(static_cast<const ast::ListExpr*>(e), hint);
    case ExprKind::Range: return infer_range(static_cast<const ast::RangeExpr*>(e));
    case ExprKind::Index:
      if (LabelInfo* label = relations_.find_label(e)) return relations_.infer_member(e, label);
      return infer_index(static_cast<const ast::IndexExpr*>(e));
    case ExprKind::Field:
      if (LabelInfo* label = relations_.find_label(e)) return relations_.infer_member(e, label);
      return infer_field(static_cast<const ast::FieldExpr*>(e));
    case ExprKind::Record: return infer_record(static_cast<const ast::RecordExpr*>(e));
    case ExprKind::With: return infer_with(static_cast<const ast::WithExpr*>(e));
    case ExprKind::As: return infer_conversion(static_cast<const ast::AsExpr*>(e));
    case ExprKind::Sigrel: return relations_.infer_sigrel(static_cast<const ast::SigrelExpr*>(e), hint);
    case ExprKind::Connection: return relations_.infer_connection(static_cast<const ast::ConnectionExpr*>(e));
  }
  return {nullptr, types_.error()};
}

Typed ExpressionChecker::infer_real(const ast::RealExpr* e, Type* hint) {
  double value = e->value;
  // A plain literal takes the unit that its place needs.
  Type* type = hint && is_constructor(hint, types_.real_constructor) ? find(hint) : unifier_.fresh_real();
  if (e->unit) {
    TypeScope scope;
    type = types_.real(reader_.unit(*e->unit, false, scope, &value));
  }
  return {core_.real(value, e->span), type};
}

Typed ExpressionChecker::infer_range(const ast::RangeExpr* e) {
  core::Expr* first = check_expr(e->first, types_.integer(), {ReasonKind::RangeEnd});
  core::Expr* last = check_expr(e->last, types_.integer(), {ReasonKind::RangeEnd});
  return {core_.primitive(core::Primitive::Range, {first, last}, e->span), types_.list(types_.integer())};
}

Typed ExpressionChecker::infer_conversion(const ast::AsExpr* e) {
  TypeScope scope;
  core::Expr* value = check_expr(e->value, unifier_.fresh_real(), {ReasonKind::Operand});
  return {value, types_.real(reader_.unit(*e->unit, true, scope))};
}

Typed ExpressionChecker::infer_negation(const ast::UnaryExpr* e, Type* hint) {
  if (e->operand->kind == ExprKind::Real) {  // -5.0<degC> is a point of the scale
    ast::RealExpr literal = *static_cast<const ast::RealExpr*>(e->operand);
    if (literal.unit) {
      literal.value = -literal.value;
      literal.span = e->span;
      return infer_real(&literal, hint);
    }
  }
  Typed operand = infer(e->operand, hint);
  if (!messages_.require_operand(operand.type, kNumber, e->operand, "-")) operand.type = types_.error();
  return {core_.primitive(core::Primitive::Negate, {operand.expr}, e->span), operand.type};
}

}  // namespace sigrel::check
