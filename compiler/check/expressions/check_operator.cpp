// Binary operators.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/operator_names.h"
#include "compiler/check/types/units.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

using ast::BinaryOp;

namespace {

// `2.0`, `-2.0`: beside `*`, `/` and `^` a number.
bool is_plain_real(const ast::Expr* e) {
  while (e->kind == ast::ExprKind::Unary) e = static_cast<const ast::UnaryExpr*>(e)->operand;
  return e->kind == ast::ExprKind::Real && !static_cast<const ast::RealExpr*>(e)->unit;
}

// The value of a literal exponent.
std::optional<Ratio> literal_exponent(const ast::Expr* e) {
  bool negative = false;
  while (e->kind == ast::ExprKind::Unary) {
    negative = !negative;
    e = static_cast<const ast::UnaryExpr*>(e)->operand;
  }
  Ratio value;
  if (e->kind == ast::ExprKind::Int) {
    value = Ratio::of(static_cast<const ast::IntExpr*>(e)->value);
  } else if (e->kind == ast::ExprKind::Real) {
    double scaled =
        static_cast<const ast::RealExpr*>(e)->value * 5040;  // every fraction with a denominator to 10
    if (std::abs(scaled) > 1e9 || std::abs(scaled - std::round(scaled)) > 1e-6) return std::nullopt;
    value = Ratio::of(static_cast<std::int64_t>(std::round(scaled)), 5040);
  } else {
    return std::nullopt;
  }
  return negative ? -value : value;
}

bool is_arithmetic(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul || op == BinaryOp::Div;
}

/// `f -x`: written as an argument is.
bool is_negative_argument(const ast::BinaryExpr* e) {
  return e->op == BinaryOp::Sub && e->left->span.end < e->op_span.begin &&
         e->op_span.end == e->right->span.begin;
}

/// The number of a literal in a unit whose zero is another one than that of SI, such as `20.0<degC>`.
std::optional<double> point_of_scale(const ast::Expr* e) {
  double sign = 1;
  for (; e->kind == ast::ExprKind::Unary; sign = -sign) e = static_cast<const ast::UnaryExpr*>(e)->operand;
  if (e->kind != ast::ExprKind::Real) return std::nullopt;
  auto* literal = static_cast<const ast::RealExpr*>(e);
  Diagnostics reported_elsewhere;
  if (!literal->unit || resolve_unit(*literal->unit, false, reported_elsewhere).offset == 0)
    return std::nullopt;
  return sign * literal->value;
}

Reason other_operand(const ast::BinaryExpr* e, const ast::Expr* other) {
  return {ReasonKind::Operand, other->span, intern(ast::spelling(e->op)), 0, other, true};
}

}  // namespace

Typed ExpressionChecker::infer_binary(const ast::BinaryExpr* e, Type* hint) {
  std::vector<const ast::BinaryExpr*> spine;  // a + b + c …: chains lean left and may be long
  const ast::Expr* leftmost = e;
  while (leftmost->kind == ast::ExprKind::Binary) {
    spine.push_back(static_cast<const ast::BinaryExpr*>(leftmost));
    leftmost = spine.back()->left;
  }
  bool passes_hint = true;  // a literal takes the type of its sum
  for (auto* b : spine) passes_hint &= b->op == BinaryOp::Add || b->op == BinaryOp::Sub;
  bool factor = spine.back()->op == BinaryOp::Mul || spine.back()->op == BinaryOp::Div ||
                spine.back()->op == BinaryOp::Pow;
  if (Type* vector = vector_literal(leftmost); vector && is_arithmetic(spine.back()->op))
    hint = vector, passes_hint = true;
  Typed left = infer(leftmost, passes_hint                         ? hint
                               : factor && is_plain_real(leftmost) ? types_.number()
                                                                   : nullptr);
  const ast::Expr* left_ast = leftmost;
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    left = binary(*it, left, left_ast);
    left_ast = *it;
  }
  return left;
}

/// `left` is the left operand, already inferred.
Typed ExpressionChecker::binary(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  switch (e->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return sum(e, left, left_ast);
    case BinaryOp::Mul: return product(e, left, left_ast);
    case BinaryOp::Div: return quotient(e, left, left_ast);
    case BinaryOp::Pow: return power(e, left, left_ast);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: return comparison(e, left, left_ast);
    case BinaryOp::And:
    case BinaryOp::Or: {
      if (!unifier_.agree(types_.boolean(), left.type))
        messages_.mismatch(left_ast, left.type, types_.boolean(), {ReasonKind::Condition});
      core::Expr* right = check_expr(e->right, types_.boolean(), {ReasonKind::Condition});
      return applied(e, left, {right, types_.boolean()});
    }
    case BinaryOp::Cons: {
      core::Expr* right = check_expr(e->right, types_.list(left.type),
                                     {ReasonKind::Element, left_ast->span, {}, 0, left_ast, true});
      return {core_.construct(types_.cons, {left.expr, right}, e->span), types_.list(left.type)};
    }
    case BinaryOp::Append: return append(e, left, left_ast);
    case BinaryOp::Named: return named_operator(e, left, left_ast);
  }
  return {left.expr, types_.error()};
}

/// The primitive of `e`; `right` has the type of the result.
Typed ExpressionChecker::applied(const ast::BinaryExpr* e, Typed left, Typed right) {
  return {core_.primitive(primitive_of(e->op), {left.expr, right.expr}, e->span), right.type};
}

/// `x + 2.0<degC>` adds 275.15 K: a difference is meant, or the point stands first.
void ExpressionChecker::check_points(const ast::BinaryExpr* e, const ast::Expr* left) {
  const std::optional<double> right = e->op == BinaryOp::Add ? point_of_scale(e->right) : std::nullopt;
  if (!right) return;
  const ast::Expr* literal = e->right;
  while (literal->kind == ast::ExprKind::Unary)
    literal = static_cast<const ast::UnaryExpr*>(literal)->operand;
  const ast::Unit& unit = *static_cast<const ast::RealExpr*>(literal)->unit;
  const double kelvin = to_si(*right, resolve_unit(unit, false, diagnostics_));
  const bool both = point_of_scale(left).has_value(), celsius = unit_text(unit) == "degC";
  Diagnostic& d = diagnostics_.report(both ? Code::OperandType : Code::PointAsDifference, e->right->span,
                                      both ? "two points of a temperature scale cannot be added"
                                           : "this adds a point of a temperature scale, not a difference");
  d.label(fmt::format("this is {:.10g} K", kelvin));
  if (celsius) {
    const std::string difference = fmt::format("{:.10g}<K>", *right);
    d.fix("a difference is `" + difference + "`", e->right->span, difference);
  } else {
    d.help("a difference is written in `<K>`");
  }
  if (!both) d.help("if a difference is added to this point, write the point first");
}

Typed ExpressionChecker::sum(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  check_points(e, left_ast);
  std::string_view sign = ast::spelling(e->op);
  if (is_negative_argument(e) && find(left.type)->kind == TypeKind::Function) {
    const std::string function = head_text(left_ast);
    diagnostics_
        .report(Code::OperandType, e->op_span,
                "this is a difference, whose left side is the function " +
                    (function.empty() ? std::string("before it") : "`" + function + "`"))
        .help("a negative argument is written in parentheses: `" + (function.empty() ? "f" : function) +
              " (-1.0)`");
    return {left.expr, types_.error()};
  }
  if (!messages_.require_operand(left.type, kNumber, left_ast, sign))
    return applied(e, left, {infer(e->right).expr, types_.error()});
  Typed right = infer(e->right, left.type);
  if (!messages_.require_operand(right.type, kNumber, e->right, sign))
    return applied(e, left, {right.expr, types_.error()});
  if (!unifier_.agree(left.type, right.type)) {
    bool units = unifier_.unit_conflict();
    messages_.mismatch(e->right, right.type, left.type, other_operand(e, left_ast));
    if (!units) return applied(e, left, {right.expr, types_.error()});
  }
  return applied(e, left, {right.expr, left.type});
}

Typed ExpressionChecker::product(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  if (!messages_.require_operand(left.type, kNumber, left_ast, "*"))
    return applied(e, left, {infer(e->right).expr, types_.error()});
  Typed right = infer(e->right, is_plain_real(e->right) ? types_.number() : vector_literal(e->right));
  if (!messages_.require_operand(right.type, kNumber, e->right, "*"))
    return applied(e, left, {right.expr, types_.error()});
  Type* type = deferred_.product({left.type, right.type, nullptr, e->op, {}, e->span, left_ast, e->right});
  return applied(e, left, {right.expr, type});
}

Typed ExpressionChecker::quotient(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  if (!messages_.require_operand(left.type, kNumber | kReal, left_ast, "/"))
    return applied(e, left, {infer(e->right).expr, types_.error()});
  bool plain = is_plain_real(e->right) || e->right->kind == ast::ExprKind::Int;
  Typed right = infer(e->right, plain ? types_.number() : nullptr);
  if (!messages_.require_operand(right.type, kNumber | kReal | kScalar, e->right, "/"))
    return applied(e, left, {right.expr, types_.error()});
  if (plain) units_.mark_divisor();
  Type* divisor = find(right.type);
  if (divisor->kind == TypeKind::Variable)
    unifier_.unify(divisor, (divisor->needs & kLiteral) ? types_.number() : unifier_.fresh_real());
  Type* type = deferred_.product({left.type, right.type, nullptr, e->op, {}, e->span, left_ast, e->right});
  return applied(e, left, {right.expr, type});
}

Typed ExpressionChecker::power(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  if (!messages_.require_operand(left.type, kNumber | kScalar, left_ast, "^"))
    return applied(e, left, {infer(e->right).expr, types_.error()});
  Typed right = infer(e->right, is_plain_real(e->right) ? types_.number() : nullptr);
  if (!messages_.require_operand(right.type, kNumber | kScalar, e->right, "^"))
    return applied(e, left, {right.expr, types_.error()});
  if (is_constructor(right.type, types_.real_constructor)) {
    if (!unifier_.agree(types_.number(), right.type))
      messages_.mismatch(e->right, right.type, types_.number(), {ReasonKind::Exponent});
    if (is_variable(left.type)) unifier_.unify(left.type, unifier_.fresh_real());
    if (!is_constructor(left.type, types_.real_constructor)) {
      messages_.mismatch(e->right, right.type, left.type, {ReasonKind::Exponent});
      return applied(e, left, {right.expr, types_.error()});
    }
  }
  if (auto exponent = literal_exponent(e->right)) {
    Type* type = deferred_.product(
        {left.type, types_.number(), nullptr, e->op, *exponent, e->span, left_ast, e->right});
    return applied(e, left, {right.expr, type});
  }
  // With an exponent that is not known here, the base is a number without a unit.
  if (is_constructor(left.type, types_.real_constructor)) {
    if (unifier_.agree(types_.number(), left.type)) return applied(e, left, {right.expr, types_.number()});
    messages_.mismatch(left_ast, left.type, types_.number(), other_operand(e, e->right));
    return applied(e, left, {right.expr, unifier_.fresh_real()});
  }
  return applied(e, left, {right.expr, left.type});
}

Typed ExpressionChecker::comparison(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  Needs needs = e->op == BinaryOp::Equal || e->op == BinaryOp::NotEqual ? kEquality : kOrder;
  Typed right = infer(e->right, left.type);
  if (messages_.require_operand(left.type, needs, left_ast, ast::spelling(e->op)) &&
      !unifier_.agree(left.type, right.type))
    messages_.mismatch(e->right, right.type, left.type, other_operand(e, left_ast));
  return applied(e, left, {right.expr, types_.boolean()});
}

Typed ExpressionChecker::append(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  Reason operand = other_operand(e, left_ast);
  Type* t = find(left.type);
  if (t->kind == TypeKind::Vector) {
    Type* size = unifier_.fresh(Sort::Size);
    core::Expr* right = check_expr(e->right, types_.vector(t->args[0], size), operand);
    Linear both;
    both.add(t->args[1], {1, 1});
    both.add(size, {1, 1});
    return applied(e, left, {right, types_.vector(t->args[0], types_.form(both, Sort::Size))});
  }
  if (is_constructor(t, types_.string_constructor))
    return applied(e, left, {check_expr(e->right, types_.string(), operand), types_.string()});
  Typed right = infer(e->right, left.type);
  if (t->kind == TypeKind::Variable && is_constructor(right.type, types_.string_constructor)) {
    unifier_.unify(t, types_.string());
    return applied(e, left, {right.expr, types_.string()});
  }
  Type* list = types_.list(unifier_.fresh());
  if (!unifier_.agree(list, left.type)) {
    diagnostics_.report(Code::OperandType, left_ast->span,
                        "`++` joins lists, strings and vectors, found " + messages_.describe(left.type));
    return applied(e, left, {right.expr, types_.error()});
  }
  if (!unifier_.agree(list, right.type)) messages_.mismatch(e->right, right.type, list, operand);
  return applied(e, left, {right.expr, list});
}

/// ``x `f` y``: the left operand is inferred already, so this is no application of `f` to arguments.
Typed ExpressionChecker::named_operator(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast) {
  Typed function = infer_variable(e->name, e->op_span);
  Reason argument{ReasonKind::Argument, e->op_span, e->name.ident.name, 0, nullptr, false};
  Type* f = find(function.type);
  if (f->kind == TypeKind::Function && find(f->args[1])->kind == TypeKind::Function) {
    if (!unifier_.agree(f->args[0], left.type)) {  // the other operand and the result have the same cause
      messages_.mismatch(left_ast, left.type, f->args[0], argument);
      return {core_.placeholder(e->span), types_.error()};
    }
    Type* rest = find(f->args[1]);
    argument.index = 1;
    core::Expr* right = check_expr(e->right, rest->args[0], argument);
    return {apply_named(e->name, function.expr, {left.expr, right}, e->span), rest->args[1]};
  }
  Type* left_type = unifier_.fresh();
  Type* right_type = unifier_.fresh();
  Type* value = unifier_.fresh();
  if (!unifier_.agree(function.type, types_.function(left_type, types_.function(right_type, value))))
    diagnostics_.report(Code::AppliedNonFunction, e->op_span,
                        "`" + std::string(text(e->name.ident.name)) +
                            "` is not a function of two arguments: its type is " +
                            messages_.describe(function.type));
  else if (!unifier_.agree(left_type, left.type))
    messages_.mismatch(left_ast, left.type, left_type, argument);
  core::Expr* right = check_expr(e->right, right_type, {});
  return {apply_named(e->name, function.expr, {left.expr, right}, e->span), value};
}

/// The type of `[…]` as an operand of arithmetic, a vector or a matrix, or of a name that it defines; null
/// for other expressions.
Type* ExpressionChecker::vector_literal(const ast::Expr* e) {
  if (const ast::Expr* brackets = brackets_of(e)) e = brackets;
  std::size_t depth = 0;
  for (;; ++depth) {
    if (e->kind == ast::ExprKind::Comprehension)
      e = static_cast<const ast::ComprehensionExpr*>(e)->element;
    else if (e->kind == ast::ExprKind::List && !static_cast<const ast::ListExpr*>(e)->elements.empty())
      e = static_cast<const ast::ListExpr*>(e)->elements[0];
    else
      break;
  }
  if (depth == 0) return nullptr;
  Type* type = unifier_.fresh(kNumber);
  for (; depth > 0; --depth) type = types_.vector(type, unifier_.fresh(Sort::Size));
  return type;
}

}  // namespace sigrel::check
