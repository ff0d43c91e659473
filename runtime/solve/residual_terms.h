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
  ResidualTerms(const Model& model, std::span<const KernelBatch> batches)
      : model_(&model), batches_(batches) {}

  /// The largest residual relative to the sum of the magnitudes of its terms: the relative change of the
  /// coefficients for which the current values would be an exact solution (componentwise backward error;
  /// Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 7.2). A term of a nonlinear
  /// equation is its partial derivative times the value. `residuals`: at the point, one for each row.
  double backward_error(const Point& point, std::span<const double> residuals);

  /// The partial derivatives are to be evaluated at the next point anew.
  void invalidate() { valid_ = false; }

  /// The magnitudes of the terms of each row at the last point.
  std::span<const double> magnitudes() const { return magnitudes_; }

 private:
  void evaluate_partials(const Point& point);

  const Model* model_;
  std::span<const KernelBatch> batches_;
  std::vector<double> partials_;  // of all batches but those of sums, end to end
  std::vector<double> magnitudes_;
  bool valid_ = false;
};

}  // namespace runtime
