// Equations and unknowns that need not be as many: the Gauss-Newton method (Deuflhard, Newton Methods for
// Nonlinear Problems, 2004, section 4.3), with the rank of the Jacobian by a dense QR decomposition with
// pivots for small systems. For large ones it is decided by sparse elimination, and only where steps by that
// lead to no solution are they those of a sparse QR decomposition, which may take a hundred times as long.
//
// A residual is relative to the magnitude of its terms, an unknown to its value and nominal value. Unknowns
// that the equations do not determine change as little as possible in small systems; in large ones some of
// them keep their values.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/linear/pivoted_qr.h"
#include "runtime/linear/rectangular_lu.h"
#include "runtime/linear/sparse_qr.h"
#include "runtime/solve/equation_rows.h"

namespace runtime {

class RectangularSystem {
 public:
  /// Residuals that are as large as this relative to their terms contradict each other.
  static constexpr double kTolerance = 1e-6;
  enum class Result : std::uint8_t { Solved, Contradiction, NotConverged, NotFinite };

  /// The unknowns are ascending.
  RectangularSystem(EquationRows& equations, std::vector<BatchRow> rows, std::vector<std::uint32_t> unknowns);

  /// From the current values of the unknowns, and from others near them where these do not lead to a solution
  /// or to less than is determined.
  Result solve(const Point& point);
  /// By unknown: whether the equations determine it, at the current point and at another at which the values
  /// of those that they do not determine differ.
  std::vector<bool> determined(const Point& point);
  /// Whether they determine all unknowns at the current point, accurately: not at a double root.
  bool determines_all(const Point& point);
  /// Whether the equations have a continuum of solutions here: an unknown that they do not determine to the
  /// first order can be moved by a finite distance, and the others be solved for again. At a double root the
  /// rank is too small, too, but there are no such neighbours.
  bool has_free_unknown(const Point& point);

  std::span<const std::uint32_t> unknowns() const { return unknowns_; }
  std::span<const BatchRow> rows() const { return rows_; }

 private:
  bool linearise(const Point& point);
  bool relative_residuals(const Point& point, std::vector<double>& out);
  enum class Steps : std::uint8_t { Fast, LeastSquares };
  Result iterate(const Point& point, Steps steps);
  Result solve(const Point& point, const std::vector<double>& start, Steps steps);
  bool is_dense() const;
  std::vector<double> get(const Point& point) const;
  void set(const Point& point, const std::vector<double>& x) const;
  void move(const Point& point, const std::vector<double>& start, double distance,
            const std::vector<bool>& keep) const;
  /// Of the factors of the scaled Jacobian, dense or sparse.
  template <class Use>
  auto with_factors(Use use, Steps steps = Steps::Fast) const;

  EquationRows& equations_;
  std::vector<BatchRow> rows_;
  std::vector<std::uint32_t> unknowns_;
  std::vector<SparseMatrixEntry> jacobian_;
  std::vector<double> row_scale_, column_scale_, residuals_, trial_;
};

}  // namespace runtime
