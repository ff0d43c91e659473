#include "runtime/linear/spectral_radius.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace runtime {

namespace {
// Iterations of the first estimate before those that count; of later ones; and those that count.
constexpr int kFirst = 20, kLater = 2, kCounted = 8;
// Of the vector, for later estimates.
constexpr double kRenewed = 1e-6;
// Largest square of the trace, over the size times the trace of the square: damping of a tenth.
constexpr double kDamping = 0.01;

double entry(const SparsePattern& pattern, std::span<const double> values, std::size_t row,
             std::size_t column) {
  const auto begin = pattern.rows.begin() + static_cast<std::ptrdiff_t>(pattern.starts[column]);
  const auto end = pattern.rows.begin() + static_cast<std::ptrdiff_t>(pattern.starts[column + 1]);
  const auto found = std::lower_bound(begin, end, row,
                                      [](auto a, std::size_t b) { return static_cast<std::size_t>(a) < b; });
  if (found == end || static_cast<std::size_t>(*found) != row) return 0;
  return values[static_cast<std::size_t>(found - pattern.rows.begin())];
}
}  // namespace

double SpectralRadius::estimate(const SparsePattern& pattern, std::span<const double> values) {
  return estimate(pattern.n, [&](std::span<const double> x, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    for (std::size_t column = 0; column < pattern.n; ++column)
      for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k)
        out[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])] +=
            values[static_cast<std::size_t>(k)] * x[column];
  });
}

double SpectralRadius::estimate(std::size_t n, const Multiply& multiply) {
  const bool first = vector_.size() != n;
  if (first) vector_.assign(n, 0.0);
  if (!first && normalise() == 0) return 0;
  // Without a pattern that could be orthogonal to an eigenvector. A mode whose part of the vector has
  // vanished, as that of what nothing couples to faster ones does, may grow later: it gets a small part
  // again.
  const double part = first ? 1.0 : kRenewed / std::sqrt(static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k) vector_[k] += std::popcount(k * 0x9E3779B97F4A7C15u) % 2 ? part : -part;
  if (normalise() == 0) return 0;
  double growth = 1;
  for (int iteration = -(first ? kFirst : kLater); iteration < kCounted; ++iteration) {
    before_.swap(product_);
    vector_.swap(product_);
    vector_.resize(n);
    multiply(product_, vector_);
    const double factor = normalise();
    factor_before_ = std::exchange(factor_, factor);
    if (factor == 0 || !std::isfinite(factor)) {
      vector_.clear();  // begin anew
      return factor;
    }
    if (iteration >= 0) growth *= std::pow(factor, 1.0 / kCounted);
  }
  return growth;
}

bool SpectralRadius::oscillates() const {
  if (vector_.empty() || before_.size() != vector_.size()) return false;
  // x, A x and A² x with a pair a ± i b of eigenvalues: A² x = 2 a A x - (a² + b²) x, by least squares.
  double xx = 0, xy = 0, xz = 0, yz = 0;
  for (std::size_t k = 0; k < vector_.size(); ++k) {
    xx += before_[k] * before_[k];
    xy += before_[k] * product_[k];
    xz += before_[k] * vector_[k];
    yz += product_[k] * vector_[k];
  }
  const double determinant = 1 - xy * xy;  // of vectors of the length 1
  if (xx == 0 || determinant < 1e-12) return false;
  const double of_y = factor_ * (yz - xy * xz) / determinant;                   // 2 a
  const double of_x = factor_ * factor_before_ * (xz - xy * yz) / determinant;  // -(a² + b²)
  return of_x < 0 && 0.25 * of_y * of_y < -kDamping * of_x;
}

/// Scales `vector_` to the norm 1. Its norm before.
double SpectralRadius::normalise() {
  double square = 0;
  for (const double x : vector_) square += x * x;
  const double norm = std::sqrt(square);
  if (norm > 0)
    for (double& x : vector_) x /= norm;
  return norm;
}

bool oscillates(const SparsePattern& pattern, std::span<const double> values) {
  double trace = 0, of_square = 0;
  for (std::size_t column = 0; column < pattern.n; ++column)
    for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
      const double value = values[static_cast<std::size_t>(k)];
      if (row == column) trace += value;
      of_square += value * entry(pattern, values, column, row);
    }
  return of_square < 0 && trace * trace < -kDamping * static_cast<double>(pattern.n) * of_square;
}

}  // namespace runtime
