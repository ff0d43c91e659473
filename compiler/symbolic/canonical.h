// Sums of products, in which like terms are collected. Internal to this folder (canonical.cpp,
// trigonometry.cpp).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/expr.h"

namespace sigrel::symbolic {

/// base^exponent. Positive and negative powers of a base are kept apart: x / x is not 1 where x is 0.
struct Factor {
  ExprId base;
  std::int32_t exponent = 1;
  std::uint64_t rank = 0;  // of the base: depends on its structure, not on the pool

  bool operator==(const Factor& o) const { return base == o.base && exponent == o.exponent; }
  bool same_place(const Factor& o) const { return base == o.base && (exponent < 0) == (o.exponent < 0); }
  bool before(const Factor& o) const {
    if (rank != o.rank) return rank < o.rank;
    if (base != o.base) return base < o.base;
    return exponent > 0 && o.exponent < 0;
  }
};

/// coefficient * factors; the factors are sorted by `before`, without repetition.
struct Term {
  double coefficient = 0;
  std::vector<Factor> factors;
};
using Sum = std::vector<Term>;

/// The interface of the canonicaliser for the rules.
class SumBuilder {
 public:
  virtual Factor factor(ExprId base) = 0;
  /// sin or cos of x + sign * y, with the sign in front that makes the argument start with a positive term.
  virtual std::pair<double, ExprId> trigonometric(Op op, ExprId x, double sign, ExprId y) = 0;
  virtual ExprPool& pool() = 0;

 protected:
  ~SumBuilder() = default;
};

/// Applies identities once to a sum without like terms: sin² + cos² = 1, and the sine and cosine of sums and
/// differences of angles. Returns whether the sum changed; it may have like terms afterwards.
bool apply_trigonometry(SumBuilder& builder, Sum& sum);

}  // namespace sigrel::symbolic
