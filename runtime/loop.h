// A simultaneous block: its residuals, its Jacobian, and Newton's method over both.
//
// Damping follows Deuflhard's natural monotonicity test (Newton Methods for Nonlinear Problems, section 3.3): a step is taken
// when the Newton correction at its end, with the old factors, is shorter than the step itself. The test does not depend on
// how the equations are scaled. A linear block needs one factorisation: the correction at the end of the full step is zero.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/schedule.h"
#include "runtime/sparse.h"

namespace runtime {

class LoopSolver {
 public:
  LoopSolver(const Model& model, const Loop& loop, const std::vector<double>& nominal);

  /// Solves for the unknowns in `point.values`, from the values they have. On failure they are back where they started.
  bool solve(const Point& point, Failure& failure);

  /// The same along the curve F(x) = (1 - l) F(x0) from l = 0 to 1; slower, and finds solutions that Newton's method does not.
  bool solve_by_continuation(const Point& point, Failure& failure);

  /// Factorises the Jacobian at the present values, for derivatives of the solution.
  LinearSystem::Status factor(const Point& point);
  void solve_linear(double* right_hand_side) { system_.solve(right_hand_side); }

  void residuals(const Point& point, double* out) const;
  std::span<const std::uint32_t> unknowns() const { return unknowns_; }
  std::uint64_t factorisations() const { return factorisations_; }

 private:
  class Curve;  // continuation.cpp
  bool newton(const Point& point, Failure& failure);
  LinearSystem::Status jacobian(const Point& point);
  LinearSystem::Status evaluate_jacobian(const Point& point);
  bool bump(const Point& point, int attempt);
  void describe(const Point& point, FailureKind kind, std::uint32_t iterations, Failure& failure) const;
  void describe_not_finite(const Point& point, Failure& failure) const;

  struct Scatter {
    std::uint32_t coefficient, position;
  };

  const Model& model_;
  std::span<const Run> runs_;
  std::span<const std::uint32_t> unknowns_;
  LinearSystem system_;
  std::vector<std::uint64_t> offsets_;    // per run: its part of coefficients_
  std::vector<double> coefficients_;      // partials of the kernel runs
  std::vector<double> constant_;          // per nonzero: what the sums contribute
  std::vector<Scatter> scatter_;
  std::vector<double> nominal_;           // per unknown
  std::vector<double> start_, x_, step_, trial_, residual_, row_scale_;
  std::uint64_t factorisations_ = 0;
};

}  // namespace runtime
