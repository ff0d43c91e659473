// Linear systems with a fixed sparse pattern and changing values, and the choice of their solver:
//
//   at most kDenseLimit unknowns           dense LU                                        dense_factors.h
//   more                                   pivots by KLU, once                             sparse_lu.h
//     little fill-in                         factors by rows                               sparse_factors.h
//     much (kDenseWork multiplications
//     for each entry of a factor)            factors by dense fronts, vectorised           frontal_factors.h
//   order of elimination                   by the graph of the pattern                     ordering.h
//   rows of a matrix with fronts           permuted: large entries on the diagonal  weighted_matching.h
//
// Rows are scaled by their largest entry, so a pivot can be judged against its column whatever the units of
// the rows. While values change only a little the pivots are kept; KLU chooses new ones when they grow bad.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/linear/dense_factors.h"
#include "runtime/linear/ordering.h"
#include "runtime/linear/sparse_pattern.h"

namespace runtime {

/// Up to this many unknowns dense factors are faster. A plan tears blocks of up to BlockTearing::kSmallBlock
/// equations, which may not be more, for dense factors.
constexpr std::size_t kDenseLimit = 50;

class SparseLu;

class LinearSystem {
 public:
  explicit LinearSystem(SparsePattern pattern, std::size_t dense_limit = kDenseLimit,
                        Ordering ordering = Ordering::Auto);
  ~LinearSystem();
  LinearSystem(LinearSystem&&) noexcept;
  LinearSystem& operator=(LinearSystem&&) noexcept;

  const SparsePattern& pattern() const { return pattern_; }
  /// The values of the matrix, in the order of the pattern.
  std::span<double> values() { return values_; }
  bool is_dense() const { return !sparse_; }
  /// The factors in use, as statistics name them: "dense", "sparse rows" or "multifrontal". The choice
  /// between the last two is made by the first factorisation.
  std::string_view method() const;
  /// The ordering of the last factors, of the largest diagonal block.
  Ordering ordered_by() const;

  /// Of the last factors: those that are stored.
  std::size_t factor_entries() const;
  /// How often pivots have been chosen for a sparse matrix; other factorisations have used old ones.
  std::uint64_t pivot_choices() const;

  enum class Status : std::uint8_t { Ok, Singular, NotFinite };
  /// Factorises the current values. A pivot of the size of a rounding error in its column, for values that
  /// are accurate to `least` (relative), makes the matrix singular: `singular_column` then depends on others.
  /// With `least` 0 only a pivot of 0 does.
  Status factor(double least = std::numeric_limits<double>::epsilon());
  std::uint32_t singular_column() const { return singular_column_; }
  /// Of the last matrix.
  int determinant_sign() const;
  /// Of the last matrix: the smallest pivot, with rows scaled to a largest entry of 1; and the largest entry
  /// of each row, by which it was divided. Where one of these has become small the matrix may be singular.
  double smallest_pivot() const;
  std::span<const double> row_scales() const { return row_scale_; }
  /// A lower bound, mostly within a small factor, for the norm of the inverse of the last matrix with rows
  /// and columns scaled to a largest entry of 1: its condition, whatever the units of equations and unknowns.
  /// Three solutions for right-hand sides of random signs.
  double condition_estimate();

  /// Solves with the last factors; the solution may overwrite the right-hand side.
  void solve(const double* right_hand_side, double* solution);
  void solve(double* right_hand_side) { solve(right_hand_side, right_hand_side); }

 private:
  SparsePattern pattern_;
  std::vector<double> values_;
  std::vector<double> row_scale_, column_max_;
  DenseFactors dense_;
  std::unique_ptr<SparseLu> sparse_;  // null: dense
  std::uint32_t singular_column_ = 0;
};

}  // namespace runtime
