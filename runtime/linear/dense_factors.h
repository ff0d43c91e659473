// LU factors of a small matrix, with partial pivoting.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/sparse_pattern.h"

namespace runtime {

class DenseFactors {
 public:
  /// Factorises n × n values in a pattern, rows scaled by `row_scale`. A pivot must be larger than n *
  /// `least` times the largest entry of its column, `column_max`; returns the first column without such a
  /// pivot.
  std::optional<std::uint32_t> factor(const SparsePattern& pattern, std::span<const double> values,
                                      std::span<const double> row_scale, std::span<const double> column_max,
                                      double least);

  /// The solution may overwrite the right-hand side.
  void solve(const double* right_hand_side, std::span<const double> row_scale, double* x) const;

  /// Of the matrix that was factorised last.
  int determinant_sign() const;
  double smallest_pivot() const;

 private:
  std::vector<double> lu_;  // by columns; L without its diagonal of ones
  std::vector<std::uint32_t> pivots_;
};

}  // namespace runtime
