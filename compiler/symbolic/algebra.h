// Short names for construction with simplification, and a map from the nodes of one expression to values.
// Internal to this folder.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/expr.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::symbolic {

inline ExprId unary(ExprPool& pool, Op op, ExprId a) { return simplified(pool, {op, a.value, 0, 0, 0}); }
inline ExprId binary(ExprPool& pool, Op op, ExprId a, ExprId b) {
  return simplified(pool, {op, a.value, b.value, 0, 0});
}
inline ExprId add(ExprPool& pool, ExprId a, ExprId b) { return binary(pool, Op::Add, a, b); }
inline ExprId sub(ExprPool& pool, ExprId a, ExprId b) { return binary(pool, Op::Sub, a, b); }
inline ExprId mul(ExprPool& pool, ExprId a, ExprId b) { return binary(pool, Op::Mul, a, b); }
inline ExprId div(ExprPool& pool, ExprId a, ExprId b) { return binary(pool, Op::Div, a, b); }
inline ExprId neg(ExprPool& pool, ExprId a) { return unary(pool, Op::Neg, a); }
inline ExprId power(ExprPool& pool, ExprId a, std::int32_t n) {
  return simplified(pool, {Op::PowInt, a.value, static_cast<std::uint32_t>(n), 0, 0});
}
inline ExprId select(ExprPool& pool, ExprId c, ExprId t, ExprId f) {
  return simplified(pool, {Op::Select, c.value, t.value, f.value, 0});
}

inline std::optional<double> constant_value(const ExprPool& pool, ExprId id) {
  const Node& n = pool[id];
  if (n.op == Op::Const) return n.value;
  return std::nullopt;
}
inline bool is_constant(const ExprPool& pool, ExprId id, double value) {
  const Node& n = pool[id];
  return n.op == Op::Const && n.value == value;
}
/// Whether this is a quotient by the number zero, or one that is rounded down, as in `mod`: it has no value,
/// and so has no multiple of it, not even by zero.
inline bool divides_by_zero(const ExprPool& pool, ExprId id) {
  const Node& n = pool[id].op == Op::Floor ? pool[ExprId{pool[id].a}] : pool[id];
  return n.op == Op::Div && is_constant(pool, ExprId{n.b}, 0);
}

/// The operands of a node.
inline std::span<const std::uint32_t> operands(const Node& n) {
  return {&n.a, static_cast<std::size_t>(arity(n.op))};
}

/// The nodes reachable from a root, in ascending order, with a value for each. Remains valid when nodes are
/// interned.
template <class T>
class PerNode {
 public:
  PerNode(const ExprPool& pool, ExprId root, T initial)
      : ids_(topological(pool, std::span<const ExprId>(&root, 1))), values_(ids_.size(), initial) {}
  std::size_t size() const { return ids_.size(); }
  ExprId id(std::size_t k) const { return ids_[k]; }
  T& at(std::size_t k) { return values_[k]; }
  T& operator[](ExprId id) {
    const std::size_t near = id.value - ids_.front().value;  // as a rule ids are consecutive
    if (near < ids_.size() && ids_[near] == id) return values_[near];
    return values_[static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin())];
  }

 private:
  std::vector<ExprId> ids_;
  std::vector<T> values_;
};

}  // namespace sigrel::symbolic
