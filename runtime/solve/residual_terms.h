// The terms of residual equations: a residual is judged by the rounding error of the terms whose sum it is.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class ResidualTerms {
 public:
  /// No magnitude of a value is less than `floor` times its nominal value.
  ResidualTerms(const Model& model, std::span<const KernelBatch> batches, const std::vector<double>& nominal,
                double floor);

  /// The largest residual relative to the sum of the magnitudes of its terms: the relative change of the
  /// coefficients for which the current values would be an exact solution (componentwise backward error;
  /// Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 7.2). A term of a nonlinear
  /// equation is its partial derivative times the value. `residuals`: at the point, one for each row.
  double backward_error(const Point& point, std::span<const double> residuals);

  /// The partial derivatives are evaluated anew at the next point.
  void invalidate() { valid_ = false; }

  /// The magnitudes of the terms of each row at the last point.
  std::span<const double> magnitudes() const { return magnitudes_; }

 private:
  void evaluate_partials(const Point& point);

  struct Term {
    std::uint32_t coefficient, variable;
    double least;  // magnitude of the value
  };
  const Model* model_;
  std::span<const KernelBatch> batches_;
  std::vector<Term> terms_;          // row by row
  std::vector<std::uint32_t> ends_;  // by row
  std::vector<double> coefficients_, magnitudes_;
  bool valid_ = false;
};

}  // namespace runtime
