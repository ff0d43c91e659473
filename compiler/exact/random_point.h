// Expressions at a random point modulo a prime: what holds there holds for almost all values, and what is not
// zero there is not zero in general (Schwartz 1980; Zippel 1979). An expression counts by its value, equal
// expressions alike, so that a cancellation which holds for all values is seen, and one that needs a special
// value is not. The point is always the same.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/ir/expr.h"

namespace sigrel::exact {

/// Numbers modulo 2^61 - 1.
namespace modular {

constexpr std::uint64_t kPrime = (1ull << 61) - 1;

inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  std::uint64_t folded =
      static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return folded >= kPrime ? folded - kPrime : folded;
}
inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return (a += b) >= kPrime ? a - kPrime : a; }
inline std::uint64_t minus(std::uint64_t a) { return a == 0 ? 0 : kPrime - a; }
std::uint64_t power(std::uint64_t a, std::uint64_t n);
inline std::uint64_t inverse(std::uint64_t a) { return power(a, kPrime - 2); }
/// A number that depends on nothing but its arguments.
std::uint64_t drawn(std::uint64_t kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

}  // namespace modular

/// What is zero at the point, whatever is drawn for the others.
struct Zeros {
  std::vector<bool> variables, parameters;  // numbers beyond their ends are not zero
  bool variable(std::uint32_t v) const { return v < variables.size() && variables[v]; }
  bool parameter(std::uint32_t p) const { return p < parameters.size() && parameters[p]; }
};

/// Values of a shape's expressions for one row after the other.
class PointEvaluator {
 public:
  PointEvaluator(const ExprPool& pool, std::vector<ExprId> roots, const Zeros* zeros = nullptr);
  /// One value per root. `slots` and `params` are the variables and parameters of the row: they decide the
  /// values of leaves.
  std::vector<std::uint64_t> row(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> params);

 private:
  std::uint64_t node(const Node& n, std::span<const std::uint32_t> slots,
                     std::span<const std::uint32_t> params) const;
  const ExprPool& pool_;
  const Zeros* zeros_;
  std::vector<ExprId> roots_, nodes_;
  std::vector<std::uint64_t> value_;  // by number of the node
};

}  // namespace sigrel::exact
