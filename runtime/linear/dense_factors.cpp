#include "runtime/linear/dense_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/linear/simd_dispatch.h"

namespace runtime {

namespace {

/// The factors of n × n numbers by columns, in place: the first column without a pivot, or n.
FOR_EACH_TARGET std::size_t factorise(std::size_t n, double* lu, std::uint32_t* pivots, double epsilon,
                                      const double* column_max) {
  for (std::size_t k = 0; k < n; ++k) {
    double* column = lu + k * n;
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (!(std::abs(column[pivot]) > epsilon * column_max[k])) return k;
    pivots[k] = static_cast<std::uint32_t>(pivot);
    if (pivot != k)
      for (std::size_t c = 0; c < n; ++c) std::swap(lu[c * n + k], lu[c * n + pivot]);
    const double inverse = 1 / column[k];
    for (std::size_t i = k + 1; i < n; ++i) column[i] *= inverse;
    for (std::size_t c = k + 1; c < n; ++c) {
      double* other = lu + c * n;
      const double factor = other[k];
      if (factor == 0) continue;
      INDEPENDENT
      for (std::size_t i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return n;
}

/// Solves with these factors, in place; rows have been exchanged.
FOR_EACH_TARGET void substitute(std::size_t n, const double* lu, double* x) {
  for (std::size_t k = 0; k < n; ++k) {
    const double* column = lu + k * n;
    const double value = x[k];
    INDEPENDENT
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= column[i] * value;
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* column = lu + k * n;
    const double value = x[k] /= column[k];
    INDEPENDENT
    for (std::size_t i = 0; i < k; ++i) x[i] -= column[i] * value;
  }
}

}  // namespace

std::optional<std::uint32_t> DenseFactors::factor(const SparsePattern& pattern,
                                                  std::span<const double> values,
                                                  std::span<const double> row_scale,
                                                  std::span<const double> column_max, double least) {
  const std::size_t n = pattern.n;
  lu_.assign(n * n, 0.0);
  pivots_.resize(n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      lu_[c * n + pattern.rows[k]] = values[k] * row_scale[pattern.rows[k]];
  const std::size_t regular =
      factorise(n, lu_.data(), pivots_.data(), least * static_cast<double>(n), column_max.data());
  if (regular < n) return static_cast<std::uint32_t>(regular);
  return std::nullopt;
}

int DenseFactors::determinant_sign() const {
  const std::size_t n = pivots_.size();
  bool negative = false;
  for (std::size_t k = 0; k < n; ++k) negative ^= (pivots_[k] != k) != (lu_[k * n + k] < 0);
  return negative ? -1 : 1;
}

double DenseFactors::smallest_pivot() const {
  const std::size_t n = pivots_.size();
  double smallest = HUGE_VAL;
  for (std::size_t k = 0; k < n; ++k) smallest = std::min(smallest, std::abs(lu_[k * n + k]));
  return smallest;
}

void DenseFactors::solve(const double* right_hand_side, std::span<const double> row_scale, double* x) const {
  const std::size_t n = pivots_.size();
  for (std::size_t i = 0; i < n; ++i) x[i] = right_hand_side[i] * row_scale[i];
  // Whole rows were exchanged, multipliers included: all exchanges precede the elimination.
  for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[pivots_[k]]);
  substitute(n, lu_.data(), x);
}

}  // namespace runtime
