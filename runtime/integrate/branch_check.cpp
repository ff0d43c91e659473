#include "runtime/integrate/branch_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/integrate/branch_end.h"
#include "runtime/rounding.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {

namespace {

// Largest change, relative to value plus nominal value, that a moment explains.
constexpr double kJump = 1e-3;
// The shortest step, as a part of the time to follow; below the second one it is no longer searched for a way
// but for the end.
constexpr double kShortest = 1e-11, kSearch = 1e-2;
// The quotient of corrections that is aimed at, and by how much times may change.
constexpr double kQuotient = 0.2, kShorter = 1.0 / 16, kLonger = 4;
constexpr int kMostSteps = 100, kMostSearches = 400;
// A prediction is trusted if it misses the solution by at most this part of its change.
constexpr double kPredicted = 0.25, kSmallChange = 1e-6;
constexpr std::size_t kMostJumps = BranchJump::kMost;
// The end of a branch is that of an event if this part of the time before the event is between them.
constexpr double kAtEvent = 1e-3;

double shortest_step(double from, double to) {
  return std::max(time_rounding(std::max(std::abs(from), std::abs(to))), kShortest * (to - from));
}

}  // namespace

BranchCheck::BranchCheck(ModelInstance& instance, ReducedSystem& system, Integrator& integrator,
                         std::span<const Step> observed, bool predict)
    : instance_(instance), system_(system), integrator_(integrator), observed_(observed) {
  if (system.form() != Form::Implicit) collect(instance.model.dynamic);
  dynamic_loops_ = loops_.size();
  end_.values.resize(variables_.size());
  if (dynamic_loops_ > 0) {
    std::vector<std::uint8_t> wanted(instance.model.variables, 0);
    for (const std::uint32_t v : variables_) wanted[v] = 1;
    dynamic_steps_ = needed_steps(instance.model, instance.model.dynamic, wanted);
    step_predictor_.emplace(instance.model, instance.model.dynamic, instance.nominal);
  }
  collect(observed);
  last_.values.resize(variables_.size());
  if (predict && !loops_.empty()) {  // without states all loops are observed ones
    std::vector<Step> steps = instance.model.dynamic;
    steps.insert(steps.end(), observed.begin(), observed.end());
    predictor_.emplace(instance.model, steps, instance.nominal);
  }
}

void BranchCheck::collect(std::span<const Step> steps) {
  const Model& model = instance_.model;
  for (const Step& step : steps) {
    if (step.kind != Step::Solve || model.loops[step.index].kind != AlgebraicLoop::Nonlinear) continue;
    const AlgebraicLoop& loop = model.loops[step.index];
    loops_.push_back(step.index);
    const auto first = model.tearing_variables.begin() + loop.first_unknown;
    variables_.insert(variables_.end(), first, first + loop.unknowns);
    for (const KernelBatch& batch : loop_batches(model, loop))
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        variables_.push_back(solved_variable(model, batch, row));
    loop_of_.resize(variables_.size(), step.index);
  }
}

/// With every loop of the schedule, whose solutions are followed from row to row, and everything that the
/// observed schedule reads, which is checked.
void BranchCheck::show_only(std::vector<std::uint8_t> variables) {
  const Model& model = instance_.model;
  const auto want = [&](std::uint32_t v) { variables[v] = 1; };
  const auto read = [&](const KernelBatch& batch) {
    for (std::uint32_t row = 0; row < batch.count; ++row) each_variable(model, batch, row, want);
  };
  for (const Step& step : observed_) {
    if (step.kind != Step::Solve)
      read(model.batches[step.index]);
    else
      std::ranges::for_each(loop_batches(model, model.loops[step.index]), read);
  }
  std::uint64_t rows = 0;
  for (const Step& step : model.dynamic) {
    rows += step.kind == Step::Solve ? 1 : model.batches[step.index].count;
    if (step.kind != Step::Solve) continue;
    const AlgebraicLoop& loop = model.loops[step.index];
    std::ranges::for_each(std::span(model.tearing_variables).subspan(loop.first_unknown, loop.unknowns),
                          want);
  }
  NeededRows shown(model, model.dynamic, {}, std::move(variables));
  if (shown.rows() < rows / 2) shown_.emplace(std::move(shown));
}

void BranchCheck::gather(double time, Solution& out) const {
  out.time = time;
  for (std::size_t k = 0; k < out.values.size(); ++k) out.values[k] = instance_.values[variables_[k]];
}

void BranchCheck::restore(const Solution& from) {
  for (std::size_t k = 0; k < from.values.size(); ++k) instance_.values[variables_[k]] = from.values[k];
}

bool BranchCheck::uncertain() const {
  return std::ranges::any_of(
      loops_, [&](std::uint32_t loop) { return instance_.evaluator.loop(loop).branch_uncertain(); });
}

void BranchCheck::begin(bool stay, bool rough) {
  for (const std::uint32_t loop : loops_) instance_.evaluator.loop(loop).begin_branch(stay, rough);
}

/// The largest change of a variable since then, and its number in `variables_`.
double BranchCheck::change(const Solution& from, std::size_t* most) const {
  double largest = 0;
  for (std::size_t k = 0; k < from.values.size(); ++k) {
    const double now = instance_.values[variables_[k]];
    const double scale = std::max(std::abs(now), std::abs(from.values[k])) + instance_.nominal[variables_[k]];
    const double change = std::abs(now - from.values[k]) / scale;
    if (!(change > largest)) continue;
    largest = change;
    if (most) *most = k;
  }
  return largest;
}

void BranchCheck::restart(double time) {
  known_ = lost_ = false;
  if (loops_.empty()) return;
  if (step_predictor_) step_predictor_.emplace(instance_.model, instance_.model.dynamic, instance_.nominal);
  if (!instance_.observe(time, loops_.size() > dynamic_loops_ ? observed_ : std::span<const Step>{})) {
    instance_.failure() = {};
    return;
  }
  gather(time, last_);
  known_ = true;
  if (const auto ended = std::exchange(ended_before_event_, {})) record_jump(*ended);
}

void BranchCheck::begin_step() {
  if (dynamic_loops_ > 0) begin();
}

bool BranchCheck::accepts_step() {
  if (dynamic_loops_ == 0 || system_.form() != Form::Explicit) return true;
  const double time = integrator_.time();
  gather(time, end_);
  if (!uncertain() || !known_ || !(time > last_.time)) {
    step_predictor_->record(time, instance_.values);
    return true;
  }
  held_ = instance_.values;
  if (predicted_step(time)) {
    instance_.values.swap(held_);
    instance_.failure() = {};
    step_predictor_->record(time, instance_.values);
    return true;
  }
  instance_.failure() = {};
  Solution at{last_.time, {last_.values.begin(), last_.values.begin() + std::ptrdiff_t(end_.values.size())}};
  std::size_t most = 0;
  const End end = follow(at, time, time - at.time, [&](double t) {
    integrator_.interpolate(t);
    return system_.evaluate(t, integrator_.y(), integrator_.rates(), dynamic_steps_);
  });
  restore(end_);
  bool accepted = end == End::Unclear || (end == End::Reached && change(at, &most) <= kJump);
  if (!accepted && end != End::Reached) change(at, &most);
  ended_ = loop_of_[most];
  shorter_ = end == End::Reached ? (time - last_.time) / 4 : at.time - last_.time;
  instance_.values.swap(held_);
  instance_.failure() = {};
  integrator_.interpolate(time);
  if (accepted) step_predictor_->record(time, instance_.values);
  return accepted;
}

Failure BranchCheck::failure() const {
  return branch_end(instance_.model, ended_, last_.time, [&](std::uint32_t variable) {
    const auto at = std::ranges::find(variables_, variable);
    return last_.values[static_cast<std::size_t>(at - variables_.begin())];
  });
}

/// Whether the failure is that of a loop without a solution; then `ended_` is the loop.
bool BranchCheck::ends_at(const Failure& failure) {
  const bool loop =
      failure.kind == FailureKind::LoopNotConverged || failure.kind == FailureKind::LoopSingular;
  if (!loop || failure.linear || failure.variables.empty()) return false;
  const auto at = std::ranges::find(variables_, failure.variables.front().variable);
  if (at == variables_.end()) return false;
  ended_ = loop_of_[static_cast<std::size_t>(at - variables_.begin())];
  return true;
}

/// Moves `at` along the branch, as far as it goes. The values of the instance are those of the last attempt:
/// Jumps: the solution just behind the end; Lost: there was none. Unclear: it takes too many steps.
BranchCheck::End BranchCheck::follow(Solution& at, double to, double length, const Solve& solve) {
  const double whole = to - at.time;
  int steps = 0, searches = 0;
  // Rough solutions save iterations. But inner variables may magnify their errors, and nothing follows from a
  // step that fails from there: it is tried again from the last exact one.
  bool may_be_rough = true, is_rough = false;
  Solution exact = at;
  End end = End::Reached;
  while (at.time < to && end == End::Reached) {
    const double next = at.time + length < to ? at.time + length : to, tried = next - at.time;
    const bool searching = tried < kSearch * whole;
    if (++(searching ? searches : steps) > (searching ? kMostSearches : kMostSteps)) {
      end = End::Unclear;
      break;
    }
    const double least = shortest_step(at.time, to);
    const bool shortest = tried <= 2 * least, rough = may_be_rough && next < to && !shortest;
    restore(at);
    begin(!shortest, rough);
    const bool solved = solve(next), same = solved && !uncertain();
    length = std::max(tried * length_factor(), least);
    if (!same && is_rough) {
      at = exact;
      may_be_rough = is_rough = false;
      length = tried;
      steps = searches = 0;
      continue;
    }
    if (!same && !shortest) {
      length = std::min(length, std::max(tried / 2, least));
      continue;
    }
    if (!same && !solved)
      end = End::Lost;
    else if (!same && change(at) > kJump)
      end = End::Jumps;
    else
      gather(next, at), is_rough = rough;
    if (!is_rough) exact = at;
  }
  begin();
  return end;
}

/// By which the last time to a solution is to be multiplied for the next one, after success or not: the
/// quotient of corrections is proportional to it.
double BranchCheck::length_factor() const {
  double quotient = 0;
  for (const std::uint32_t loop : loops_)
    quotient = std::max(quotient, instance_.evaluator.loop(loop).contraction());
  return std::clamp(kQuotient / std::max(quotient, kQuotient / kLonger), kShorter, kLonger);
}

void BranchCheck::record_jump(const Solution& from) {
  std::size_t most = 0;
  change(from, &most);
  const AlgebraicLoop& loop = instance_.model.loops[loop_of_[most]];
  const KernelBatch& batch = loop_batches(instance_.model, loop).back();
  if (jumps_.size() < kMostJumps)
    jumps_.push_back({from.time, loop.unknowns, variables_[most], instance_.model.equations[batch.equations],
                      from.values[most], instance_.values[variables_[most]]});
}

bool BranchCheck::solve_row(double time) {
  integrator_.interpolate(time);
  const double *y = integrator_.y(), *rates = integrator_.rates();
  return shown_only_ ? system_.output(time, y, rates, observed_, *shown_)
                     : system_.output(time, y, rates, observed_);
}

/// The row from predicted values. False: they lead to no solution, or to one that they do not describe.
bool BranchCheck::predicted(double time) {
  std::optional<LoopPredictor>& predictor = predictor_ ? predictor_ : step_predictor_;
  if (!predictor || !predictor->predict(time, instance_.values)) return false;
  Solution prediction{time, std::vector<double>(variables_.size())};
  gather(time, prediction);
  begin(true);
  return solve_row(time) && !uncertain() && meets(prediction, change(last_));
}

/// The same at the end of a step, whose solution it has to be. Its unknowns may be far from those before, as
/// the positions of a car are, and yet go on as they did.
bool BranchCheck::predicted_step(double time) {
  if (!step_predictor_->predict(time, instance_.values)) return false;
  Solution prediction{time, std::vector<double>(end_.values.size())};
  gather(time, prediction);
  const Solution before{last_.time,
                        {last_.values.begin(), last_.values.begin() + std::ptrdiff_t(end_.values.size())}};
  begin(true);
  integrator_.interpolate(time);
  const bool solved =
      system_.evaluate(time, integrator_.y(), integrator_.rates(), dynamic_steps_) && !uncertain();
  begin();
  return solved && change(end_) <= kSmallChange && meets(prediction, change(before));
}

/// Whether the solution misses its prediction by no more than a part of what has changed.
bool BranchCheck::meets(const Solution& prediction, double changed) const {
  double missed = 0;
  for (std::size_t l = 0, k = 0; k < prediction.values.size(); ++l) {
    const AlgebraicLoop& loop = instance_.model.loops[loops_[l]];
    for (std::uint32_t u = 0; u < loop.unknowns; ++u) {
      const double now = instance_.values[variables_[k + u]];
      missed = std::max(missed, std::abs(now - prediction.values[k + u]) /
                                    (std::abs(now) + instance_.nominal[variables_[k + u]]));
    }
    while (k < variables_.size() && loop_of_[k] == loops_[l]) ++k;
  }
  return missed <= std::max(kSmallChange, kPredicted * changed);
}

bool BranchCheck::output(double time) {
  if (loops_.empty()) return solve_row(time);
  bool solved = false;
  if (!known_ || !(time > last_.time)) {
    if (known_ && time == last_.time) restore(last_);
    begin();
    solved = lost_ ? solve_anew(time) : solve_row(time);
    if (solved && std::exchange(lost_, false)) record_jump(last_);
  } else if (predicted(time)) {
    begin();
    solved = true;
  } else {
    instance_.failure() = {};
    restore(last_);
    begin(true);
    solved = (solve_row(time) && !uncertain()) || follow_rows(time, length_factor());
    begin();
  }
  if (!solved) return false;
  gather(time, last_);
  known_ = true;
  if (predictor_) predictor_->record(time, instance_.values);
  return true;
}

bool BranchCheck::output_shown(double time) {
  shown_only_ = shown_.has_value();
  const bool solved = output(time);
  shown_only_ = false;
  return solved;
}

/// From the end of a branch to any other one.
bool BranchCheck::solve_anew(double time) {
  restore(last_);
  instance_.evaluator.allow_continuation(true, false);
  const bool solved = solve_row(time);
  instance_.evaluator.allow_continuation(false);
  return solved;
}

/// From the last solution, over the ends of branches if there are any.
bool BranchCheck::follow_rows(double time, double factor) {
  const Solution start = last_;
  for (;; factor = 1) {
    instance_.failure() = {};
    const double length = factor * (time - last_.time);
    switch (follow(last_, time, length, [&](double t) { return solve_row(t); })) {
      case End::Reached: return true;
      case End::Jumps:
        record_jump(last_);
        gather(last_.time + shortest_step(last_.time, time), last_);
        if (last_.time < time && jumps_.size() < kMostJumps) continue;
        return solve_row(time);
      case End::Lost: {
        const Failure found = std::exchange(instance_.failure(), Failure{});
        if (solve_anew(time)) return record_jump(last_), true;
        instance_.failure() = ends_at(found) ? failure() : found;
        return false;
      }
      case End::Unclear: restore(start); return solve_row(time);
    }
  }
}

void BranchCheck::approach_event(double time) {
  const double begin = last_.time;
  if (loops_.empty() || output(time)) return;
  instance_.failure() = {};
  if (!known_) return;
  restore(last_);
  // Just behind a crossing the equations before it may not have a solution; but a branch that ends long
  // before the event does not end because of it.
  if (time - last_.time > kAtEvent * (time - begin)) ended_before_event_ = last_;
}

void BranchCheck::approach_end(double time) {
  instance_.failure() = {};
  if (known_) restore(last_);
  begin(true);
  if ((!solve_row(time) || uncertain()) && known_) restore(last_);
  begin();
  instance_.failure() = {};
}

void BranchCheck::end_part(double time) {
  if (loops_.empty() || (known_ && last_.time == time)) return;
  const bool observed = loops_.size() > dynamic_loops_;
  if (observed || time < integrator_.time()) {
    if (output(time)) return;
    instance_.failure() = {};
    known_ = false;
    lost_ = true;
    return;
  }
  last_.time = time;
  std::ranges::copy(end_.values, last_.values.begin());
  known_ = true;
}

}  // namespace runtime
