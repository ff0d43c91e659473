// Local simplification, and rewriting of whole expressions with it. A rule inspects a node and its operands
// only, so that the cost is linear; the operands must be simplified already.
#include <cmath>
#include <limits>

#include "compiler/ir/library.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::symbolic {
namespace {

ExprId number(ExprPool& pool, double v) { return pool.constant(v == 0 ? 0.0 : v); }  // no negative zero

/// The operand of a negation; a negative constant counts as one.
std::optional<ExprId> negated(ExprPool& pool, ExprId id) {
  const Node n = pool[id];
  if (n.op == Op::Neg) return ExprId{n.a};
  if (n.op == Op::Const && n.value < 0) return number(pool, -n.value);
  return std::nullopt;
}

ExprId negation(ExprPool& pool, ExprId a) {
  const Node n = pool[a];
  switch (n.op) {
    case Op::Const: return number(pool, -n.value);
    case Op::Neg: return ExprId{n.a};
    case Op::Sub: return pool.binary(Op::Sub, ExprId{n.b}, ExprId{n.a});
    case Op::Mul:
    case Op::Div:
      if (auto c = constant_value(pool, ExprId{n.a}))
        return pool.binary(n.op, number(pool, -*c), ExprId{n.b});
      break;
    default: break;
  }
  return pool.unary(Op::Neg, a);
}

/// Splits off a leading constant factor.
std::pair<double, ExprId> scaled(const ExprPool& pool, ExprId id) {
  const Node& n = pool[id];
  if (n.op == Op::Neg) return {-1.0, ExprId{n.a}};
  if (n.op == Op::Mul)
    if (auto c = constant_value(pool, ExprId{n.a})) return {*c, ExprId{n.b}};
  return {1.0, id};
}

ExprId sum(ExprPool& pool, ExprId a, ExprId b) {
  auto ca = constant_value(pool, a), cb = constant_value(pool, b);
  if (ca && *ca == 0) return b;
  if (cb && *cb == 0) return a;
  if (ca && !cb) return sum(pool, b, a);  // constants are on the right
  auto [fa, xa] = scaled(pool, a);
  auto [fb, xb] = scaled(pool, b);
  if (xa == xb) return binary(pool, Op::Mul, number(pool, fa + fb), xa);
  if (auto nb = negated(pool, b)) return binary(pool, Op::Sub, a, *nb);
  if (pool[a].op == Op::Neg) return binary(pool, Op::Sub, b, ExprId{pool[a].a});
  return pool.binary(Op::Add, a, b);
}

ExprId difference(ExprPool& pool, ExprId a, ExprId b) {
  if (a == b) return pool.constant(0.0);
  if (is_constant(pool, b, 0)) return a;
  if (is_constant(pool, a, 0)) return negation(pool, b);
  auto [fa, xa] = scaled(pool, a);
  auto [fb, xb] = scaled(pool, b);
  if (xa == xb) return binary(pool, Op::Mul, number(pool, fa - fb), xa);
  if (auto nb = negated(pool, b)) return sum(pool, a, *nb);
  if (pool[a].op == Op::Neg) return negation(pool, sum(pool, ExprId{pool[a].a}, b));
  return pool.binary(Op::Sub, a, b);
}

ExprId product(ExprPool& pool, ExprId a, ExprId b) {
  auto ca = constant_value(pool, a), cb = constant_value(pool, b);
  if (cb && !ca) return product(pool, b, a);  // constants are on the left
  if (ca) {
    if (*ca == 0) return divides_by_zero(pool, b) ? pool.binary(Op::Mul, a, b) : pool.constant(0.0);
    if (*ca == 1) return b;
    if (*ca == -1) return negation(pool, b);
    const Node n = pool[b];
    if (n.op == Op::Neg) return product(pool, number(pool, -*ca), ExprId{n.a});
    if (n.op == Op::Mul)
      if (auto inner = constant_value(pool, ExprId{n.a}))
        return product(pool, number(pool, *ca * *inner), ExprId{n.b});
    if (n.op == Op::Div)
      if (auto inner = constant_value(pool, ExprId{n.a}))
        return binary(pool, Op::Div, number(pool, *ca * *inner), ExprId{n.b});
    return pool.binary(Op::Mul, a, b);
  }
  const Node na = pool[a], nb = pool[b];
  if (na.op == Op::Neg && nb.op == Op::Neg) return product(pool, ExprId{na.a}, ExprId{nb.a});
  if (na.op == Op::Neg) return negation(pool, product(pool, ExprId{na.a}, b));
  if (nb.op == Op::Neg) return negation(pool, product(pool, a, ExprId{nb.a}));
  if (a == b) return power(pool, a, 2);
  for (auto [x, y] : {std::pair{a, nb}, std::pair{b, na}})
    if (y.op == Op::PowInt && y.a == x.value && static_cast<std::int32_t>(y.b) > 0)
      return power(pool, x, static_cast<std::int32_t>(y.b) + 1);
  if (na.op == Op::Mul && pool[ExprId{na.a}].op == Op::Const)  // (c x) y = c (x y)
    return product(pool, ExprId{na.a}, product(pool, ExprId{na.b}, b));
  if (nb.op == Op::Mul && pool[ExprId{nb.a}].op == Op::Const)
    return product(pool, ExprId{nb.a}, product(pool, a, ExprId{nb.b}));
  if (na.op == Op::Div && is_constant(pool, ExprId{na.a}, 1)) return pool.binary(Op::Div, b, ExprId{na.b});
  if (nb.op == Op::Div && is_constant(pool, ExprId{nb.a}, 1)) return pool.binary(Op::Div, a, ExprId{nb.b});
  return pool.binary(Op::Mul, a, b);
}

ExprId quotient(ExprPool& pool, ExprId a, ExprId b) {
  if (is_constant(pool, a, 0) && !constant_value(pool, b)) return a;
  if (is_constant(pool, b, 1)) return a;
  if (is_constant(pool, b, -1)) return negation(pool, a);
  const Node na = pool[a], nb = pool[b];
  if (na.op == Op::Neg && nb.op == Op::Neg) return quotient(pool, ExprId{na.a}, ExprId{nb.a});
  if (na.op == Op::Neg) return negation(pool, quotient(pool, ExprId{na.a}, b));
  if (nb.op == Op::Neg) return negation(pool, quotient(pool, a, ExprId{nb.a}));
  return pool.binary(Op::Div, a, b);
}

ExprId integer_power(ExprPool& pool, ExprId a, std::int32_t n) {
  if (n == 0) return pool.constant(1.0);
  if (n == 1) return a;
  const Node na = pool[a];
  if (na.op == Op::Neg) {
    ExprId p = integer_power(pool, ExprId{na.a}, n);
    return n % 2 == 0 ? p : negation(pool, p);
  }
  if (na.op == Op::PowInt) {
    std::int64_t m = std::int64_t{static_cast<std::int32_t>(na.b)} * n;
    if (static_cast<std::int32_t>(na.b) > 0 && n > 0 && m <= std::numeric_limits<std::int32_t>::max())
      return pool.power(ExprId{na.a}, static_cast<std::int32_t>(m));
  }
  return pool.power(a, n);
}

/// The value, if all operands are numbers and the result is finite.
std::optional<double> folded(const ExprPool& pool, const Node& n) {
  if (uses_library(n.op)) return std::nullopt;
  double v[3] = {0, 0, 0};
  std::size_t k = 0;
  for (std::uint32_t operand : operands(n)) {
    const Node& o = pool[ExprId{operand}];
    if (o.op != Op::Const) return std::nullopt;
    v[k++] = o.value;
  }
  if (k == 0) return std::nullopt;
  if (n.op == Op::PowInt) v[1] = static_cast<std::int32_t>(n.b);
  double value = apply(n.op, v[0], v[1], v[2]);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

ExprId simplified(ExprPool& pool, const Node& node) {
  const Node n = node;  // a copy: `node` may be in the pool, which grows
  if (auto value = folded(pool, n)) return number(pool, *value);
  ExprId a{n.a}, b{n.b}, c{n.c};
  switch (n.op) {
    case Op::Const: return number(pool, n.value);
    case Op::Slot:
    case Op::Der:
    case Op::Param:
    case Op::Time: return pool.intern(n);
    case Op::Neg: return negation(pool, a);
    case Op::Add: return sum(pool, a, b);
    case Op::Sub: return difference(pool, a, b);
    case Op::Mul: return product(pool, a, b);
    case Op::Div: return quotient(pool, a, b);
    case Op::PowInt: return integer_power(pool, a, static_cast<std::int32_t>(n.b));
    case Op::Pow:
      if (auto e = constant_value(pool, b); e && std::floor(*e) == *e && std::fabs(*e) <= 1e9)
        return integer_power(pool, a, static_cast<std::int32_t>(*e));
      return pool.intern(n);
    case Op::Abs: {
      const Node na = pool[a];
      if (na.op == Op::Neg) return pool.intern({Op::Abs, na.a, 0, 0, n.value});
      if (na.op == Op::Abs) return a;
      return pool.intern(n);
    }
    case Op::Min:
    case Op::Max: return a == b ? a : pool.intern(n);
    case Op::And:
    case Op::Or: {
      // A neutral constant is dropped if the other operand is 0 or 1; an absorbing one is the result.
      bool conjunction = n.op == Op::And;
      for (auto [x, y] : {std::pair{a, b}, std::pair{b, a}})
        if (auto v = constant_value(pool, x)) {
          if ((*v != 0) != conjunction) return pool.constant(conjunction ? 0.0 : 1.0);
          if (is_condition(pool[y].op)) return y;
        }
      return a == b && is_condition(pool[a].op) ? a : pool.intern(n);
    }
    case Op::Not: {
      const Node na = pool[a];
      return na.op == Op::Not && is_condition(pool[ExprId{na.a}].op) ? ExprId{na.a} : pool.intern(n);
    }
    case Op::Select: {
      if (auto v = constant_value(pool, a)) return *v != 0 ? b : c;
      if (b == c) return b;
      const Node na = pool[a];
      return na.op == Op::Not ? pool.select(ExprId{na.a}, c, b) : pool.intern(n);
    }
    default: return pool.intern(n);
  }
}

ExprId rewrite(const ExprPool& from, ExprId root, ExprPool& to,
               const std::function<ExprId(const Node&)>& leaf) {
  PerNode<ExprId> image(from, root, ExprId{});
  for (std::size_t k = 0; k < image.size(); ++k) {
    Node n = from[image.id(k)];
    switch (arity(n.op)) {
      case 0: image.at(k) = leaf(n); continue;
      case 3: n.c = image[ExprId{n.c}].value; [[fallthrough]];
      case 2: n.b = image[ExprId{n.b}].value; [[fallthrough]];
      default: n.a = image[ExprId{n.a}].value;
    }
    image.at(k) = simplified(to, n);
  }
  return image.at(image.size() - 1);
}

bool depends_on(const ExprPool& pool, ExprId root, std::uint32_t slot) {
  for (ExprId id : topological(pool, std::span<const ExprId>(&root, 1))) {
    const Node& n = pool[id];
    if ((n.op == Op::Slot || n.op == Op::Der) && n.a == slot) return true;
  }
  return false;
}

ExprId without_events(ExprPool& pool, ExprId root) {
  std::vector<ExprId> ids = topological(pool, std::span<const ExprId>(&root, 1)), image(ids.size());
  auto of = [&](std::uint32_t id) {
    return image[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin())].value;
  };
  for (std::size_t k = 0; k < ids.size(); ++k) {
    Node node = pool[ids[k]];
    switch (arity(node.op)) {
      case 3: node.c = of(node.c); [[fallthrough]];
      case 2: node.b = of(node.b); [[fallthrough]];
      case 1: node.a = of(node.a); break;
      default: break;
    }
    image[k] = pool.intern(sigrel::without_events(node));
  }
  return image.back();
}

}  // namespace sigrel::symbolic
