// A simultaneous block: its residuals as functions of its unknowns, their Jacobian (gradients.h, through the
// Solve runs inside), and how it is solved.
//
// A linear block takes one factorisation and one step. A step that is long beside the result is followed by a
// second one with the same factors, which removes what rounding left of a bad start. Where the coefficients
// are parameters the factors stay.
//
// Others are solved by Newton's method. Damping follows Deuflhard's natural monotonicity test (Newton Methods
// for Nonlinear Problems, section 3.3): a step is taken when the Newton correction at its end, with the old
// factors, is shorter than the step itself. The test does not depend on how the equations are scaled.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/linear/linear_system.h"
#include "runtime/model.h"
#include "runtime/solve/gradients.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class AlgebraicLoopSolver {
 public:
  AlgebraicLoopSolver(const Model& model, const AlgebraicLoop& loop, const std::vector<double>& nominal,
                      GradientIndex& index);

  /// Solves for the unknowns in `point.values`, from the values they have, and evaluates the inner variables.
  /// On failure the unknowns are back where they started.
  bool solve(const Point& point, Failure& failure);

  /// The same along the curve F(x) = (1 - l) F(x0) from l = 0 to 1; slower, and finds solutions that Newton's
  /// method does not.
  bool solve_by_continuation(const Point& point, Failure& failure);

  /// Factorises the Jacobian at the present values, for derivatives of the solution.
  LinearSystem::Status factor(const Point& point);
  void solve_linear(double* right_hand_side) { system_.solve(right_hand_side); }

  /// Evaluates the Solve runs, and writes the residuals.
  void residuals(const Point& point, double* out) const;
  /// Factors and pivots that depend on parameters no longer hold.
  void parameters_changed() { factored_ = pivots_checked_ = false; }
  std::span<const std::uint32_t> unknowns() const { return unknowns_; }
  std::uint64_t factorisations() const { return factorisations_; }

 private:
  class Curve;  // continuation.cpp
  bool newton(const Point& point, Failure& failure);
  bool linear(const Point& point, Failure& failure);
  bool pivots_hold(const Point& point, Failure& failure);
  void evaluate_inner(const Point& point) const;
  void set(const Point& point, const std::vector<double>& x) const;
  LinearSystem::Status jacobian(const Point& point);
  LinearSystem::Status evaluate_jacobian(const Point& point);
  bool bump(const Point& point, int attempt);
  double length(const std::vector<double>& step) const;
  void describe(const Point& point, FailureKind kind, std::uint32_t iterations, Failure& failure) const;
  void describe_not_finite(const Point& point, Failure& failure) const;
  Failure begin_failure(const Point& point, FailureKind kind) const;

  const Model& model_;
  std::span<const KernelBatch> inner_, residual_runs_;
  std::span<const std::uint32_t> unknowns_;
  AlgebraicLoop::Kind kind_;
  LinearSystem system_;
  Gradients gradients_;
  std::vector<std::uint32_t> gather_;  // per nonzero: its place in gradients_
  std::vector<double> nominal_;        // per unknown
  std::vector<double> start_, x_, step_, trial_, residual_, row_scale_;
  bool factored_ = false, pivots_checked_ = false;
  std::uint64_t factorisations_ = 0;
};

}  // namespace runtime
