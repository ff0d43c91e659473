// Operators and literals.
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
    return {arena_.make<core::RealExpr>(core::RealExpr{{core::ExprKind::Real, span}, static_cast<double>(value)}), types_.real()};
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
                                    ((needs & kReal) ? "Real" : (needs & kOrder) ? "Int, Real or String"
                                     : (needs & kEquality) ? "values that can be compared"
                                     : (needs & kScalar) ? "Int or Real" : "Int, Real or vectors of them") +
                                    ", found " + describe(type) + (why.empty() ? "" : ", because " + why));
  d.label("this is " + describe(type));
  if (origin) d.also(*origin, describe(type) + " comes from here");
  type = find(type);
  if ((needs & kReal) && is_int) d.help("`div` divides Ints; `real n` makes a Real of an Int");
  if (is_constructor(type, types_.string_constructor) && sign == "+") d.help("strings are joined with `++`");
  if (is_constructor(type, types_.list_constructor) && sign == "+") d.help("lists are joined with `++`");
  if (type->kind == TypeKind::Skolem) d.note("`" + std::string(text(type->name)) + "` stands for any type; write `Real` if a number is meant");
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record)
    d.help("arithmetic is on the fields, for example `." + std::string(type->constructor->fields.empty() ? "x" : text(type->constructor->fields[0].name)) + "`");
  return false;
}

// Scalar * vector and vector * scalar scale; a product of two scalars is a scalar. While an operand is unknown the
// product waits.
Type* Checker::product(Type* left, Type* right, Span span, const ast::Expr* left_ast, const ast::Expr* right_ast) {
  left = find(left);
  right = find(right);
  if (left->kind == TypeKind::Error || right->kind == TypeKind::Error) return types_.error();
  auto is_literal = [](Type* t) { return t->kind == TypeKind::Variable && (t->needs & kLiteral); };
  auto scalar = [&](Type* t) { return is_constructor(t, types_.real_constructor) || is_constructor(t, types_.integer_constructor); };
  if (scalar(left) && scalar(right)) {
    if (left->constructor != right->constructor) {
      mismatch(right_ast, right, left, {ReasonKind::Operand, left_ast->span, {}, 0, left_ast, true});
      return types_.error();
    }
    return left->constructor == &types_.real_constructor ? types_.real() : types_.integer();
  }
  if (is_literal(left) && scalar(right)) return unify(left, right), types_.apply(right->constructor, {});
  if (is_literal(right) && scalar(left)) return unify(right, left), types_.apply(left->constructor, {});
  if (is_literal(left) && is_literal(right)) return unify(left, right), left;
  auto vector = [&](Type* scale, Type* v, const ast::Expr* scale_ast) -> Type* {
    Type* element = v->args[0];
    while (find(element)->kind == TypeKind::Vector) element = find(element)->args[0];
    if (!unify(element, scale)) {
      mismatch(scale_ast, scale, element, {ReasonKind::Operand});
      return types_.error();
    }
    return v;
  };
  auto scales = [&](Type* t) { return scalar(t) || is_literal(t); };
  if (left->kind == TypeKind::Vector && scales(right)) return vector(right, left, right_ast);
  if (right->kind == TypeKind::Vector && scales(left)) return vector(left, right, left_ast);
  if (left->kind == TypeKind::Vector && right->kind == TypeKind::Vector) {
    diagnostics_.report(Code::OperandType, span, "a vector is multiplied by a vector")
        .help("elementwise: `[a[i] * b[i] for i in 1 .. n]`");
    return types_.error();
  }
  return nullptr;
}

Type* Checker::multiply(Type* left, Type* right, Span span, const ast::Expr* left_ast, const ast::Expr* right_ast) {
  if (Type* type = product(left, right, span, left_ast, right_ast)) return type;
  left = find(left);
  right = find(right);
  Type* result = fresh(kNumber | kPending);
  for (Type* t : {left, right})
    if (t->kind == TypeKind::Variable) t->needs |= kPending;
  products_.push_back({left, right, result, span, left_ast, right_ast});
  return result;
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
  Typed left = infer(leftmost, passes_hint ? hint : nullptr);
  const ast::Expr* left_ast = leftmost;
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    left = binary(*it, left, left_ast, hint);
    left_ast = *it;
  }
  return left;
}

Typed Checker::binary(const ast::BinaryExpr* e, Typed left, const ast::Expr* left_ast, Type*) {
  Reason operand{ReasonKind::Operand, left_ast->span, {}, 0, left_ast, true};
  std::string_view sign = sign_of(e->op);
  auto result = [&](core::Expr* right, Type* type) -> Typed {
    return {primitive(primitive_of(e->op), {left.expr, right}, e->span), type};
  };
  switch (e->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      if (!number_operand(left.type, kNumber, left_ast, sign)) return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right, left.type);
      if (!number_operand(right.type, kNumber, e->right, sign)) return result(right.expr, types_.error());
      if (!unify(left.type, right.type)) {
        mismatch(e->right, right.type, left.type, operand);
        return result(right.expr, types_.error());
      }
      return result(right.expr, left.type);
    }
    case BinaryOp::Mul: {
      if (!number_operand(left.type, kNumber, left_ast, sign)) return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right);
      if (!number_operand(right.type, kNumber, e->right, sign)) return result(right.expr, types_.error());
      return result(right.expr, multiply(left.type, right.type, e->span, left_ast, e->right));
    }
    case BinaryOp::Div: {
      if (!number_operand(left.type, kNumber | kReal, left_ast, sign)) return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right, types_.real());
      if (!number_operand(right.type, kNumber | kReal | kScalar, e->right, sign)) return result(right.expr, types_.error());
      if (!unify(types_.real(), right.type)) {
        mismatch(e->right, right.type, types_.real(), operand);
        return result(right.expr, types_.error());
      }
      Type* numerator = find(left.type);
      return result(right.expr, is_constructor(numerator, types_.real_constructor) ? types_.real() : numerator);
    }
    case BinaryOp::Pow: {
      if (!number_operand(left.type, kNumber | kScalar, left_ast, sign)) return result(infer(e->right).expr, types_.error());
      Typed right = infer(e->right);
      if (!number_operand(right.type, kNumber | kScalar, e->right, sign)) return result(right.expr, types_.error());
      if (is_constructor(right.type, types_.real_constructor) && !unify(left.type, types_.real())) {
        mismatch(e->right, right.type, left.type, {ReasonKind::Exponent});
        return result(right.expr, types_.error());
      }
      Type* base = find(left.type);
      return result(right.expr, is_constructor(base, types_.real_constructor) ? types_.real() : base);
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
      if (!unify(left.type, right.type)) mismatch(e->right, right.type, left.type, operand);
      return result(right.expr, types_.boolean());
    }
    case BinaryOp::And:
    case BinaryOp::Or: {
      if (!unify(types_.boolean(), left.type)) mismatch(left_ast, left.type, types_.boolean(), {ReasonKind::Condition});
      return result(check_expr(e->right, types_.boolean(), {ReasonKind::Condition}), types_.boolean());
    }
    case BinaryOp::Cons: {
      core::Expr* right = check_expr(e->right, types_.list(left.type), {ReasonKind::Element, left_ast->span, {}, 0, left_ast, true});
      core::ConstructExpr cell{{core::ExprKind::Construct, e->span}, types_.cons.name, 1, arena_.copy(std::vector<core::Expr*>{left.expr, right})};
      return {arena_.make<core::ConstructExpr>(cell), types_.list(left.type)};
    }
    case BinaryOp::Append: {
      Type* t = find(left.type);
      if (t->kind == TypeKind::Vector) {
        Type* other = types_.vector(t->args[0], fresh());
        core::Expr* right = check_expr(e->right, other, operand);
        return result(right, types_.vector(t->args[0], fresh()));
      }
      if (is_constructor(t, types_.string_constructor)) return result(check_expr(e->right, types_.string(), operand), types_.string());
      Typed right = infer(e->right, left.type);
      if (t->kind == TypeKind::Variable && is_constructor(right.type, types_.string_constructor)) {
        unify(t, types_.string());
        return result(right.expr, types_.string());
      }
      Type* list = types_.list(fresh());
      if (!unify(list, left.type)) {
        number_operand(types_.error(), 0, left_ast, sign);
        diagnostics_.report(Code::OperandType, left_ast->span, "`++` joins lists, strings and vectors, found " + describe(left.type));
        return result(right.expr, types_.error());
      }
      if (!unify(list, right.type)) mismatch(e->right, right.type, list, operand);
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
        if (!unify(f->args[0], left.type)) mismatch(left_ast, left.type, f->args[0], argument);
        right_type = find(f->args[1])->args[0];
        value = find(f->args[1])->args[1];
        argument.index = 1;
        core::Expr* right = check_expr(e->right, right_type, argument);
        return {apply_named(e->name, function.expr, {left.expr, right}, e->span), value};
      }
      if (!unify(function.type, wanted))
        diagnostics_.report(Code::AppliedNonFunction, e->op_span, "`" + std::string(text(e->name.ident.name)) + "` is not a function of two arguments: its type is " + describe(function.type));
      else
        unify(find(wanted)->args[0], left.type);
      core::Expr* right = check_expr(e->right, right_type, {});
      return {apply_named(e->name, function.expr, {left.expr, right}, e->span), value};
    }
  }
  return result(left.expr, types_.error());
}

// A primitive between backticks is applied without the lambda that its bare name would be.
core::Expr* Checker::apply_named(const ast::QualifiedIdent& name, core::Expr* function, std::vector<core::Expr*> args, Span span) {
  if (name.qualified || !lookup_local(name.ident.name))
    if (auto* entry = lookup_value(name, false); entry && entry->meaning.kind == Value::Primitive)
      return apply_known(entry->meaning, std::move(args), span);
  return make_apply(function, std::move(args), span);
}

// `(+)`, `(+ 1)`, `(1 +)`: the operator is typed as between two fresh variables.
Typed Checker::operator_function(BinaryOp op, Span span) {
  core::LocalId x = new_local(intern("x")), y = new_local(intern("y"));
  auto local = [&](core::LocalId id) { return arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, id}); };
  OperatorType t = operator_type(op);
  core::Expr* body = op == BinaryOp::Cons
                         ? static_cast<core::Expr*>(arena_.make<core::ConstructExpr>(core::ConstructExpr{
                               {core::ExprKind::Construct, span}, types_.cons.name, 1, arena_.copy(std::vector<core::Expr*>{local(x), local(y)})}))
                         : primitive(primitive_of(op), {local(x), local(y)}, span);
  core::LambdaExpr lambda{{core::ExprKind::Lambda, span}, arena_.copy(std::vector<core::LocalId>{x, y}), body};
  return {arena_.make<core::LambdaExpr>(lambda), types_.function(t.left, types_.function(t.right, t.result))};
}

Checker::OperatorType Checker::operator_type(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      Type* a = fresh(kNumber);
      return {a, a, a};
    }
    case BinaryOp::Mul:
    case BinaryOp::Pow: {
      Type* a = fresh(kNumber | kScalar);
      return {a, a, a};
    }
    case BinaryOp::Div: return {types_.real(), types_.real(), types_.real()};
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
  OperatorType t = operator_type(e->op);
  Typed named{nullptr, nullptr};
  if (e->op == BinaryOp::Named) {
    named = infer_variable(e->name, e->name.ident.span);
    t = {fresh(), fresh(), fresh()};
    Type* wanted = types_.function(t.left, types_.function(t.right, t.result));
    if (!unify(named.type, wanted)) {
      diagnostics_.report(Code::AppliedNonFunction, e->name.ident.span,
                          "`" + std::string(text(e->name.ident.name)) + "` is not a function of two arguments: its type is " + describe(named.type));
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
                         ? static_cast<core::Expr*>(arena_.make<core::ConstructExpr>(core::ConstructExpr{
                               {core::ExprKind::Construct, e->span}, types_.cons.name, 1, arena_.copy(std::vector<core::Expr*>{left, right})}))
                     : e->op == BinaryOp::Named ? apply_named(e->name, named.expr, {left, right}, e->span)
                                                : primitive(primitive_of(e->op), {left, right}, e->span);
  core::LambdaExpr lambda{{core::ExprKind::Lambda, e->span}, arena_.copy(std::vector<core::LocalId>{missing}), body};
  return {arena_.make<core::LambdaExpr>(lambda), types_.function(argument, t.result)};
}

}  // namespace sigrel::check
