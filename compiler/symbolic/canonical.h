// Sums of products, the form in which like terms meet: inside this folder only (canonical.cpp,
// trigonometry.cpp).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/expr.h"

namespace sigrel::symbolic {

/// base^exponent. Positive and negative powers of a base stay apart: x / x is not 1 where x is 0.
struct Factor {
  ExprId base;
  std::int32_t exponent = 1;
  std::uint64_t rank = 0;  // of the base: depends on what it says, not on the pool

  bool operator==(const Factor& o) const { return base == o.base && exponent == o.exponent; }
  bool same_place(const Factor& o) const { return base == o.base && (exponent < 0) == (o.exponent < 0); }
  bool before(const Factor& o) const {
    if (rank != o.rank) return rank < o.rank;
    if (base != o.base) return base < o.base;
    return exponent > 0 && o.exponent < 0;
  }
};

/// coefficient * factors, which are sorted by `before`, each place once.
struct Term {
  double coefficient = 0;
  std::vector<Factor> factors;
};
using Sum = std::vector<Term>;

/// What the rules need of the canonicaliser.
class SumBuilder {
 public:
  virtual Factor factor(ExprId base) = 0;
  /// sin or cos of x + sign * y, and the sign in front of it: the argument starts with a positive term.
  virtual std::pair<double, ExprId> trigonometric(Op op, ExprId x, double sign, ExprId y) = 0;
  virtual ExprPool& pool() = 0;

 protected:
  ~SumBuilder() = default;
};

/// One round of identities on a sum without like terms: sin² + cos² = 1, and the sine and cosine of sums and
/// differences of angles. True when something changed; like terms may have appeared.
bool apply_trigonometry(SumBuilder& builder, Sum& sum);

}  // namespace sigrel::symbolic
