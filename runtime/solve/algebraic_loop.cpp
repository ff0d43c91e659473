#include "runtime/solve/algebraic_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/linear/dependent_rows.h"
#include "runtime/numbers.h"
#include "runtime/solve/loop_dependence.h"
#include "runtime/solve/untorn_loop.h"

namespace runtime {

namespace {

constexpr int kMaxSteps = 4;  // of a linear loop: one and the refinements
// Largest backward error of a linear, and of a nonlinear loop.
constexpr double kLinearAccuracy = 1e-13, kNonlinearAccuracy = 1e-10;
constexpr double kNotSolved = 1e-7;  // backward error of what is no solution at all
// A torn linear loop whose backward error is larger is solved without tearing, too. If both solutions differ
// by less than this, relative to value plus nominal value, what the error showed is the rounding of inner
// variables, and up to this multiple of it is tolerated from then on.
constexpr double kSameSolution = 1e-11, kTolerated = 10;
// Relative to the nominal value: below, a value is as good as zero. (Newton's method ends at a step that is
// small relative to nominal values.)
constexpr double kLinearFloor = 1e-3, kNonlinearFloor = 1;
// A torn Jacobian of this condition is looked at as a whole, and so is a loop with a result of this size
// relative to nominal and initial values.
constexpr double kSuspectCondition = 1e8, kSuspectSize = 1e10;
constexpr double kWeaker =
    10;  // a pivot or a row that is this much smaller than those looked at is looked at anew
constexpr double kLeftOver = 1e-12;  // of dependent equations: relative to their terms, a rounding error
constexpr double kSingular = 1 / (64 * std::numeric_limits<double>::epsilon());  // condition

}  // namespace

AlgebraicLoopSolver::AlgebraicLoopSolver(const Model& model, const AlgebraicLoop& loop,
                                         const std::vector<double>& nominal, GradientIndex& index)
    : model_(model),
      loop_(loop),
      index_(index),
      nominals_(nominal),
      unknowns_(model.tearing_variables.data() + loop.first_unknown, loop.unknowns),
      kind_(loop.kind),
      system_(SparsePattern{}),
      terms_(model, {}, nominal, 0),
      can_untear_(can_untear(model, loop)) {
  const std::size_t n = unknowns_.size();
  const std::span<const KernelBatch> batches = loop_batches(model, loop);
  const auto inner = static_cast<std::size_t>(
      std::find_if(batches.begin(), batches.end(),
                   [](const KernelBatch& batch) { return batch.role == Role::Residual; }) -
      batches.begin());
  inner_ = batches.first(inner);
  residual_batches_ = batches.subspan(inner);
  terms_ = ResidualTerms(model, residual_batches_, nominals_,
                         kind_ == AlgebraicLoop::Nonlinear ? kNonlinearFloor : kLinearFloor);
  GradientBuilder builder(gradients_, model, n, index);
  for (std::uint32_t k = 0; k < n; ++k) builder.seed(unknowns_[k], k, Gradients::kOnePlace);
  std::vector<Entry> entries;
  std::vector<std::uint32_t> places, positions;
  std::uint32_t equation = 0;
  for (std::uint32_t r = 0; r < loop.batches; ++r) {
    const std::uint64_t offset = builder.add_part(loop.first_batch + r);
    for (std::uint32_t row = 0; row < batches[r].count; ++row) {
      builder.collect(batches[r], row, offset);
      builder.unite();
      builder.emit();
      if (r < inner) {
        builder.record(solved_variable(model, batches[r], row));
        continue;
      }
      for (std::uint32_t column : builder.found) {
        entries.push_back({equation, column});
        places.push_back(builder.place(column));
      }
      ++equation;
    }
  }
  builder.finish();
  system_ = LinearSystem(compress(n, entries, positions));
  gather_.assign(system_.pattern().nonzeros(), Gradients::kZeroPlace);
  for (std::size_t k = 0; k < places.size(); ++k) gather_[positions[k]] = places[k];
  nominal_.reserve(n);
  for (std::uint32_t variable : unknowns_) nominal_.push_back(nominal[variable]);
  if (kind_ == AlgebraicLoop::Nonlinear)
    for (const KernelBatch& batch : inner_)
      for (std::uint32_t row = 0; row < batch.count; ++row)
        inner_variables_.push_back(solved_variable(model, batch, row));
  inner_start_.assign(inner_variables_.size(), 0.0);
  for (auto* v : {&start_, &x_, &step_, &trial_, &residual_, &row_scale_}) v->assign(n, 0.0);
}

void AlgebraicLoopSolver::evaluate_inner(const Point& point) const {
  for (const KernelBatch& batch : inner_) evaluate(model_, batch, point, nullptr);
  if (point.follow && (*point.follow)())
    for (const KernelBatch& batch : inner_) evaluate(model_, batch, point, nullptr);
}

void AlgebraicLoopSolver::residuals(const Point& point, double* out) const {
  evaluate_inner(point);
  for (const KernelBatch& batch : residual_batches_) {
    evaluate(model_, batch, point, out);
    out += batch.count;
  }
}

void AlgebraicLoopSolver::set(const Point& point, const std::vector<double>& x) const {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) point.values[unknowns_[k]] = x[k];
}

LinearSystem::Status AlgebraicLoopSolver::evaluate_jacobian(const Point& point) {
  factored_ = false;
  gradients_.begin(model_, point, 0);
  gradients_.run_all();
  std::span<double> values = system_.values();
  for (std::size_t k = 0; k < gather_.size(); ++k) values[k] = gradients_.values()[gather_[k]];
  return all_finite(values) ? LinearSystem::Status::Ok : LinearSystem::Status::NotFinite;
}

LinearSystem::Status AlgebraicLoopSolver::jacobian(const Point& point) {
  evaluate_jacobian(point);
  ++factorisations_;
  const LinearSystem::Status status = system_.factor();
  factored_ = status == LinearSystem::Status::Ok;
  return status;
}

LinearSystem::Status AlgebraicLoopSolver::factor(const Point& point) {
  return kind_ == AlgebraicLoop::Fixed && factored_ ? LinearSystem::Status::Ok : jacobian(point);
}

/// Checks that no coefficient of a solved variable is zero. They depend on parameters alone: once is enough.
bool AlgebraicLoopSolver::check_pivots(const Point& point, Failure& failure) {
  std::vector<double> partials;
  for (const KernelBatch& batch : inner_) {
    if (batch.kernel == kNone) continue;
    partials.resize(std::size_t{batch.slots} * batch.count);
    evaluate_partials(model_, batch, point, partials.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const double pivot = partials[std::size_t{batch.solved} * batch.count + row];
      if (pivot != 0 && std::isfinite(pivot)) continue;
      failure = make_failure(point, FailureKind::ZeroPivot);
      failure.equations.push_back({model_.equations[batch.equations + row], pivot});
      failure.variables.push_back({solved_variable(model_, batch, row), 0, 0});
      for (std::uint32_t k = 0; k < batch.params; ++k) {
        const std::uint32_t parameter =
            model_.tables[batch.table + (std::size_t{batch.slots} + k) * batch.count + row];
        failure.parameters.push_back({parameter, point.parameters[parameter]});
      }
      return false;
    }
  }
  pivots_checked_ = true;
  return true;
}

/// Where the loop starts, tearing and inner variables.
void AlgebraicLoopSolver::remember_start(const Point& point) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const double value = point.values[unknowns_[k]];
    start_[k] = x_[k] = std::isfinite(value) ? value : 0.0;
    point.values[unknowns_[k]] = x_[k];
  }
  for (std::size_t k = 0; k < inner_variables_.size(); ++k) {
    const double value = point.values[inner_variables_[k]];
    inner_start_[k] = std::isfinite(value) ? value : 0.0;
  }
}

void AlgebraicLoopSolver::restore_start(const Point& point) const {
  set(point, start_);
  for (std::size_t k = 0; k < inner_variables_.size(); ++k)
    point.values[inner_variables_[k]] = inner_start_[k];
}

bool AlgebraicLoopSolver::solve(const Point& point, Failure& failure) {
  remember_start(point);
  Failure found;
  if (solve_from_start(point, found)) return true;
  if (kind_ == AlgebraicLoop::Nonlinear) factored_ = false;  // factors of some point on the way
  restore_start(point);
  failure = std::move(found);
  return false;
}

bool AlgebraicLoopSolver::solve_from_start(const Point& point, Failure& failure) {
  solved_untorn_ = false;
  if (prefer_untorn_) {
    if (solve_untorn(point, failure)) return true;
    if (kind_ != AlgebraicLoop::Nonlinear || leaves()) return false;
    prefer_untorn_ = false;
    restore_start(point);
  }
  if (!pivots_checked_ && !check_pivots(point, failure)) return false;
  if (solve_torn(point, failure)) {
    if (rough_) return true;
    switch (accuracy(point)) {
      case Accuracy::Good: return true;
      case Accuracy::NoSolution: describe(point, FailureKind::LoopNotConverged, 0, failure); return false;
      case Accuracy::NearlySingular:
        return can_untear_ ? solve_untorn(point, failure) : decide_rank(point, failure);
      case Accuracy::Poor: {
        const std::vector<double> torn = x_;
        prefer_untorn_ = refine_untorn(point, failure);
        if (prefer_untorn_ && kind_ != AlgebraicLoop::Nonlinear && distance(point, torn) <= kSameSolution) {
          tolerated_error_ = kTolerated * backward_error_;
          prefer_untorn_ = false;
          return true;
        }
        // A nonlinear loop has other guesses: the values at the start.
        if (prefer_untorn_ || kind_ != AlgebraicLoop::Nonlinear) return prefer_untorn_;
        break;
      }
    }
  }
  if (!can_untear_ || leaves()) return false;
  restore_start(point);
  Failure untorn;
  prefer_untorn_ = solve_untorn(point, untorn);
  // Of a nonlinear loop the tearing variables tell more than all unknowns.
  if (!prefer_untorn_ && untorn.kind == FailureKind::LoopSingular && kind_ != AlgebraicLoop::Nonlinear)
    failure = std::move(untorn);
  return prefer_untorn_;
}

bool AlgebraicLoopSolver::solve_torn(const Point& point, Failure& failure) {
  return kind_ == AlgebraicLoop::Nonlinear ? newton(point, failure) : linear(point, failure);
}

/// The loop without tearing, with the values of this solver as guesses.
struct AlgebraicLoopSolver::Untorn {
  Untorn(const Model& torn, const AlgebraicLoop& loop, const std::vector<double>& nominal,
         GradientIndex& index)
      : model(untorn_loop(torn, loop)), solver(model, model.loops.front(), nominal, index) {}
  Model model;
  AlgebraicLoopSolver solver;
};

AlgebraicLoopSolver::~AlgebraicLoopSolver() = default;

std::uint64_t AlgebraicLoopSolver::iterations() const {
  return iterations_ + (untorn_ ? untorn_->solver.iterations_ : 0);
}

std::uint64_t AlgebraicLoopSolver::factorisations() const {
  return factorisations_ + (untorn_ ? untorn_->solver.factorisations_ : 0);
}

int AlgebraicLoopSolver::determinant_sign(const Point& point) {
  if (solved_untorn_ && untorn_ && untorn_->solver.factored_)
    return 2 * untorn_->solver.system_.determinant_sign();
  return factored_ || jacobian(point) == LinearSystem::Status::Ok ? system_.determinant_sign() : 0;
}

int AlgebraicLoopSolver::untorn_determinant_sign(const Point& point) {
  return untorn().jacobian(point) == LinearSystem::Status::Ok ? 2 * untorn().system_.determinant_sign() : 0;
}

void AlgebraicLoopSolver::parameters_changed() {
  factored_ = pivots_checked_ = rank_decided_ = prefer_untorn_ = false;
  tolerated_error_ = 0;
  terms_.invalidate();
  if (untorn_) untorn_->solver.parameters_changed();
}

/// From the values of all variables at the start, which no substitution has made large; then from those
/// that follow from the tearing variables.
bool AlgebraicLoopSolver::solve_untorn(const Point& point, Failure& failure) {
  if (kind_ == AlgebraicLoop::Nonlinear) {
    untorn().begin_branch(stay_, rough_);
    const bool solved = untorn().solve(point, failure);
    branch_uncertain_ = branch_uncertain_ || !solved || untorn().branch_uncertain_;
    contraction_ = std::max(contraction_, untorn().contraction_);
    if (solved) return true;
    if (leaves()) return false;
    set(point, start_);
  }
  return refine_untorn(point, failure);
}

bool AlgebraicLoopSolver::refine_untorn(const Point& point, Failure& failure) {
  solved_untorn_ = true;
  // Inner variables that tearing has computed with large errors are no guesses.
  evaluate_inner(point);
  AlgebraicLoopSolver& solver = untorn();
  for (const std::uint32_t variable : solver.unknowns_) {
    double& value = point.values[variable];
    if (!(std::abs(value) < kSuspectSize * nominals_[variable])) value = 0;
  }
  solver.begin_branch(stay_, rough_);
  const bool solved = solver.solve(point, failure);
  branch_uncertain_ = branch_uncertain_ || solver.branch_uncertain_;
  contraction_ = std::max(contraction_, solver.contraction_);
  return solved;
}

AlgebraicLoopSolver& AlgebraicLoopSolver::untorn() {
  if (!untorn_) untorn_ = std::make_unique<Untorn>(model_, loop_, nominals_, index_);
  return untorn_->solver;
}

/// That of the residual equations at the point, where `residual_` has been evaluated. Partial derivatives of
/// an earlier point are good enough to find that it is within the limit.
double AlgebraicLoopSolver::backward_error(const Point& point, double limit) {
  const double error = terms_.backward_error(point, residual_);
  if (error <= limit || kind_ == AlgebraicLoop::Fixed) return error;
  terms_.invalidate();
  return terms_.backward_error(point, residual_);
}

/// Judges the solution at the point, where `residual_` has been evaluated.
AlgebraicLoopSolver::Accuracy AlgebraicLoopSolver::accuracy(const Point& point) {
  const double limit = kind_ == AlgebraicLoop::Nonlinear ? kNonlinearAccuracy : kLinearAccuracy;
  const bool linear = kind_ != AlgebraicLoop::Nonlinear;
  if (can_untear_ &&
      !((linear ? backward_error_ : backward_error(point, limit)) <= std::max(limit, tolerated_error_)))
    return Accuracy::Poor;
  // The Jacobian of a nonlinear loop may be singular at a solution. Where it is singular elsewhere, steps are
  // so long that any residual looks like their rounding error.
  if (!linear)
    return can_untear_ || backward_error(point, limit) <= kNotSolved ? Accuracy::Good : Accuracy::NoSolution;
  bool suspect = false;
  if (factored_ && (!rank_decided_ || has_weakened())) {
    suspect = system_.condition_estimate() > kSuspectCondition || (can_untear_ && cancels(point));
    remember_strength();
  }
  rank_decided_ = true;
  for (std::size_t k = 0; k < unknowns_.size() && !suspect; ++k)
    suspect = std::abs(point.values[unknowns_[k]]) > kSuspectSize * (nominal_[k] + std::abs(start_[k]));
  return suspect ? Accuracy::NearlySingular : Accuracy::Good;
}

/// Whether the coefficients have come nearer to a singular matrix since the rank was decided.
bool AlgebraicLoopSolver::has_weakened() const {
  if (kind_ == AlgebraicLoop::Fixed || decided_scales_.empty()) return false;
  if (system_.smallest_pivot() < decided_pivot_ / kWeaker) return true;
  const std::span<const double> scales = system_.row_scales();
  for (std::size_t r = 0; r < scales.size(); ++r)
    if (scales[r] > kWeaker * decided_scales_[r]) return true;
  return false;
}

void AlgebraicLoopSolver::remember_strength() {
  if (kind_ == AlgebraicLoop::Fixed) return;
  const std::span<const double> scales = system_.row_scales();
  decided_pivot_ =
      rank_decided_ ? std::min(decided_pivot_, system_.smallest_pivot()) : system_.smallest_pivot();
  if (!rank_decided_ || decided_scales_.empty()) decided_scales_.assign(scales.size(), 0.0);
  for (std::size_t r = 0; r < scales.size(); ++r)
    decided_scales_[r] = std::max(decided_scales_[r], scales[r]);
}

/// Whether the Jacobian of a torn loop has a row or a column of differences of nearly equal numbers: it could
/// as well be zero, but scaled to 1 it looks like any other. Columns are looked at with rows scaled.
bool AlgebraicLoopSolver::cancels(const Point& point) {
  constexpr double kChange = 1e-8, kMany = 1e4;
  gradients_.begin(model_, point, 0);
  gradients_.perturb(kChange);
  gradients_.run_all();
  const SparsePattern& pattern = system_.pattern();
  struct Size {
    double value = 0, change = 0;
    void add(double v, double c) {
      value = std::max(value, std::abs(v)), change = std::max(change, std::abs(c));
    }
    bool cancels() const { return change > kMany * kChange * value; }
  };
  std::vector<Size> rows(pattern.n), columns(pattern.n);
  const std::span<const double> values = system_.values();
  auto change = [&](std::size_t k) { return gradients_.values()[gather_[k]] - values[k]; };
  for (std::size_t k = 0; k < gather_.size(); ++k) rows[pattern.rows[k]].add(values[k], change(k));
  for (std::size_t c = 0; c < pattern.n; ++c)
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k) {
      const double scale = 1 / std::max(rows[pattern.rows[k]].value, std::numeric_limits<double>::min());
      columns[c].add(values[k] * scale, change(k) * scale);
    }
  auto any = [](const std::vector<Size>& sizes) { return std::ranges::any_of(sizes, &Size::cancels); };
  return any(rows) || any(columns);
}

/// Of a loop without inner variables: whether its Jacobian at the solution is regular.
bool AlgebraicLoopSolver::decide_rank(const Point& point, Failure& failure) {
  if (system_.condition_estimate() < kSingular) return true;
  describe(point, FailureKind::LoopSingular, 1, failure);
  return false;
}

bool AlgebraicLoopSolver::linear(const Point& point, Failure& failure) {
  const std::size_t n = unknowns_.size();
  const double limit = std::max(kLinearAccuracy, tolerated_error_);
  double error = HUGE_VAL;
  residuals(point, residual_.data());
  for (int step = 0; step < kMaxSteps; ++step) {
    if (!all_finite(residual_)) return describe_not_finite(point, failure), false;
    if (step == 0 && !(kind_ == AlgebraicLoop::Fixed && factored_)) {
      const LinearSystem::Status status = jacobian(point);
      if (status != LinearSystem::Status::Ok) {
        std::fill(step_.begin(), step_.end(), 0.0);
        describe(
            point,
            status == LinearSystem::Status::Singular ? FailureKind::LoopSingular : FailureKind::NotFinite, 1,
            failure);
        return false;
      }
    }
    for (std::size_t k = 0; k < n; ++k) step_[k] = -residual_[k];
    system_.solve(step_.data());
    if (!all_finite(step_)) return describe(point, FailureKind::LoopSingular, 1, failure), false;
    for (std::size_t k = 0; k < n; ++k) x_[k] += step_[k];
    set(point, x_);
    residuals(point, residual_.data());
    const double before = error;
    error = backward_error(point, limit);
    if (error <= limit || !(error < before / 2)) break;
  }
  backward_error_ = error;
  return true;
}

Failure AlgebraicLoopSolver::make_failure(const Point& point, FailureKind kind) const {
  Failure failure{.kind = kind, .time = point.time, .unknowns = static_cast<std::uint32_t>(unknowns_.size())};
  for (const KernelBatch& batch : inner_) failure.inner += batch.count;
  failure.linear = kind_ != AlgebraicLoop::Nonlinear;
  return failure;
}

void AlgebraicLoopSolver::describe(const Point& point, FailureKind kind, std::uint32_t iterations,
                                   Failure& failure) {
  const std::size_t n = unknowns_.size();
  failure = make_failure(point, kind);
  failure.iterations = iterations;
  if (kind == FailureKind::LoopSingular && kind_ != AlgebraicLoop::Nonlinear)
    describe_dependence(point, failure);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t shown = std::min(n, kFailureDetails);
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    auto size = [&](std::uint32_t k) { return std::isnan(residual_[k]) ? HUGE_VAL : std::abs(residual_[k]); };
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  for (std::size_t k = 0; k < shown && !failure.dependent; ++k)
    failure.equations.push_back({residual_equation(order[k]), residual_[order[k]]});
  // The singular column first, then the unknowns with the largest steps.
  auto show = [&](std::uint32_t k) {
    failure.variables.push_back({unknowns_[k], point.values[unknowns_[k]], 0});
  };
  std::iota(order.begin(), order.end(), 0u);
  const bool singular = kind == FailureKind::LoopSingular && n > 0;
  const std::uint32_t first = singular ? std::min<std::uint32_t>(system_.singular_column(), n - 1) : kNone;
  if (singular) show(first);
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    auto size = [&](std::uint32_t k) {  // a strict weak order, also of values that are not finite
      const double relative = std::abs(step_[k]) / nominal_[k];
      return std::isnan(relative) ? HUGE_VAL : relative;
    };
    const double x = size(a), y = size(b);
    return x != y ? x > y : a < b;
  });
  for (std::size_t k = 0; k < shown && failure.variables.size() < kFailureDetails; ++k)
    if (order[k] != first) show(order[k]);
  for (const KernelBatch& batch : inner_)
    for (std::uint32_t row = 0; row < batch.count && failure.followers.size() < kFailureDetails; ++row) {
      const std::uint32_t variable = solved_variable(model_, batch, row);
      failure.followers.push_back(
          {variable, model_.equations[batch.equations + row], point.values[variable]});
    }
}

std::uint32_t AlgebraicLoopSolver::residual_equation(std::uint32_t row) const {
  const KernelBatch* batch = residual_batches_.data();
  while (row >= batch->count) row -= (batch++)->count;
  return model_.equations[batch->equations + row];
}

/// Of a linear loop with a singular Jacobian: the equations that depend on each other, and what their
/// combination leaves. Only without tearing: inner equations would not take part.
void AlgebraicLoopSolver::describe_dependence(const Point& point, Failure& failure) {
  if (!inner_.empty()) return;
  const std::vector<double> factors = dependent_rows(system_.pattern(), system_.values());
  if (factors.empty()) return;
  set(point, start_);
  residuals(point, residual_.data());
  terms_.backward_error(point, residual_);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t k = 0; k < factors.size(); ++k) {
    if (factors[k] == 0) continue;
    rows.push_back(k);
    failure.left_over += factors[k] * residual_[k];
    failure.rounding += kLeftOver * std::abs(factors[k]) * terms_.magnitudes()[k];
  }
  if (!std::isfinite(failure.left_over)) return;
  failure.dependent = true;
  failure.dependent_equations = static_cast<std::uint32_t>(rows.size());
  std::vector<BatchRow> all;
  for (const KernelBatch& batch : residual_batches_)
    for (std::uint32_t row = 0; row < batch.count; ++row)
      all.push_back({static_cast<std::uint32_t>(&batch - model_.batches.data()), row});
  EquationRows equations(model_, nominals_);
  describe_leftovers(equations, all, factors, unknowns_, point, failure);
  // The largest first, of equal ones the last that was written.
  std::ranges::sort(rows, std::greater{}, [&](std::uint32_t k) {
    return std::pair(std::round(std::abs(factors[k]) * 1e6), residual_equation(k));
  });
  rows.resize(std::min(rows.size(), kFailureDetails));
  for (const std::uint32_t k : rows) failure.equations.push_back({residual_equation(k), factors[k]});
}

void AlgebraicLoopSolver::describe_not_finite(const Point& point, Failure& failure) const {
  failure = make_failure(point, FailureKind::NotFinite);
  auto full = [](const auto& list) { return list.size() == kFailureDetails; };
  auto add = [&](const KernelBatch& batch, std::uint32_t row, double value) {
    if (std::isfinite(value) || full(failure.equations)) return;
    failure.equations.push_back({model_.equations[batch.equations + row], value});
    for (std::uint32_t slot = 0; slot < batch.slots && !full(failure.variables); ++slot) {
      const std::uint32_t variable = slot_variable(model_, batch, slot, row);
      if (std::ranges::find(failure.variables, variable, &FailedVariable::variable) ==
          failure.variables.end())
        failure.variables.push_back({variable, point.values[variable], 0});
    }
  };
  // The first inner variable that is not finite: later ones and residuals follow from it.
  for (const KernelBatch& batch : inner_)
    for (std::uint32_t row = 0; row < batch.count && failure.equations.empty(); ++row)
      add(batch, row, point.values[solved_variable(model_, batch, row)]);
  if (!failure.equations.empty()) return;
  std::size_t position = 0;
  for (const KernelBatch& batch : residual_batches_)
    for (std::uint32_t row = 0; row < batch.count; ++row) add(batch, row, residual_[position++]);
}

}  // namespace runtime
