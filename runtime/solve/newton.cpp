// Newton's method for nonlinear loops. Damping follows Deuflhard's natural monotonicity test (Newton Methods
// for Nonlinear Problems, section 3.3): a step is accepted when the Newton correction at its end, with the
// old factors, is shorter than the step itself. The test does not depend on the scaling of the equations.
//
// A factorisation of a large sparse Jacobian takes as long as several solutions with it, so it is used while
// the corrections contract: after a full step of Newton's method, and first of all, with the factors of the
// last solution, which is often near. The quotient theta of two successive corrections gives the error,
// theta / (1 - theta) times the last one, and the number of corrections to come (Hairer and Wanner, Solving
// Ordinary Differential Equations II, section IV.8). Where these are many, the Jacobian is evaluated anew;
// where the first ones do not contract, what they did is undone.
//
// Where the equations have several solutions, they are branches as functions of the time. From a solution of
// a moment ago the method leads to the one on the same branch if it contracts from the first step on, by
// kSameBranch (Deuflhard, section 5.1.2), and if the inner variables are near those of the solution before
// when it begins; where they are not, it is to contract without tearing, or in a large loop with the factors
// of the solution before; and if the determinant has the same sign at both. Where it does not, or steps are
// damped, it may have gone over to another branch, and the solution is marked as uncertain.
#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {

namespace {

constexpr int kMaxIterations = 100;
constexpr double kSmallestDamping = 1e-7;
constexpr double kStepTolerance = 1e-11;      // of a Newton correction: relative to value plus nominal
constexpr double kResidualTolerance = 2e-15;  // rounding error, relative to the terms of the residual
// With kept factors: largest quotient of two corrections; most corrections; error of the result, which
// after a step of Newton's method is as small.
constexpr double kContraction = 0.5;
constexpr int kMostCorrections = 5;
constexpr double kKeptTolerance = 1e-13;
// Largest quotient of the first two corrections that stay on a branch; shorter ones are of no concern. The
// bound of the theory is 1/4; in a large loop, where more steps are expensive, what follows shows enough.
constexpr double kSameBranch = 0.25, kSameBranchSparse = 0.5, kShort = 1e-6;
// Of the next quotient to this one, down to the second value; of the next step to the correction after this
// one.
constexpr double kNextQuotient = 0.8, kQuadratic = 0.1, kNextStep = 3;
constexpr double kNear = 0.01;   // inner variables at the start, and those of the solution before
constexpr double kRough = 1e-4;  // correction of a point on the way
constexpr double kFarAway = 4;   // a step that begins at this multiple of its end comes from far away

}  // namespace

double AlgebraicLoopSolver::length(const std::vector<double>& step) const {
  double largest = 0;
  for (std::size_t k = 0; k < step.size(); ++k)
    largest = std::max(largest, std::abs(step[k]) / (std::abs(x_[k]) + nominal_[k]));
  return largest;
}

/// Whether a correction, at the values of the unknowns, is within the tolerance relative to these. They may
/// be much smaller than those from which the step began, by which `length` measures.
bool AlgebraicLoopSolver::is_short(const Point& point, const std::vector<double>& correction) const {
  for (std::size_t k = 0; k < correction.size(); ++k)
    if (!(std::abs(correction[k]) <= kStepTolerance * (std::abs(point.values[unknowns_[k]]) + nominal_[k])))
      return false;
  return true;
}

bool AlgebraicLoopSolver::perturb(const Point& point, int attempt) {
  // A product of two guesses of zero has no gradient, a logarithm of zero no value: each unknown is moved by
  // an amount of its own.
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const double fraction = golden_fraction(static_cast<double>(k + 1));
    x_[k] = start_[k] + nominal_[k] * (attempt == 1 ? 1e-3 : 0.3) * (0.5 + fraction);
    point.values[unknowns_[k]] = x_[k];
  }
  residuals(point, residual_.data());
  return all_finite(residual_);
}

bool AlgebraicLoopSolver::newton(const Point& point, Failure& failure) {
  int perturbations = 0;
  residuals(point, residual_.data());
  while (!all_finite(residual_)) {
    if (perturbations == 2) return describe_not_finite(point, failure), false;
    perturb(point, ++perturbations);
  }
  branch_uncertain_ = branch_uncertain_ || perturbations > 0;
  if (leaves()) return describe(point, FailureKind::LoopNotConverged, 0, failure), false;
  if (with_kept_factors(point)) return true;
  if (begins_elsewhere(point)) {
    const bool small = !keeps_factors() && can_untear_;
    if (small && contracts_untorn(point)) return true;
    branch_uncertain_ = small || !contracts_with_last_factors(point);
  }
  if (leaves()) return describe(point, FailureKind::LoopNotConverged, 0, failure), false;
  largest_quotient_ = keeps_factors() ? kSameBranchSparse : kSameBranch;
  expected_ = HUGE_VAL;
  for (std::uint32_t iteration = 1; iteration <= kMaxIterations; ++iteration) {
    if (const auto kind = newton_step(point, iteration == 1, perturbations))
      return describe(point, *kind, iteration, failure), false;
    if (iteration == 1 && !keeps_factors()) start_sign_ = system_.determinant_sign();
    scale_rows(step_);
    double full = 0, rest = 0;
    switch (damp_step(point, full, rest)) {
      case Damping::Converged: return ends_on_branch(point, failure);
      case Damping::Failed: return describe(point, FailureKind::LoopNotConverged, iteration, failure), false;
      case Damping::Decreased: break;
    }
    if (full > kShort) watch_contraction(full, rest);
    if (leaves()) return describe(point, FailureKind::LoopNotConverged, iteration, failure), false;
    if (rough_ && !branch_uncertain_ && rest <= kRough) return ends_on_branch(point, failure);
    for (std::size_t k = 0; k < unknowns_.size(); ++k) x_[k] = point.values[unknowns_[k]];
    if (keeps_factors() && rest <= kContraction * full && contract(point, full) == Kept::Converged)
      return true;
  }
  return describe(point, FailureKind::LoopNotConverged, kMaxIterations, failure), false;
}

/// The largest change of an inner variable since the start, relative to value plus nominal value.
double AlgebraicLoopSolver::inner_change(const Point& point) const {
  double largest = 0;
  for (std::size_t k = 0; k < inner_variables_.size(); ++k) {
    const double now = point.values[inner_variables_[k]], before = inner_start_[k];
    const double scale = std::max(std::abs(now), std::abs(before)) + nominals_[inner_variables_[k]];
    largest = std::max(largest, std::abs(now - before) / scale);
  }
  return largest;
}

/// Along a branch the determinant of the Jacobian keeps its sign, and on the next solution it often has the
/// other one. This is examined for small loops, after a longer way.
bool AlgebraicLoopSolver::ends_on_branch(const Point& point, Failure& failure) {
  double moved = inner_change(point);
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    moved = std::max(moved,
                     std::abs(point.values[unknowns_[k]] - start_[k]) / (std::abs(start_[k]) + nominal_[k]));
  if (!branch_uncertain_ && !keeps_factors() && moved > kNear)
    branch_uncertain_ =
        jacobian(point) != LinearSystem::Status::Ok || system_.determinant_sign() != start_sign_;
  if (leaves()) return describe(point, FailureKind::LoopNotConverged, 0, failure), false;
  return true;
}

/// With the tearing variables of the solution before the method begins elsewhere if an inner variable differs
/// much there: x2 = (s - x1) / 0.01, s having changed. That it contracts from there says nothing.
bool AlgebraicLoopSolver::begins_elsewhere(const Point& point) const {
  return !branch_uncertain_ && inner_change(point) > kNear;
}

/// Without tearing the method begins at the solution before. Whether it contracts from there, with the
/// factors of the last time that this was asked if they are good enough: new ones take most of the time.
bool AlgebraicLoopSolver::contracts_untorn(const Point& point) {
  Failure failure;
  restore_start(point);
  AlgebraicLoopSolver& solver = untorn();
  solver.begin_branch(true, rough_);
  solver.keeps_dense_ = true;
  const bool solved = solver.solve(point, failure) && !solver.branch_uncertain_;
  solver.keeps_dense_ = false;
  contraction_ = std::max(contraction_, solver.contraction_);
  if (!solved) set(point, start_);
  residuals(point, residual_.data());
  for (std::size_t k = 0; k < unknowns_.size(); ++k) x_[k] = point.values[unknowns_[k]];
  return solved;
}

/// Of a large loop: whether the first step contracts with the last factors, which are those of the solution
/// before as a rule; after a failure, with new ones.
bool AlgebraicLoopSolver::contracts_with_last_factors(const Point& point) {
  bool same = (factored_ || jacobian(point) == LinearSystem::Status::Ok) && correction(step_);
  if (!same) return false;
  const double full = length(step_);
  for (std::size_t k = 0; k < unknowns_.size(); ++k) point.values[unknowns_[k]] = x_[k] + step_[k];
  residuals(point, residual_.data());
  same = all_finite(residual_) && correction(trial_);
  const double quotient = same && full > 0 ? length(trial_) / full : 0;
  contraction_ = std::max(contraction_, quotient);
  set(point, x_);
  residuals(point, residual_.data());
  return same && quotient <= kSameBranchSparse;
}

/// Where the method contracts by theta it does so quadratically: the next step is hardly longer than the
/// simplified correction `rest` after this one, and its quotient about theta^2.
void AlgebraicLoopSolver::watch_contraction(double full, double rest) {
  const double quotient = rest / full;
  contraction_ = std::max(contraction_, quotient);
  if (quotient > largest_quotient_ || full > expected_) branch_uncertain_ = true;
  largest_quotient_ = std::min(largest_quotient_, std::max(kNextQuotient * quotient, kQuadratic));
  expected_ = kNextStep * rest;
}

std::optional<FailureKind> AlgebraicLoopSolver::newton_step(const Point& point, bool first,
                                                            int& perturbations) {
  ++iterations_;
  LinearSystem::Status status = jacobian(point);
  while (status == LinearSystem::Status::Singular && perturbations < 2)
    if (branch_uncertain_ = true; perturb(point, ++perturbations)) status = jacobian(point);
  if (status == LinearSystem::Status::NotFinite) return FailureKind::NotFinite;
  // Singular at the initial guess and near it: the equations are dependent. Singular later: Newton's method
  // diverged.
  if (status != LinearSystem::Status::Ok)
    return first ? FailureKind::LoopSingular : FailureKind::LoopNotConverged;
  if (!correction(step_)) return FailureKind::LoopSingular;
  return std::nullopt;
}

void AlgebraicLoopSolver::scale_rows(const std::vector<double>& step) {
  const SparsePattern& pattern = system_.pattern();
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t c = 0; c < unknowns_.size(); ++c) {
    // From far away the end counts: what rounding leaves of the step there the next one removes.
    const double size =
        std::min(std::abs(x_[c]) + std::abs(step[c]), kFarAway * std::abs(x_[c] + step[c]) + nominal_[c]);
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      row_scale_[pattern.rows[k]] += std::abs(system_.values()[k]) * size;
  }
}

AlgebraicLoopSolver::Damping AlgebraicLoopSolver::damp_step(const Point& point, double& full, double& rest) {
  const std::size_t n = unknowns_.size();
  full = length(step_);
  for (double damping = 1; damping >= kSmallestDamping; damping /= 2) {
    for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] = x_[k] + damping * step_[k];
    residuals(point, residual_.data());
    if (!all_finite(residual_)) continue;
    if (damping == 1) {
      if (full <= kStepTolerance && is_short(point, step_)) return Damping::Converged;
      if (rounding()) return Damping::Converged;
    }
    if (!correction(trial_)) continue;
    rest = length(trial_);
    if (damping == 1 && is_short(point, trial_)) {
      for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] += trial_[k];
      residuals(point, residual_.data());
      return Damping::Converged;
    }
    if (rest <= (1 - damping / 4) * full) return Damping::Decreased;
  }
  set(point, x_);
  residuals(point, residual_.data());
  return Damping::Failed;
}

bool AlgebraicLoopSolver::correction(std::vector<double>& out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = -residual_[k];
  system_.solve(out.data());
  return all_finite(out);
}

bool AlgebraicLoopSolver::rounding() const {
  for (std::size_t k = 0; k < residual_.size(); ++k)
    if (!(std::abs(residual_[k]) <= kResidualTolerance * row_scale_[k])) return false;
  return true;
}

bool AlgebraicLoopSolver::advance(const Point& point) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) point.values[unknowns_[k]] = x_[k] + trial_[k];
  residuals(point, residual_.data());
  if (!all_finite(residual_)) {
    set(point, x_);
    residuals(point, residual_.data());
    return false;
  }
  for (std::size_t k = 0; k < unknowns_.size(); ++k) x_[k] += trial_[k];
  return true;
}

AlgebraicLoopSolver::Kept AlgebraicLoopSolver::contract(const Point& point, double last) {
  for (int k = 1;; ++k) {
    const double size = length(trial_), theta = size / last;
    if (keeps_dense_) contraction_ = std::max(contraction_, theta);
    if (!(theta <= (keeps_dense_ ? kSameBranch : kContraction)) || !advance(point))
      return k == 1 ? Kept::NoContraction : Kept::Slow;
    const double error = theta / (1 - theta) * size, tolerance = rough_ ? kRough : kKeptTolerance;
    if (error <= tolerance || rounding()) return Kept::Converged;
    if (k + std::log(tolerance / error) / std::log(theta) > kMostCorrections) return Kept::Slow;
    if (!correction(trial_)) return Kept::Slow;
    last = size;
  }
}

bool AlgebraicLoopSolver::with_kept_factors(const Point& point) {
  if (!factored_ || !(keeps_factors() || keeps_dense_) || point.follow || !correction(trial_)) return false;
  const double size = length(trial_);
  if (!(size <= reach_)) return false;
  scale_rows(trial_);
  step_ = x_;  // where it begins
  if (advance(point)) {
    if (size <= kKeptTolerance || rounding()) return true;
    const Kept kept = correction(trial_) ? contract(point, size) : Kept::NoContraction;
    if (kept != Kept::NoContraction) {
      if (kept == Kept::Converged) reach_ = std::max(reach_, 2 * size);
      return kept == Kept::Converged;
    }
  }
  reach_ = size / 2;
  x_ = step_;
  set(point, x_);
  residuals(point, residual_.data());
  return false;
}

}  // namespace runtime
