#include "compiler/exact/random_point.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace sigrel::exact {

namespace modular {

std::uint64_t power(std::uint64_t a, std::uint64_t n) {
  std::uint64_t r = 1;
  for (; n; n >>= 1, a = times(a, a))
    if (n & 1) r = times(r, a);
  return r;
}

std::uint64_t drawn(std::uint64_t kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull * (kind + 1);
  for (std::uint64_t x : {a, b, c}) {
    h = (h ^ x) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
    h *= 0xC4CEB9FE1A85EC53ull;
    h ^= h >> 32;
  }
  return h % (kPrime - 1) + 1;
}

}  // namespace modular

using namespace modular;

PointEvaluator::PointEvaluator(const ExprPool& pool, std::vector<ExprId> roots, const Zeros* zeros)
    : pool_(pool), zeros_(zeros), roots_(std::move(roots)) {
  nodes_ = topological(pool, roots_);
  value_.resize(nodes_.empty() ? 0 : nodes_.back().value + 1);
}

std::vector<std::uint64_t> PointEvaluator::row(std::span<const std::uint32_t> slots,
                                               std::span<const std::uint32_t> params) {
  for (ExprId id : nodes_) value_[id.value] = node(pool_[id], slots, params);
  std::vector<std::uint64_t> result;
  for (ExprId root : roots_) result.push_back(value_[root.value]);
  return result;
}

std::uint64_t PointEvaluator::node(const Node& n, std::span<const std::uint32_t> slots,
                                   std::span<const std::uint32_t> params) const {
  auto v = [&](std::uint32_t id) { return value_[id]; };
  switch (n.op) {
    case Op::Const:
      if (std::floor(n.value) == n.value && std::fabs(n.value) < 1e15)
        return n.value < 0 ? minus(static_cast<std::uint64_t>(-n.value))
                           : static_cast<std::uint64_t>(n.value);
      return n.value < 0 ? minus(drawn(1, std::bit_cast<std::uint64_t>(-n.value)))
                         : drawn(1, std::bit_cast<std::uint64_t>(n.value));
    case Op::Slot: return zeros_ && zeros_->variable(slots[n.a]) ? 0 : drawn(2, slots[n.a]);
    case Op::Param: return zeros_ && zeros_->parameter(params[n.a]) ? 0 : drawn(3, params[n.a]);
    case Op::Time: return drawn(4, 0);
    case Op::Neg: return minus(v(n.a));
    case Op::Add: return plus(v(n.a), v(n.b));
    case Op::Sub: return plus(v(n.a), minus(v(n.b)));
    case Op::Mul: return times(v(n.a), v(n.b));
    case Op::Div: return times(v(n.a), inverse(v(n.b)));
    case Op::PowInt: {
      auto e = static_cast<std::int32_t>(n.b);
      return power(e < 0 ? inverse(v(n.a)) : v(n.a), static_cast<std::uint64_t>(std::abs(std::int64_t{e})));
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
      if (v(n.a) == 0) return 0;
      [[fallthrough]];
    default: {
      int k = arity(n.op);
      return drawn(100 + static_cast<std::uint64_t>(n.op), v(n.a), k > 1 ? v(n.b) : 0, k > 2 ? v(n.c) : 0);
    }
  }
}

}  // namespace sigrel::exact
