// The spectral radius of a sparse matrix: the largest magnitude of its eigenvalues, by the power method.
//
// A pair of complex eigenvalues makes single iterations grow and shrink, so that the mean growth over several
// of them counts. The vector is kept from call to call: matrices that change slowly, as the Jacobians of a
// simulation, need few iterations each. An estimate, from below in general.
// Golub and Van Loan, Matrix Computations, 4th edition, section 7.3.1.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "runtime/linear/sparse_pattern.h"

namespace runtime {

class SpectralRadius {
 public:
  double estimate(const SparsePattern& pattern, std::span<const double> values);
  /// Of a matrix of `n` rows that is there as its products: `multiply(x, out)`.
  using Multiply = std::function<void(std::span<const double>, std::span<double>)>;
  double estimate(std::size_t n, const Multiply& multiply);
  /// Whether the last estimate is that of imaginary eigenvalues, with hardly any damping.
  bool oscillates() const;

 private:
  double normalise();

  std::vector<double> vector_, product_, before_;
  double factor_ = 0, factor_before_ = 0;
};

/// Whether the largest eigenvalues are imaginary, with hardly any damping: the sum of their squares, the
/// trace of the square of the matrix, is negative, and the trace is small beside its root.
bool oscillates(const SparsePattern& pattern, std::span<const double> values);

}  // namespace runtime
