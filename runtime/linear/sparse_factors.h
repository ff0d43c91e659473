// Factors of a sparse matrix by rows, for the frequent operations of an integrator: new values in the same
// pattern, and solving.
//
// Orders and pivots are those of KLU (sparse_lu.h). Its factors P R A Q = L U + F (R scales rows, L and U are
// block diagonal, F is above the blocks) are stored by rows, each divided by its pivot: every step of a
// solution is then a short scalar product, where columns would scatter through memory and divide. The most
// recent results come last in it, because in a chain of unknowns each step waits for the one before. New
// values are factorised row by row with the same pivots.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace runtime {

struct SparsePattern;

class SparseFactors {
 public:
  /// The pattern of a factor by columns, as KLU extracts it.
  struct Columns {
    std::vector<std::int64_t> starts, rows;
  };
  /// `row_order[i]` and `column_order[i]` are the matrix's row and column of pivot i; diagonal blocks start
  /// at `blocks`, which ends with n.
  SparseFactors(const SparsePattern& pattern, const Columns& lower, const Columns& upper,
                std::span<const std::int64_t> row_order, std::span<const std::int64_t> column_order,
                std::span<const std::int64_t> blocks);

  /// Factorises, rows scaled by `row_scale` to a largest entry of 1. The growth: the product of the largest
  /// entries of L and U, a bound on the loss of accuracy (Higham, Accuracy and Stability of Numerical
  /// Algorithms, theorem 9.3); infinite when a pivot is not larger than `least` of its column.
  double factor(std::span<const double> values, std::span<const double> row_scale,
                std::span<const double> least);

  /// The solution may overwrite the right-hand side.
  void solve(const double* right_hand_side, double* solution);

  /// Of the matrix that was factorised last.
  int determinant_sign() const;
  double smallest_pivot() const;

  std::size_t entries() const { return lower_.values.size() + upper_.values.size() + n_; }

 private:
  struct Rows {
    std::vector<std::uint32_t> starts, columns;
    std::vector<double> values;
  };

  std::size_t n_ = 0;
  bool odd_ = false;  // both orders, one after the other
  std::vector<std::uint32_t> row_order_, column_order_, blocks_;
  Rows matrix_;  // without values: `source_` has their positions in the matrix
  std::vector<std::uint32_t> source_;
  Rows lower_;  // by rows: F, `above_` entries, then L without its diagonal; divided by the pivot
  std::vector<std::uint32_t> above_;
  Rows upper_;                      // without its diagonal, columns descending; divided by the pivot
  std::vector<double> reciprocal_;  // of the pivots
  std::vector<double> scale_;       // of each row, in pivot order; divided by the pivot
  std::vector<double> work_;
};

}  // namespace runtime
