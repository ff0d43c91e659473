// Factors of a sparse matrix, laid out by rows for what an integrator does all the time: new values in the
// same pattern, and solving.
//
// KLU chooses orders and pivots once. Its factors P R A Q = L U + F (R scales rows; U is block diagonal with
// L, F what is above the blocks) are taken over, each row divided by its pivot: every step of a solution is
// then a short scalar product, where columns would scatter through memory and divide. What was computed last
// comes last in it: in a chain of unknowns each step waits for the one before. New values are factorised row
// by row with the same pivots.
//
// Davis, Palamadai Natarajan, Algorithm 907: KLU, a direct sparse solver for circuit simulation problems, ACM
// TOMS 37 (2010).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace runtime {

struct SparsePattern;

class SparseFactors {
 public:
  /// The pattern of factors by columns, as KLU extracts them.
  struct Columns {
    std::vector<std::int64_t> starts, rows;
  };
  /// `row_order[i]` and `column_order[i]` are the matrix's row and column of pivot i; blocks start at
  /// `blocks`, which ends with n.
  SparseFactors(const SparsePattern& pattern, const Columns& lower, const Columns& upper,
                std::span<const std::int64_t> row_order, std::span<const std::int64_t> column_order,
                std::span<const std::int64_t> blocks);

  /// Factorises, rows scaled by `row_scale` to a largest entry of 1. False when a pivot is not larger than
  /// `least` of its column, or when the largest entries of L and U have a product above `limit`: as much of
  /// the 16 digits may be lost (Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.3).
  bool factor(std::span<const double> values, std::span<const double> row_scale,
              std::span<const double> least, double limit);

  /// The solution may overwrite the right-hand side.
  void solve(const double* right_hand_side, double* solution);

 private:
  struct Rows {
    std::vector<std::uint32_t> starts, columns;
    std::vector<double> values;
  };

  std::size_t n_ = 0;
  std::vector<std::uint32_t> row_order_, column_order_, blocks_;
  Rows matrix_;  // values: unused; which value of the matrix is in `source_`
  std::vector<std::uint32_t> source_;
  Rows lower_;  // of each row first F (as many as `above_` says), then L without its diagonal; over the pivot
  std::vector<std::uint32_t> above_;
  Rows upper_;                      // without its diagonal, columns descending; over the pivot
  std::vector<double> reciprocal_;  // of the pivots
  std::vector<double> scale_;       // of each row, in pivot order; over the pivot
  std::vector<double> work_;
};

}  // namespace runtime
