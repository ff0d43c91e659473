// Single equations of a schedule, whatever batch they are in, as residuals F(x) = 0 with partial derivatives.
//
// A row of a Solve batch v := f(x) is the equation that it solves: by its Residual kernel, or, where it has
// none because the coefficient of v is a number c, as c (v - f(x)).
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class EquationRows {
 public:
  struct Partial {
    std::uint32_t variable;
    double value;
  };

  /// `nominal`: per variable; it must outlive this.
  EquationRows(const Model& model, const std::vector<double>& nominal) : model_(model), nominal_(nominal) {}

  const Model& model() const { return model_; }
  double nominal(std::uint32_t variable) const { return nominal_[variable]; }
  /// The number of the equation, for messages.
  std::uint32_t equation(BatchRow at) const {
    return model_.equations[model_.batches[at.batch].equations + at.row];
  }
  /// The variable that a row of a Solve batch assigns.
  std::uint32_t solved(BatchRow at) const {
    return solved_variable(model_, model_.batches[at.batch], at.row);
  }
  /// Whether the coefficient of the solved variable is a number, and not zero.
  bool always_solvable(BatchRow at) const {
    const KernelBatch& batch = model_.batches[at.batch];
    return batch.kernel == kNone || batch.residual == kNone;
  }
  /// Its variables, ascending, each once.
  const std::vector<std::uint32_t>& variables(BatchRow at);
  double residual(BatchRow at, const Point& point);
  /// One for each of its variables, in their order.
  const std::vector<Partial>& partials(BatchRow at, const Point& point);
  /// The magnitude of the terms of a row at the point: of each variable the partial derivative times its
  /// value or, if that is larger, its nominal value. Residuals and coefficients are judged relative to it.
  double magnitude(const std::vector<Partial>& partials, const Point& point) const;
  /// Whether a residual is within `tolerance` of the magnitude of the terms, or explained by changes of the
  /// values within rounding. A partial derivative may be infinite at the point, as that of sqrt x at 0 is: a
  /// term counts no more than what the residual changes by where its variable moves by its value or nominal
  /// value. Where all partial derivatives vanish, as those of x^2 at 0 do, the terms are quadratic: then
  /// within the square of `tolerance` of their magnitude at nominal distances from the point.
  bool holds(BatchRow at, const Point& point, double tolerance);

 private:
  double change(BatchRow at, const Point& point, std::uint32_t variable, double distance, double residual);
  double allowed(BatchRow at, const Point& point, double tolerance, double residual);

  const Model& model_;
  const std::vector<double>& nominal_;
  std::vector<std::uint32_t> variables_;
  std::vector<Partial> partials_;
  std::vector<double> out_, here_;
};

}  // namespace runtime
