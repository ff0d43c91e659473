#include "compiler/exact/random_point.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace sigrel::exact {

Field random_element(Coordinate kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull * (static_cast<std::uint64_t>(kind) + 1);
  for (std::uint64_t x : {a, b, c}) {
    h = (h ^ x) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
    h *= 0xC4CEB9FE1A85EC53ull;
    h ^= h >> 32;
  }
  return Field::from_bits(h);
}

PointEvaluator::PointEvaluator(const ExprPool& pool, std::vector<ExprId> roots, const Zeros* zeros)
    : pool_(pool), zeros_(zeros), roots_(std::move(roots)) {
  nodes_ = topological(pool, roots_);
  value_.resize(nodes_.empty() ? 0 : nodes_.back().value + 1);
}

std::vector<Field> PointEvaluator::row(std::span<const std::uint32_t> slots,
                                       std::span<const std::uint32_t> params) {
  for (ExprId id : nodes_) value_[id.value] = node(pool_[id], slots, params);
  std::vector<Field> result;
  for (ExprId root : roots_) result.push_back(value_[root.value]);
  return result;
}

Field PointEvaluator::node(const Node& n, std::span<const std::uint32_t> slots,
                           std::span<const std::uint32_t> params) const {
  auto v = [&](std::uint32_t id) { return value_[id]; };
  switch (n.op) {
    case Op::Const: {
      if (std::floor(n.value) == n.value && std::fabs(n.value) < 1e15)
        return Field(static_cast<std::int64_t>(n.value));
      const Field magnitude =
          random_element(Coordinate::Number, std::bit_cast<std::uint64_t>(std::fabs(n.value)));
      return n.value < 0 ? -magnitude : magnitude;
    }
    case Op::Slot:
      if (zeros_ && zeros_->variable(slots[n.a])) return Field{};
      return random_element(Coordinate::Variable, slots[n.a]);
    case Op::Param:
      if (zeros_ && zeros_->parameter(params[n.a])) return Field{};
      return random_element(Coordinate::Parameter, params[n.a]);
    case Op::Time: return random_element(Coordinate::Time, 0);
    case Op::Neg: return -v(n.a);
    case Op::Add: return v(n.a) + v(n.b);
    case Op::Sub: return v(n.a) - v(n.b);
    case Op::Mul: return v(n.a) * v(n.b);
    case Op::Div: return v(n.a) * v(n.b).inverse();
    case Op::PowInt: {
      auto e = static_cast<std::int32_t>(n.b);
      return (e < 0 ? v(n.a).inverse() : v(n.a)).power(static_cast<std::uint64_t>(std::abs(std::int64_t{e})));
    }
    case Op::Abs:
    case Op::Sign:
    case Op::Sqrt:
    case Op::Sin:
    case Op::Tan:
    case Op::Asin:
    case Op::Atan:
    case Op::Sinh:
    case Op::Tanh:
    case Op::Asinh:
    case Op::Atanh:
      if (v(n.a).zero()) return Field{};
      [[fallthrough]];
    default: {
      int k = arity(n.op);
      const auto function = static_cast<Coordinate>(static_cast<std::uint64_t>(Coordinate::Function) +
                                                    static_cast<std::uint64_t>(n.op));
      return random_element(function, v(n.a).residue(), k > 1 ? v(n.b).residue() : 0,
                            k > 2 ? v(n.c).residue() : 0);
    }
  }
}

}  // namespace sigrel::exact
