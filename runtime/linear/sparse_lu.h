// LU factors of a large sparse matrix: KLU chooses permutation to block triangular form and pivots, our own
// factors are computed with them for every set of values (sparse_factors.h, frontal_factors.h).
//
// New pivots are chosen only when the old ones have become bad for the values of the matrix: when one of them
// vanishes, or when the factors grow much more than with the pivots when they were chosen. Where much fills
// in, large entries are brought to the diagonal (weighted_matching.h) and tried as pivots first: KLU's own
// factorisation would take long there. The same is done where the pivots of KLU, beside a diagonal with small
// entries, give factors of more than twice the expected size.
//
// Davis, Palamadai Natarajan, Algorithm 907: KLU, a direct sparse solver for circuit simulation problems, ACM
// TOMS 37 (2010).
#pragma once
#include <klu.h>

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "runtime/linear/frontal_factors.h"
#include "runtime/linear/ordering.h"
#include "runtime/linear/sparse_factors.h"
#include "runtime/linear/sparse_pattern.h"

namespace runtime {

class SparseLu {
 public:
  explicit SparseLu(Ordering ordering);
  ~SparseLu() { klu_l_free_symbolic(&analysis_.symbolic, &common_); }
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  /// Factorises values in a pattern, which is the same in every call, rows scaled by `row_scale`. A pivot
  /// must be larger than 8 * `least` times the largest entry of its column; `column_max`, these entries, is
  /// overwritten. Nothing on success; else the first column without such a pivot, or 0 if KLU does not tell
  /// which.
  std::optional<std::uint32_t> factor(const SparsePattern& pattern, std::span<const double> values,
                                      std::span<const double> row_scale, std::span<double> column_max,
                                      double least);
  /// The solution may overwrite the right-hand side.
  void solve(const double* right_hand_side, double* solution);

  /// Of the matrix that was factorised last.
  int determinant_sign() const;
  double smallest_pivot() const;
  std::size_t entries() const;

  Ordering ordered_by() const { return analysis_.by; }
  std::uint64_t pivot_choices() const { return pivot_choices_; }
  /// Whether the last factors are those of FrontalFactors, not of SparseFactors.
  bool multifrontal() const { return std::holds_alternative<FrontalFactors>(factors_); }

 private:
  /// A permutation to block triangular form with an order of elimination, and what factors in it cost, all
  /// diagonal blocks together.
  struct Analysis {
    klu_l_symbolic* symbolic = nullptr;
    double entries = 1, multiplications = 0;
    std::size_t largest_block = 0;  // of those that were ordered
    Ordering by = Ordering::Amd;    // that of the largest block
  };
  static SuiteSparse_long order(SuiteSparse_long n, SuiteSparse_long* starts, SuiteSparse_long* rows,
                                SuiteSparse_long* result, klu_l_common* common);
  void analyse(const SparsePattern& pattern, std::span<const std::int64_t> rows);
  bool match(const SparsePattern& pattern, std::span<const double> values, std::span<const double> row_scale,
             double most);
  klu_l_numeric* factor_by_klu(const SparsePattern& pattern, std::span<const double> values);
  bool has_pivots_that_fill_in(const klu_l_numeric* numeric) const;
  double rejected_diagonal(const SparsePattern& pattern, std::span<const double> values,
                           std::span<const double> row_scale) const;
  bool fills_in() const;
  bool use_fronts(const SparsePattern& pattern, std::span<const std::int64_t> row_order,
                  std::span<const std::int64_t> column_order, std::span<const std::int64_t> blocks,
                  double most);
  bool use_diagonal(const SparsePattern& pattern);
  void use_pivots(const SparsePattern& pattern, klu_l_numeric* numeric);
  double factor_with_pivots(std::span<const double> values, std::span<const double> row_scale,
                            std::span<const double> least);
  std::optional<std::uint32_t> choose_pivots(const SparsePattern& pattern, std::span<const double> values,
                                             std::span<const double> row_scale,
                                             std::span<const double> least);

  klu_l_common common_;
  Analysis analysis_;
  std::variant<std::monostate, SparseFactors, FrontalFactors> factors_;
  double limit_ = 0;  // of the growth with the present pivots
  std::uint64_t pivot_choices_ = 0;
  Ordering ordering_;  // requested
};

}  // namespace runtime
