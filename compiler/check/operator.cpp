// Operators and literals.
#include <cmath>

#include "compiler/check/checker.h"

namespace sigrel::check {

using ast::BinaryOp;

namespace {

core::Primitive primitive_of(BinaryOp op) {
  using core::Primitive;
  switch (op) {
    case BinaryOp::Add: return Primitive::Add;
    case BinaryOp::Sub: return Primitive::Sub;
    case BinaryOp::Mul: return Primitive::Mul;
    case BinaryOp::Div: return Primitive::Div;
    case BinaryOp::Pow: return Primitive::Pow;
    case BinaryOp::Equal: return Primitive::Equal;
    case BinaryOp::NotEqual: return Primitive::NotEqual;
    case BinaryOp::Less: return Primitive::Less;
    case BinaryOp::LessEqual: return Primitive::LessEqual;
    case BinaryOp::Greater: return Primitive::Greater;
    case BinaryOp::GreaterEqual: return Primitive::GreaterEqual;
    case BinaryOp::And: return Primitive::And;
    case BinaryOp::Or: return Primitive::Or;
    case BinaryOp::Append: return Primitive::Append;
    case BinaryOp::Cons:
    case BinaryOp::Named: break;
  }
  return Primitive::Add;
}

std::string_view sign_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::Pow: return "^";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "/=";
    case BinaryOp::Less: return "<";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::Greater: return ">";
    case BinaryOp::GreaterEqual: return ">=";
    case BinaryOp::And: return "&&";
    case BinaryOp::Or: return "||";
    case BinaryOp::Append: return "++";
    case BinaryOp::Cons: return ":";
    case BinaryOp::Named: return "`…`";
  }
  return "";
}

}  // namespace

Typed Checker::literal(std::int64_t value, Span span, Type* hint) {
  if (hint && is_constructor(hint, types_.real_constructor))
    return {
        arena_.make<core::RealExpr>(core::RealExpr{{core::ExprKind::Real, span}, static_cast<double>(value)}),
        hint};
  auto* expr = arena_.make<core::IntExpr>(core::IntExpr{{core::ExprKind::Int, span}, value});
  if (hint && is_constructor(hint, types_.integer_constructor)) return {expr, types_.integer()};
  Type* type = fresh(kNumber | kLiteral | kScalar);
  literals_.emplace_back(expr, type);
  return {expr, type};
}

bool Checker::number_operand(Type* type, Needs needs, const ast::Expr* e, std::string_view sign) {
  if (require(type, needs)) return true;
  std::optional<Span> origin;
  std::string why = because(e, origin);
  bool is_int = is_constructor(type, types_.integer_constructor);
  auto& d = diagnostics_.report(Code::OperandType, e->span,
                                "`" + std::string(sign) + "` needs " +
                                    ((needs & kReal)       ? "Real"
                                     : (needs & kOrder)    ? "Int, Real or String"
                                     : (needs & kEquality) ? "values that can be compared"
                                     : (needs & kScalar)   ? "Int or Real"
                                                           : "Int, Real or vectors of them") +
                                    ", found " + describe(type) + (why.empty() ? "" : ", because " + why));
  d.label("this is " + describe(type));
  if (origin) d.also(*origin, describe(type) + " comes from here");
  type = find(type);
  if ((needs & kReal) && is_int) d.help("`div` divides Ints; `real n` makes a Real of an Int");
  if (is_constructor(type, types_.string_constructor) && sign == "+") d.help("strings are joined with `++`");
  if (is_constructor(type, types_.list_constructor) && sign == "+") d.help("lists are joined with `++`");
  if (type->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(type->name)) + "` stands for any type; write `Real` if a number is meant");
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record)
    d.help("arithmetic is on the fields, for example `." +
           std::string(type->constructor->fields.empty() ? "x" : text(type->constructor->fields[0].name)) +
           "`");
  blame(e);
  return false;
}

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

Type* scalar_of(Type* type) {
  for (type = find(type); type->kind == TypeKind::Vector;) type = find(type->args[0]);
  return type;
}

int rank(Type* type) {
  int n = 0;
  for (type = find(type); type->kind == TypeKind::Vector; type = find(type->args[0])) ++n;
  return n;
}

}  // namespace

Type* Checker::scaled(Type* type, Type* unit, Ratio power) {
  type = find(type);
  if (type->kind == TypeKind::Vector) {
    Type* element = scaled(type->args[0], unit, power);
    return element == find(type->args[0]) ? type : types_.vector(element, type->args[1]);
  }
  if (type->kind != TypeKind::Constructor || type->constructor != &types_.real_constructor) return type;
  Linear by;
  by.add(unit, power);
  if (by.zero()) return type;
  by.add(type->args[0], {1, 1});
  return types_.real(types_.form(by, Sort::Unit));
}

// Int times Real, or what is no number at all.
Type* Checker::factors_differ(const Product& p, Type* left, Type* right) {
  if (!p.left_ast || !p.right_ast)
    mismatch_at(p.span, right, left, {ReasonKind::Operand}, {}, {});
  else
    mismatch(p.right_ast, right, left, {ReasonKind::Operand, p.left_ast->span, {}, 0, p.left_ast, true});
  return types_.error();
}

Type* Checker::product(const Product& p) {
  Type *left = find(p.left), *right = find(p.right);
  if (left->kind == TypeKind::Error || right->kind == TypeKind::Error) return types_.error();
  auto is_literal = [](Type* t) { return t->kind == TypeKind::Variable && (t->needs & kLiteral); };
  auto real = [&](Type* t) { return is_constructor(t, types_.real_constructor); };
  auto scalar = [&](Type* t) { return real(t) || is_constructor(t, types_.integer_constructor); };
  auto same = [&](Type* t) { return real(t) ? types_.number() : types_.integer(); };
  if (p.op == BinaryOp::Pow) {
    if (real(left)) {
      Linear power;
      power.add(left->args[0], p.power);
      return types_.real(types_.form(power, Sort::Unit));
    }
    return is_constructor(left, types_.integer_constructor) || is_literal(left) ? left : nullptr;
  }
  bool divides = p.op == BinaryOp::Div;
  if (is_literal(left) && scalar(right))
    unify(left, same(right));
  else if (is_literal(right) && scalar(left))
    unify(right, same(left));
  else if (is_literal(left) && is_literal(right))
    return unify(left, divides ? types_.number() : right), unify(left, right), find(left);
  left = find(left);
  right = find(right);
  if (scalar(left) && scalar(right)) {
    if (left->constructor != right->constructor) return factors_differ(p, left, right);
    return real(left) ? scaled(left, right->args[0], {divides ? -1 : 1, 1}) : types_.integer();
  }
  // A vector is scaled by a scalar of its element's kind.
  auto scale = [&](Type* vector, Type* by, const ast::Expr* by_ast) -> Type* {
    Type* element = scalar_of(vector);
    if (element->kind == TypeKind::Variable && !is_literal(element)) {
      if (is_literal(by)) return nullptr;
      unify(element, real(by) ? fresh_real() : types_.integer());
      element = scalar_of(vector);
    }
    if (is_literal(by)) unify(by, same(element));
    by = find(by);
    if (!scalar(by) || !scalar(element) || element->constructor != by->constructor) {
      if (by_ast)
        mismatch(by_ast, by, element, {ReasonKind::Operand});
      else
        mismatch_at(p.span, by, element, {ReasonKind::Operand}, {}, {});
      return types_.error();
    }
    return real(by) ? scaled(vector, by->args[0], {divides ? -1 : 1, 1}) : vector;
  };
  auto scales = [&](Type* t) { return scalar(t) || is_literal(t); };
  if (left->kind == TypeKind::Vector && scales(right)) return scale(left, right, p.right_ast);
  if (right->kind == TypeKind::Vector && scales(left) && !divides) return scale(right, left, p.left_ast);
  if (left->kind == TypeKind::Vector && right->kind == TypeKind::Vector && !divides)
    return vector_product(left, right, p);
  return nullptr;
}

// Matrix * vector, vector * matrix, matrix * matrix: the inner sizes agree.
Type* Checker::vector_product(Type* left, Type* right, const Product& p) {
  int l = rank(left), r = rank(right);
  Type *a = scalar_of(left), *b = scalar_of(right);
  if (is_variable(a) || is_variable(b)) return nullptr;  // perhaps vectors themselves
  if (l + r < 3 || l > 2 || r > 2) {
    auto& d = diagnostics_.report(Code::OperandType, p.span,
                                  l + r == 2 ? "a vector is multiplied by a vector"
                                             : "`*` multiplies matrices and vectors, this has more sizes");
    if (l + r == 2)
      d.help("the scalar product is `dot a b`; elementwise: `[a[i] * b[i] for i in 1 .. size a]`");
    return types_.error();
  }
  Type* row = l == 2 ? find(left->args[0]) : left;
  if (!unify_sizes(row->args[1], right->args[1])) {
    TypePrinter printer(types_);
    std::string columns = printer.print(row->args[1]), rows = printer.print(right->args[1]);
    auto& d = diagnostics_.report(
        Code::TypeMismatch, p.span,
        "the sizes of this product do not fit: " + describe(left) + " times " + describe(right));
    if (p.left_ast) d.also(p.left_ast->span, l == 2 ? columns + " columns" : "size " + columns);
    if (p.right_ast) d.also(p.right_ast->span, r == 2 ? rows + " rows" : "size " + rows);
    return types_.error();
  }
  bool reals = is_constructor(a, types_.real_constructor);
  if (a->kind != TypeKind::Constructor || b->kind != TypeKind::Constructor ||
      a->constructor != b->constructor)
    return factors_differ(p, left, right);
  Type* element = reals ? scaled(a, b->args[0], {1, 1}) : types_.integer();
  if (r == 2) element = types_.vector(element, find(right->args[0])->args[1]);
  return l == 2 ? types_.vector(element, left->args[1]) : element;
}

Type* Checker::product_or_wait(Product p) {
  if (Type* type = product(p)) return type;
  p.result = fresh(kNumber | kPending);
  for (Type* t : {p.left, p.right})
    if (is_variable(t)) find(t)->needs |= kPending;
  products_.push_back(p);
  return p.result;
}

// The type of `[…]` as an operand of arithmetic, where it is a vector or a matrix; null for what is no
// literal.
Type* Checker::vector_literal(const ast::Expr* e) {
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
  Type* type = fresh(kNumber);
  for (; depth > 0; --depth) type = types_.vector(type, fresh(Sort::Size));
  return type;
}

Typed Checker::infer_binary(const ast::BinaryExpr* e, Type* hint) {
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
    left = binary(*it, left, left_ast, hint);
    left_ast = *it;
  }
  return left;
}

Typed Checker::binary(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast, Type*) {
  std::string_view sign = sign_of(e->op);
  Reason operand{ReasonKind::Operand, left_ast->span, intern(sign), 0, left_ast, true};
  auto result = [&](core::Expr* right, Type* type) -> Typed {
    return {primitive(primitive_of(e->op), {left.expr, right}, e->span), type};
  };
  switch (e->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      if (!number_operand(left.type, kNumber, left_ast, sign))
        return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right, left.type);
      if (!number_operand(right.type, kNumber, e->right, sign)) return result(right.expr, types_.error());
      if (!agree(left.type, right.type)) {
        bool units = unit_conflict_.has_value();
        mismatch(e->right, right.type, left.type, operand);
        if (!units) return result(right.expr, types_.error());
      }
      return result(right.expr, left.type);
    }
    case BinaryOp::Mul: {
      if (!number_operand(left.type, kNumber, left_ast, sign))
        return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right, is_plain_real(e->right) ? types_.number() : vector_literal(e->right));
      if (!number_operand(right.type, kNumber, e->right, sign)) return result(right.expr, types_.error());
      return result(
          right.expr,
          product_or_wait({left.type, right.type, nullptr, e->op, {}, e->span, left_ast, e->right}));
    }
    case BinaryOp::Div: {
      if (!number_operand(left.type, kNumber | kReal, left_ast, sign))
        return result(infer(e->right).expr, types_.error());
      bool plain = is_plain_real(e->right) || e->right->kind == ast::ExprKind::Int;
      Typed right = infer(e->right, plain ? types_.number() : nullptr);
      if (!number_operand(right.type, kNumber | kReal | kScalar, e->right, sign))
        return result(right.expr, types_.error());
      if (plain && !leaves_.empty()) leaves_.back().divides = true;
      Type* divisor = find(right.type);
      if (divisor->kind == TypeKind::Variable)
        unify(divisor, (divisor->needs & kLiteral) ? types_.number() : fresh_real());
      return result(
          right.expr,
          product_or_wait({left.type, right.type, nullptr, e->op, {}, e->span, left_ast, e->right}));
    }
    case BinaryOp::Pow: {
      if (!number_operand(left.type, kNumber | kScalar, left_ast, sign))
        return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right, is_plain_real(e->right) ? types_.number() : nullptr);
      if (!number_operand(right.type, kNumber | kScalar, e->right, sign))
        return result(right.expr, types_.error());
      if (is_constructor(right.type, types_.real_constructor)) {
        if (!agree(types_.number(), right.type))
          mismatch(e->right, right.type, types_.number(), {ReasonKind::Exponent});
        if (is_variable(left.type)) unify(left.type, fresh_real());
        if (!is_constructor(left.type, types_.real_constructor)) {
          mismatch(e->right, right.type, left.type, {ReasonKind::Exponent});
          return result(right.expr, types_.error());
        }
      }
      if (auto power = literal_exponent(e->right))
        return result(right.expr, product_or_wait({left.type, types_.number(), nullptr, e->op, *power,
                                                   e->span, left_ast, e->right}));
      // A power that is not known here is one of a number.
      if (is_constructor(left.type, types_.real_constructor)) {
        if (agree(types_.number(), left.type)) return result(right.expr, types_.number());
        mismatch(left_ast, left.type, types_.number(),
                 {ReasonKind::Operand, e->right->span, intern(sign), 0, e->right, true});
        return result(right.expr, fresh_real());
      }
      return result(right.expr, left.type);
    }
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: {
      Needs needs = e->op == BinaryOp::Equal || e->op == BinaryOp::NotEqual ? kEquality : kOrder;
      Typed right = infer(e->right, left.type);
      if (!number_operand(left.type, needs, left_ast, sign)) return result(right.expr, types_.boolean());
      if (!agree(left.type, right.type)) mismatch(e->right, right.type, left.type, operand);
      return result(right.expr, types_.boolean());
    }
    case BinaryOp::And:
    case BinaryOp::Or: {
      if (!agree(types_.boolean(), left.type))
        mismatch(left_ast, left.type, types_.boolean(), {ReasonKind::Condition});
      return result(check_expr(e->right, types_.boolean(), {ReasonKind::Condition}), types_.boolean());
    }
    case BinaryOp::Cons: {
      core::Expr* right = check_expr(e->right, types_.list(left.type),
                                     {ReasonKind::Element, left_ast->span, {}, 0, left_ast, true});
      core::ConstructExpr cell{{core::ExprKind::Construct, e->span},
                               types_.cons.name,
                               1,
                               arena_.copy(std::vector<core::Expr*>{left.expr, right})};
      return {arena_.make<core::ConstructExpr>(cell), types_.list(left.type)};
    }
    case BinaryOp::Append: {
      Type* t = find(left.type);
      if (t->kind == TypeKind::Vector) {
        Type* size = fresh(Sort::Size);
        core::Expr* right = check_expr(e->right, types_.vector(t->args[0], size), operand);
        Linear both;
        both.add(t->args[1], {1, 1});
        both.add(size, {1, 1});
        return result(right, types_.vector(t->args[0], types_.form(both, Sort::Size)));
      }
      if (is_constructor(t, types_.string_constructor))
        return result(check_expr(e->right, types_.string(), operand), types_.string());
      Typed right = infer(e->right, left.type);
      if (t->kind == TypeKind::Variable && is_constructor(right.type, types_.string_constructor)) {
        unify(t, types_.string());
        return result(right.expr, types_.string());
      }
      Type* list = types_.list(fresh());
      if (!agree(list, left.type)) {
        number_operand(types_.error(), 0, left_ast, sign);
        diagnostics_.report(Code::OperandType, left_ast->span,
                            "`++` joins lists, strings and vectors, found " + describe(left.type));
        return result(right.expr, types_.error());
      }
      if (!agree(list, right.type)) mismatch(e->right, right.type, list, operand);
      return result(right.expr, list);
    }
    case BinaryOp::Named: {
      // The left operand is inferred already: apply by hand.
      Typed function = infer_variable(e->name, e->op_span);
      Type* right_type = fresh();
      Type* value = fresh();
      Type* wanted = types_.function(fresh(), types_.function(right_type, value));
      Type* f = find(function.type);
      if (f->kind == TypeKind::Function && find(f->args[1])->kind == TypeKind::Function) {
        Reason argument{ReasonKind::Argument, e->op_span, e->name.ident.name, 0, nullptr, false};
        if (!agree(f->args[0], left.type)) mismatch(left_ast, left.type, f->args[0], argument);
        right_type = find(f->args[1])->args[0];
        value = find(f->args[1])->args[1];
        argument.index = 1;
        core::Expr* right = check_expr(e->right, right_type, argument);
        return {apply_named(e->name, function.expr, {left.expr, right}, e->span), value};
      }
      if (!agree(function.type, wanted))
        diagnostics_.report(Code::AppliedNonFunction, e->op_span,
                            "`" + std::string(text(e->name.ident.name)) +
                                "` is not a function of two arguments: its type is " +
                                describe(function.type));
      else if (!agree(find(wanted)->args[0], left.type))
        mismatch(left_ast, left.type, find(wanted)->args[0],
                 {ReasonKind::Argument, e->op_span, e->name.ident.name, 0, nullptr, false});
      core::Expr* right = check_expr(e->right, right_type, {});
      return {apply_named(e->name, function.expr, {left.expr, right}, e->span), value};
    }
  }
  return result(left.expr, types_.error());
}

// A primitive between backticks is applied without the lambda that its bare name would be.
core::Expr* Checker::apply_named(const ast::QualifiedIdent& name, core::Expr* function,
                                 std::vector<core::Expr*> args, Span span) {
  if (name.qualified || !lookup_local(name.ident.name))
    if (auto* entry = lookup_value(name, false); entry && entry->meaning.kind == Value::Primitive)
      return apply_known(entry->meaning, std::move(args), span);
  return make_apply(function, std::move(args), span);
}

// `(+)`, `(+ 1)`, `(1 +)`: the operator is typed as between two fresh variables.
Typed Checker::operator_function(BinaryOp op, Span span) {
  core::LocalId x = new_local(intern("x")), y = new_local(intern("y"));
  auto local = [&](core::LocalId id) {
    return arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, id});
  };
  OperatorType t = operator_type(op, span);
  core::Expr* body = op == BinaryOp::Cons
                         ? static_cast<core::Expr*>(arena_.make<core::ConstructExpr>(core::ConstructExpr{
                               {core::ExprKind::Construct, span},
                               types_.cons.name,
                               1,
                               arena_.copy(std::vector<core::Expr*>{local(x), local(y)})}))
                         : primitive(primitive_of(op), {local(x), local(y)}, span);
  core::LambdaExpr lambda{
      {core::ExprKind::Lambda, span}, arena_.copy(std::vector<core::LocalId>{x, y}), body};
  return {arena_.make<core::LambdaExpr>(lambda), types_.function(t.left, types_.function(t.right, t.result))};
}

Checker::OperatorType Checker::operator_type(BinaryOp op, Span span) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      Type* a = fresh(kNumber);
      return {a, a, a};
    }
    case BinaryOp::Mul: {
      Type *a = fresh(kNumber), *b = fresh(kNumber);
      return {a, b, product_or_wait({a, b, nullptr, op, {}, span, nullptr, nullptr})};
    }
    case BinaryOp::Pow: {
      Type* a = fresh(kNumber | kScalar);
      return {a, a, a};
    }
    case BinaryOp::Div: {
      Type *a = fresh(kNumber | kReal), *b = fresh_real();
      return {a, b, product_or_wait({a, b, nullptr, op, {}, span, nullptr, nullptr})};
    }
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: {
      Type* a = fresh(kEquality);
      return {a, a, types_.boolean()};
    }
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: {
      Type* a = fresh(kOrder);
      return {a, a, types_.boolean()};
    }
    case BinaryOp::And:
    case BinaryOp::Or: return {types_.boolean(), types_.boolean(), types_.boolean()};
    case BinaryOp::Cons: {
      Type* a = fresh();
      return {a, types_.list(a), types_.list(a)};
    }
    case BinaryOp::Append: {
      Type* a = types_.list(fresh());
      return {a, a, a};
    }
    case BinaryOp::Named: break;
  }
  return {types_.error(), types_.error(), types_.error()};
}

Typed Checker::infer_section(const ast::SectionExpr* e) {
  core::LocalId missing = new_local(intern("x"));
  core::Expr* hole = arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, e->span}, missing});
  OperatorType t = operator_type(e->op, e->span);
  Typed named{nullptr, nullptr};
  if (e->op == BinaryOp::Named) {
    named = infer_variable(e->name, e->name.ident.span);
    t = {fresh(), fresh(), fresh()};
    Type* wanted = types_.function(t.left, types_.function(t.right, t.result));
    if (!agree(named.type, wanted)) {
      diagnostics_.report(Code::AppliedNonFunction, e->name.ident.span,
                          "`" + std::string(text(e->name.ident.name)) +
                              "` is not a function of two arguments: its type is " + describe(named.type));
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
  core::Expr* body = e->op == BinaryOp::Cons
                         ? static_cast<core::Expr*>(arena_.make<core::ConstructExpr>(
                               core::ConstructExpr{{core::ExprKind::Construct, e->span},
                                                   types_.cons.name,
                                                   1,
                                                   arena_.copy(std::vector<core::Expr*>{left, right})}))
                     : e->op == BinaryOp::Named ? apply_named(e->name, named.expr, {left, right}, e->span)
                                                : primitive(primitive_of(e->op), {left, right}, e->span);
  core::LambdaExpr lambda{
      {core::ExprKind::Lambda, e->span}, arena_.copy(std::vector<core::LocalId>{missing}), body};
  return {arena_.make<core::LambdaExpr>(lambda), types_.function(argument, t.result)};
}

}  // namespace sigrel::check
