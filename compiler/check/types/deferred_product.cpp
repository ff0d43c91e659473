// Products, quotients and powers: units multiply, the inner sizes of matrices agree.
#include "compiler/check/types/deferred.h"

namespace sigrel::check {

using ast::BinaryOp;

namespace {

Type* scalar_of(Type* type) {
  for (type = find(type); type->kind == TypeKind::Vector;) type = find(type->args[0]);
  return type;
}

int rank(Type* type) {
  int n = 0;
  for (type = find(type); type->kind == TypeKind::Vector; type = find(type->args[0])) ++n;
  return n;
}

bool is_literal(Type* type) { return type->kind == TypeKind::Variable && (type->needs & kLiteral); }

}  // namespace

Type* DeferredConstraints::product(Product p) {
  if (Type* type = solve_product(p)) return type;
  p.result = unifier_.fresh(kNumber | kPending);
  for (Type* t : {p.left, p.right})
    if (is_variable(t)) find(t)->needs |= kPending;
  products_.push_back(p);
  return p.result;
}

std::size_t DeferredConstraints::add_rate(Type* type, Type* result, Span span) {
  Linear rate;
  rate.constant[2] = {-1, 1};
  for (Type* t : {type, result}) find(t)->needs |= kPending;
  products_.push_back(
      {type, types_.real(types_.form(rate, Sort::Unit)), result, BinaryOp::Mul, {}, span, nullptr, nullptr});
  return products_.size() - 1;
}

void DeferredConstraints::try_product(std::size_t index) {
  Type* type = solve_product(products_[index]);
  if (!type) return;
  products_[index].done = true;
  unifier_.unify(products_[index].result, type);
}

/// The type of the product; null while the type of an operand is needed and not known.
Type* DeferredConstraints::solve_product(const Product& p) {
  Type *left = find(p.left), *right = find(p.right);
  if (left->kind == TypeKind::Error || right->kind == TypeKind::Error) return types_.error();
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
    unifier_.unify(left, same(right));
  else if (is_literal(right) && scalar(left))
    unifier_.unify(right, same(left));
  else if (is_literal(left) && is_literal(right))
    return unifier_.unify(left, divides ? types_.number() : right), unifier_.unify(left, right), find(left);
  left = find(left);
  right = find(right);
  if (scalar(left) && scalar(right)) {
    if (left->constructor != right->constructor) return factors_differ(p, left, right);
    return real(left) ? scaled(left, right->args[0], {divides ? -1 : 1, 1}) : types_.integer();
  }
  auto scales = [&](Type* t) { return scalar(t) || is_literal(t); };
  if (left->kind == TypeKind::Vector && scales(right)) return scale_vector(left, right, p.right_ast, p);
  if (right->kind == TypeKind::Vector && scales(left) && !divides)
    return scale_vector(right, left, p.left_ast, p);
  if (left->kind == TypeKind::Vector && right->kind == TypeKind::Vector && !divides)
    return vector_product(left, right, p);
  return nullptr;
}

/// A vector is scaled by a scalar of its element's kind.
Type* DeferredConstraints::scale_vector(Type* vector, Type* by, const ast::Expr* by_ast, const Product& p) {
  auto real = [&](Type* t) { return is_constructor(t, types_.real_constructor); };
  auto scalar = [&](Type* t) { return real(t) || is_constructor(t, types_.integer_constructor); };
  Type* element = scalar_of(vector);
  if (element->kind == TypeKind::Variable && !is_literal(element)) {
    if (is_literal(by)) return nullptr;
    unifier_.unify(element, real(by) ? unifier_.fresh_real() : types_.integer());
    element = scalar_of(vector);
  }
  if (is_literal(by)) unifier_.unify(by, real(element) ? types_.number() : types_.integer());
  by = find(by);
  if (element->kind == TypeKind::Error || by->kind == TypeKind::Error) return types_.error();
  if (!scalar(by) || !scalar(element) || element->constructor != by->constructor) {
    if (by_ast)
      messages_.mismatch(by_ast, by, element, {ReasonKind::Operand});
    else
      messages_.mismatch_at(p.span, by, element, {ReasonKind::Operand}, {}, {});
    return types_.error();
  }
  return real(by) ? scaled(vector, by->args[0], {p.op == BinaryOp::Div ? -1 : 1, 1}) : vector;
}

/// Int times Real, or an operand that is not a number.
Type* DeferredConstraints::factors_differ(const Product& p, Type* left, Type* right) {
  if (!p.left_ast || !p.right_ast)
    messages_.mismatch_at(p.span, right, left, {ReasonKind::Operand}, {}, {});
  else
    messages_.mismatch(p.right_ast, right, left,
                       {ReasonKind::Operand, p.left_ast->span, {}, 0, p.left_ast, true});
  return types_.error();
}

// Matrix * vector, vector * matrix, matrix * matrix: the inner sizes agree.
Type* DeferredConstraints::vector_product(Type* left, Type* right, const Product& p) {
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
  if (!unifier_.unify_sizes(row->args[1], right->args[1])) {
    TypePrinter printer(types_);
    std::string columns = printer.print(row->args[1]), rows = printer.print(right->args[1]);
    auto& d = diagnostics_.report(Code::TypeMismatch, p.span,
                                  "the sizes of this product do not fit: " + messages_.describe(left) +
                                      " times " + messages_.describe(right));
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

/// `type` with its scalars multiplied by `unit`^`power`.
Type* DeferredConstraints::scaled(Type* type, Type* unit, Ratio power) {
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

/// An undetermined operand is taken for a number like the other one, a literal for one without a unit.
void DeferredConstraints::guess_operand(Type* operand, Type* other) {
  Type* v = find(operand);
  if (v->kind != TypeKind::Variable) return;
  bool may_be_int = !(v->needs & kReal);
  if (may_be_int && (is_constructor(other, types_.integer_constructor) ||
                     ((v->needs & kLiteral) && is_variable(other) && (find(other)->needs & kLiteral))))
    unifier_.unify(v, types_.integer());
  else
    unifier_.unify(v, (v->needs & kLiteral) ? types_.number() : unifier_.fresh_real());
}

bool DeferredConstraints::solve_products(bool defaults) {
  bool progress = false;
  for (std::size_t i = 0; i < products_.size(); ++i) {
    Product p = products_[i];
    if (p.done) continue;
    Type* result = find(p.result);
    // A scalar product has scalar factors.
    if (is_constructor(result, types_.real_constructor) ||
        is_constructor(result, types_.integer_constructor)) {
      guess_operand(p.left, result);
      guess_operand(p.right, result);
    }
    if (defaults) {
      guess_operand(p.left, p.right);
      guess_operand(p.right, p.left);
    }
    Type* type = solve_product(p);
    if (!type) continue;
    products_[i].done = progress = true;
    if (!unifier_.agree(p.result, type))
      messages_.mismatch_at(p.span, type, p.result, {}, "it is this product", {});
    if (defaults) break;  // one choice may determine others
  }
  return progress;
}

}  // namespace sigrel::check
