// Solvers of torn algebraic loops: the residuals as functions of the tearing variables, and their Jacobian
// (gradients.h, through the Solve batches of the loop).
//
// A linear loop takes one factorisation and one step. While the residuals are larger than the rounding errors
// of their terms, further steps with the same factors refine the result. If the coefficients are parameters
// the factors are kept.
//
// Where that does not make the residuals small, and where Newton's method fails, the loop is solved without
// tearing (untorn_loop.h), until parameters change. A nonlinear loop then starts from the last values of all
// its variables: those that substitution gives may be beyond what an exponential function can take. So is a
// linear loop whose Jacobian is nearly singular (examined for given parameters, and again where a pivot or
// the entries of a row have become ten times as small) or whose solution is suspiciously large: a rank can be
// decided only there. The matrix of the whole loop, rows and columns scaled, is singular if its condition is
// beyond what double precision resolves. Then the equations are dependent, and the failure names them.
//
// A nonlinear loop is solved by Newton's method (newton.cpp).
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/linear/linear_system.h"
#include "runtime/model.h"
#include "runtime/solve/gradients.h"
#include "runtime/solve/residual_terms.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class AlgebraicLoopSolver {
 public:
  AlgebraicLoopSolver(const Model& model, const AlgebraicLoop& loop, const std::vector<double>& nominal,
                      GradientIndex& index);
  ~AlgebraicLoopSolver();

  /// Solves for the tearing variables in `point.values`, starting from their current values, and evaluates
  /// the inner variables. False: `failure` is set, and the variables have the values from which it started.
  bool solve(const Point& point, Failure& failure);

  /// To be called after `solve` has failed: the same by continuation (continuation.cpp), which takes longer
  /// and finds solutions that Newton's method does not. True: `failure` is cleared.
  bool solve_by_continuation(const Point& point, Failure& failure);

  /// Looks for another solution than `known`, from the current values of the tearing variables, by deflation
  /// (other_solution.h). True: all variables of the loop have its values.
  bool solve_deflated(const Point& point, const std::vector<double>& known);

  /// Factorises the Jacobian at the current values; `solve_linear` then solves with it, in place.
  LinearSystem::Status factor(const Point& point);
  void solve_linear(double* right_hand_side) { system_.solve(right_hand_side); }

  /// Evaluates the inner variables and writes the residuals, one for each tearing variable.
  void residuals(const Point& point, double* out) const;
  /// Whether a solution since `begin_branch` may be on another branch than the values from which it was
  /// found: Newton's method did not contract from the beginning (newton.cpp).
  bool branch_uncertain() const { return branch_uncertain_; }
  /// `stay`: a solution that is uncertain is none, and is not looked for any further; `rough`: it is a point
  /// on the way, and need not be accurate.
  void begin_branch(bool stay = false, bool rough = false) {
    branch_uncertain_ = false, stay_ = stay, rough_ = rough, contraction_ = 0;
  }
  /// The largest quotient of a correction and the one before since then. It is proportional to the distance
  /// from the start of the method.
  double contraction() const { return contraction_; }
  /// Of a linear loop: the sign of the determinant of the Jacobian at the last solution, +1 or -1; of a
  /// solution without tearing, whose Jacobian is another one, +2 or -2. 0: it is singular. Where the sign
  /// changes with the time there is a moment at which the loop has no solution, or many.
  int determinant_sign(const Point& point);
  /// The same of the equations without tearing at the current values, +2 or -2, however the last solution was
  /// found.
  int untorn_determinant_sign(const Point& point);
  /// Discards the factors and checks that depend on parameters.
  void parameters_changed();
  std::span<const std::uint32_t> unknowns() const { return unknowns_; }
  /// Of the Jacobian, with and without tearing.
  std::uint64_t factorisations() const;
  /// Of Newton's method, with and without tearing.
  std::uint64_t iterations() const;

 private:
  class Continuation;  // continuation.cpp
  bool continue_from(const Point& point, const std::vector<double>& guess);
  struct Untorn;
  enum class Accuracy : std::uint8_t { Good, NoSolution, Poor, NearlySingular };
  bool solve_from_start(const Point& point, Failure& failure);
  bool solve_torn(const Point& point, Failure& failure);
  void remember_start(const Point& point);
  void restore_start(const Point& point) const;
  AlgebraicLoopSolver& untorn();
  bool solve_untorn(const Point& point, Failure& failure);
  /// From the present values of the tearing variables and those of the inner variables that follow.
  bool refine_untorn(const Point& point, Failure& failure);
  double backward_error(const Point& point, double limit);
  Accuracy accuracy(const Point& point);
  bool cancels(const Point& point);
  bool has_weakened() const;
  void remember_strength();
  bool decide_rank(const Point& point, Failure& failure);
  bool newton(const Point& point, Failure& failure);
  /// The next step of Newton's method, into `step_`; the failure if there is none. The start may be
  /// perturbed.
  std::optional<FailureKind> newton_step(const Point& point, bool first, int& perturbations);
  /// The magnitude of the terms of each residual, for a step from `x_`: a residual within their rounding
  /// error is zero.
  void scale_rows(const std::vector<double>& step);
  bool rounding() const;
  void watch_contraction(double full, double rest);
  double inner_change(const Point& point) const;
  /// The largest difference of a tearing variable, relative to value plus nominal value.
  double distance(const Point& point, const std::vector<double>& from) const;
  bool ends_on_branch(const Point& point, Failure& failure);
  bool begins_elsewhere(const Point& point) const;
  bool contracts_untorn(const Point& point);
  bool contracts_with_last_factors(const Point& point);
  bool leaves() const { return stay_ && branch_uncertain_; }
  /// What became of a step that is halved until it brings the solution nearer.
  enum class Damping : std::uint8_t { Converged, Decreased, Failed };
  /// Sets the unknowns to the end of the damped step, or back to its begin if it fails. The lengths of the
  /// whole step, and of the correction at its end, which is in `trial_`.
  Damping damp_step(const Point& point, double& full, double& rest);
  /// What became of corrections with kept factors. NoContraction: the unknowns are as before. Slow: they are
  /// nearer to the solution, but new factors are worth while.
  enum class Kept : std::uint8_t { Converged, Slow, NoContraction };
  /// Applies the correction in `trial_`, and further ones with the same factors. `last`: the length of the
  /// correction before.
  Kept contract(const Point& point, double last);
  /// Whether corrections with the factors of the last solution lead to this one.
  bool with_kept_factors(const Point& point);
  /// A dense factorisation takes hardly longer than what it saves.
  bool keeps_factors() const { return !system_.is_dense(); }
  /// The correction at the current point, with the last factors. False: it is not finite.
  bool correction(std::vector<double>& out);
  /// Adds `trial_` to `x_`, and evaluates residuals there. False: they are not finite, and it is not added.
  bool advance(const Point& point);
  bool linear(const Point& point, Failure& failure);
  bool check_pivots(const Point& point, Failure& failure);
  void evaluate_inner(const Point& point) const;
  void set(const Point& point, const std::vector<double>& x) const;
  LinearSystem::Status jacobian(const Point& point);
  LinearSystem::Status evaluate_jacobian(const Point& point);
  bool perturb(const Point& point, int attempt);
  double length(const std::vector<double>& step) const;
  bool is_short(const Point& point, const std::vector<double>& correction) const;
  void describe(const Point& point, FailureKind kind, std::uint32_t iterations, Failure& failure);
  void describe_dependence(const Point& point, Failure& failure);
  std::uint32_t residual_equation(std::uint32_t row) const;
  void describe_not_finite(const Point& point, Failure& failure) const;
  Failure make_failure(const Point& point, FailureKind kind) const;

  const Model& model_;
  const AlgebraicLoop& loop_;
  GradientIndex& index_;
  const std::vector<double>& nominals_;  // per variable of the model
  std::span<const KernelBatch> inner_, residual_batches_;
  std::span<const std::uint32_t> unknowns_;
  AlgebraicLoop::Kind kind_;
  LinearSystem system_;
  Gradients gradients_;
  std::vector<std::uint32_t> gather_;           // per nonzero: its place in gradients_
  std::vector<double> nominal_;                 // per tearing variable
  ResidualTerms terms_;                         // of the residual equations
  std::vector<std::uint32_t> inner_variables_;  // of a nonlinear loop
  std::vector<double> inner_start_;
  std::vector<double> start_, x_, step_, trial_, residual_, row_scale_;
  double backward_error_ = 0;  // of the last solution of a linear loop
  double tolerated_error_ = 0;
  bool factored_ = false, pivots_checked_ = false;
  double reach_ = std::numeric_limits<double>::max();  // longest first correction with kept factors
  bool rank_decided_ = false;                          // for the present parameters
  // The smallest ones for which the rank has been decided: the pivot, and the entry of each row (reciprocal).
  double decided_pivot_ = 0;
  std::vector<double> decided_scales_;
  std::unique_ptr<Untorn> untorn_;  // made on first use
  bool can_untear_, prefer_untorn_ = false;
  bool solved_untorn_ = false;  // the last solution of a linear loop is one without tearing
  bool branch_uncertain_ = false, stay_ = false, rough_ = false;
  bool keeps_dense_ = false;  // corrections with kept factors show, cheaply, that the method contracts
  int start_sign_ = 0;        // of the determinant of the Jacobian
  double contraction_ = 0, largest_quotient_ = 0, expected_ = 0;
  std::uint64_t factorisations_ = 0, iterations_ = 0;
};

}  // namespace runtime
