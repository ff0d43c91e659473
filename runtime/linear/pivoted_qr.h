// Rank of a dense matrix of any shape by QR decomposition with column pivoting (Golub and Van Loan, Matrix
// Computations, 2013, section 5.4.2), and what follows from it: which unknowns of a linear system are
// determined, and which equations depend on each other.
//
// The entries should be scaled so that each row, and each column, is of magnitude 1.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace runtime {

/// Column-major: entry (row, column) is at row + column * rows.
struct DenseMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values{};
  DenseMatrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
  double& operator()(std::size_t row, std::size_t column) { return values[row + column * rows]; }
  double operator()(std::size_t row, std::size_t column) const { return values[row + column * rows]; }
};

class PivotedQr {
 public:
  /// Pivots below this, or this part of the largest one, are zero.
  static constexpr double kRank = 1e-10;
  /// A column depends on another one of which this part is in it, or more. Less than the part by which an
  /// equation still determines what it contains (kVanishing, solve/consistent_start.cpp): else the equation
  /// that has determined the one would determine the other, too.
  static constexpr double kIndependent = 1e-11;

  explicit PivotedQr(const DenseMatrix& matrix);
  ~PivotedQr();
  PivotedQr(PivotedQr&&) noexcept;
  PivotedQr& operator=(PivotedQr&&) noexcept;

  std::size_t rank() const;
  /// Of the x of least |A x - b| the one of least |x|.
  std::vector<double> solve(std::span<const double> right_hand_side) const;
  /// By column: whether A x = b determines x there, wherever it has a solution.
  std::vector<bool> determined() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// Factors of the rows with which they add up to zero, the largest of magnitude 1, and 0 for those that take
/// no part. Of several such combinations one with few rows among those in which the right-hand sides do not
/// add up to zero, if there is one. Empty: the rows are independent.
std::vector<double> row_combination(const DenseMatrix& matrix, std::span<const double> right_hand_side);

}  // namespace runtime
