#include "runtime/integrate/time_loop.h"

#include <algorithm>
#include <utility>

#include "runtime/integrate/branch_end.h"
#include "runtime/integrate/checkpoint.h"
#include "runtime/integrate/kept_solver.h"
#include "runtime/integrate/structure.h"
#include "runtime/rounding.h"
#include "runtime/solve/profile.h"

namespace runtime {

namespace {

// An integrator is never asked for a smaller relative tolerance. It is about a hundred rounding errors: below
// it the estimated error of a step is rounding.
constexpr double kSmallestTolerance = 2e-14;

// A simulation is stuck when this many successive steps together advance by less than kStuckAdvance of its
// time range, or when this many steps do not advance time at all.
constexpr double kStuckAdvance = 1e-9;
constexpr int kSlowSteps = 20'000;
constexpr int kStandingSteps = 50;
// The same where Newton's method fails in most of them, as at the end of the solution of an algebraic loop.
constexpr double kFailingAdvance = 1e-3;
// A step that is repeated ends before what it missed, which may be found at its new end again, and so on.
// After so many repetitions each step is at most half as long as the one before.
constexpr int kMostRepeats = 8;
// Part of the tolerance: a step of so small an error was limited by something else, such as an event, or the
// step before it.
constexpr double kNoLimit = 0.02;

}  // namespace

TimeLoop::TimeLoop(InitialValueProblem& problem, const Experiment& experiment, const Control& control,
                   std::span<const Step> observed, Recorder& recorder, Outcome& outcome)
    : TimeLoop(problem, experiment, control, observed, recorder, outcome, Part{experiment.start}) {}

TimeLoop::TimeLoop(InitialValueProblem& problem, const Experiment& experiment, const Control& control,
                   std::span<const Step> observed, Recorder& recorder, Outcome& outcome, const Part& part)
    : problem_(problem),
      experiment_(experiment),
      control_(control),
      observed_(observed),
      recorder_(recorder),
      outcome_(outcome),
      range_(experiment.stop - experiment.start),
      begin_(part.begin),
      time_(part.begin),
      next_row_(part.next_row),
      step_mark_(part.begin),
      last_time_(part.begin) {
  if (tied().empty()) return;
  const Model& model = problem.instance.model;
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (const std::uint32_t v : tied()) wanted[v] = 1;
  tied_ = needed_steps(model, model.observed, wanted);
}

void TimeLoop::run() {
  const bool terminated_at_once = problem_.events.terminated().has_value();
  if (!terminated_at_once && end_by_transition(begin_)) return;
  if (control_.structure && !problem_.assertions.empty() && !problem_.assertions.hold(begin_)) {
    Failure failure = problem_.instance.failure();
    failure.time = begin_;
    failure.initial = begin_ == experiment_.start;
    fail(std::move(failure));
    return;
  }
  const bool ends = begin_ >= experiment_.stop || terminated_at_once;
  if ((ends && !finish(begin_)) || !begin()) return;
  report(begin_);
  if (end_by_trigger(begin_)) return;
  if (begin_ >= experiment_.stop || end_with_rows())
    outcome_.status = Outcome::Completed;
  else
    integrate();
}

/// The first row: of the start, or that after a change of structure.
bool TimeLoop::begin() {
  if (next_row_ == 0) {
    ++next_row_;
    return write_row(begin_);
  }
  if (recorder_.wants_events() && !take_row_after(row_time(begin_), true)) return false;
  while (next_row_ <= experiment_.steps && output_time(next_row_) <= begin_ + time_rounding(begin_)) {
    if (!write_row(output_time(next_row_))) return false;
    ++next_row_;
  }
  return true;
}

void TimeLoop::resume(const Memory& memory) {
  time_ = step_mark_ = last_time_ = memory.time;
  next_row_ = memory.next_row;
  first_step_ = memory.first_step;
  immediate_ = memory.immediate;
  close_ = memory.close;
  reversals_ = memory.reversals;
  crossings_ = memory.crossings;
  resumed_ = memory;
  outcome_.status = Outcome::Failed;
  integrate();
}

void TimeLoop::integrate() {
  if (!make_integrator(time_)) return;
  if (!integrator_->locates_crossings())
    scales_.emplace(problem_.system, problem_.instance.model.states.size(), experiment_.tolerance);
  if (scales_ && resumed_) scales_->set_largest(resumed_->largest);
  watch_steps(time_);
  time_event_ = after(time_, next_time_event(time_));
  while (advance() && !suspend()) {}
  if (integrator_) count_integrator();
  if (integrator_ && kept_) integrator_->keep(*kept_);
  outcome_.statistics.loop_factorisations += problem_.instance.evaluator.loop_factorisations();
  if (scales_) outcome_.scales = scales_->scales();
}

void TimeLoop::watch_steps(double time) {
  if (!integrator_->locates_crossings()) {
    search_.emplace(problem_.crossing_functions, *integrator_, experiment_.tolerance);
    check_.emplace(problem_.instance, problem_.system, experiment_.start, experiment_.stop,
                   kLocalTolerance * experiment_.tolerance);
    search_->restart(true);
    scales_->observe({integrator_->y(), problem_.system.size()});
  }
  branches_.emplace(problem_.instance, problem_.system, *integrator_, observed_,
                    problem_.system.form() == Form::Static && problem_.events.empty());
  if (!shown_.empty() && problem_.system.form() != Form::Static && problem_.states.empty())
    branches_->show_only(shown_);
  branches_->restart(time);
}

/// The counters of the integrator, before it is replaced or at the end.
void TimeLoop::count_integrator() {
  Statistics& statistics = outcome_.statistics;
  integrator_->statistics(statistics);
  if (check_) statistics.check_evaluations += check_->evaluations();
  outcome_.jumps.insert(outcome_.jumps.end(), branches_->jumps().begin(), branches_->jumps().end());
}

/// Ends the loop for a checkpoint if one is due, and no event here may still be reversed.
bool TimeLoop::suspend() {
  if (!control_.checkpoints || problem_.events.any_unconfirmed() || !recorder_.is_settled(time_) ||
      !control_.checkpoints->due(next_row_ - 1))
    return false;
  if (!branches_->output(time_) || !recorder_.settle(time_, problem_.instance.values)) {
    problem_.instance.failure() = {};  // the next step will tell why
    return false;
  }
  suspended_.emplace(time_, next_row_, integrator_->uses_adams(), first_step_, immediate_, close_, reversals_,
                     crossings_, scales_ ? scales_->largest() : std::vector<double>());
  return true;
}

bool TimeLoop::make_integrator(double time) {
  const bool quantised = experiment_.solver == Solver::Qss;
  const IntegratorOptions options{
      .start = experiment_.start,
      .stop = experiment_.stop,
      .begin = time,
      .before = outcome_.statistics,
      .tolerance = std::max((quantised ? 1 : kLocalTolerance) * experiment_.tolerance, kSmallestTolerance),
      .longest_step = std::min(experiment_.max_step, problem_.events.history().shortest_delay()),
      .rows = experiment_.steps,
      .adams = resumed_ ? resumed_->adams
               : kept_ && kept_->prepared
                   ? kept_->adams
                   : experiment_.solver == Solver::Adams || experiment_.solver == Solver::Auto,
      .changes_method = experiment_.solver == Solver::Auto,
      .ordering = experiment_.ordering,
      .thread_pool = problem_.instance.thread_pool,
      .kept = kept_};
  outcome_.statistics.max_step = options.longest_step;
  Failure failure;
  switch (problem_.system.form()) {
    case Form::Static: integrator_ = make_sampler(options); break;
    case Form::Explicit:
      integrator_ = quantised
                        ? make_qss(problem_.instance, problem_.system, problem_.events, options, failure)
                        : make_cvode(problem_.system, options, failure);
      break;
    case Form::Implicit: integrator_ = make_ida(problem_.system, options, failure); break;
  }
  return integrator_ || fail(std::move(failure));
}

bool TimeLoop::end_if_cancelled() {
  if (!control_.cancel || !control_.cancel->load(std::memory_order_relaxed)) return false;
  outcome_.status = Outcome::Cancelled;
  return true;
}

/// To the next event, or to the end of a step. False: the simulation has ended.
bool TimeLoop::advance() {
  if (end_if_cancelled() || (time_ >= integrator_->time() && !step())) return false;
  double time = 0;
  if (!find_crossing(time) || !verify_crossings(time)) return false;
  if (!turned_back_ && (!record_history(time) || !check_states(time))) return false;
  // A model without states has no step to restart: changes are looked for at every row, if there can be any.
  event_ = turned_back_ || !crossed_.empty() || time >= time_event_ ||
           (problem_.system.form() == Form::Static && !problem_.events.empty()) ||
           (time >= experiment_.stop && !problem_.instance.model.events.terminal.empty());
  if (!write_rows(time, !event_)) return false;
  if (event_)
    show_before_event(time);
  else
    show_step(time);
  if (event_ && !check_assertions_before_event(time)) return false;
  if (event_ && !turned_back_) branches_->approach_event(time);
  const Model& model = problem_.instance.model;
  if ((event_ && !turned_back_) || !model.assertions.empty() || !model.sets.empty())
    integrator_->interpolate(time);
  if (event_) {
    const bool may_jump = turned_back_ || !crossed_.empty() || time >= time_event_;
    if (!process_event(time) || end_by_trigger(time) || end_by_transition(time)) return false;
    if (search_ && (may_jump || restart_)) search_->restart(restart_);
    branches_->restart(time);
    problem_.states.after_event();
  } else {
    branches_->end_part(time);
    if (!assertions_hold(time)) return false;
  }
  report(time);
  if (end_with_rows()) return false;
  const bool changed = restart_;
  if (reselect_states(time)) {
    ++outcome_.statistics.state_changes;
    restart_ = true;
    search_->restart(true);
  }
  if (restart_) {
    first_step_ = event_ ? first_step(time) : 0;
    if (!integrator_->restart(time, first_step_)) return fail(integrator_->failure());
    if (check_) check_->restart();
    if (scales_) scales_->observe({integrator_->y(), problem_.system.size()});
  }
  time_ = time;
  // Rows at the event show what holds after it.
  if (event_ &&
      (!show_after_event(time, changed) || !check_assertions_after_event(time) || !write_rows(time, true)))
    return false;
  return !end_with_rows() && makes_progress(time);
}

bool TimeLoop::step() {
  if (search_ && !search_->begin(integrator_->time())) return fail(problem_.instance.failure());
  int repeats = 0;
  for (double shorter = std::exchange(first_step_, 0.0);;) {  // the length of a step that is repeated
    if (repeats > 0 && end_if_cancelled()) return false;
    const double begin = integrator_->time(), last = shorter > 0 ? begin + shorter : HUGE_VAL;
    if (check_) check_->begin(begin);
    branches_->begin_step();
    if (!integrator_->limit(std::min({time_event_, experiment_.stop, last})))
      return fail(integrator_->failure());
    if (!integrator_->step()) {
      Failure failure = problem_.states.nearly_lost(integrator_->time()).value_or(integrator_->failure());
      if (!change_solver(failure)) return fail(std::move(failure));
      shorter = 0;
      continue;
    }
    const bool resolved = !check_ || check_->accepts(*integrator_);
    if (resolved && branches_->accepts_step()) {
      if (scales_) scales_->observe({integrator_->y(), problem_.system.size()});
      if (control_.profile) note_limit(*control_.profile);
      return true;
    }
    ++outcome_.statistics.revised_steps;
    const double tried = integrator_->time() - begin;
    shorter = resolved ? branches_->shorter() : check_->shorter();
    if (++repeats > kMostRepeats) shorter = std::min(shorter, tried / 2);
    if (!branches_->output(begin)) return fail(problem_.instance.failure());
    if (!integrator_->restart(begin, shorter)) return fail(integrator_->failure());
    if (shorter > shortest_step(begin)) continue;
    Failure failure = resolved ? branches_->failure() : integrator_->stuck();
    if (!resolved) failure.step = shorter;
    if (!resolved || !change_solver(failure)) return fail(std::move(failure));
    shorter = 0;
  }
}

/// Counts the variable whose error decides how long steps are.
void TimeLoop::note_limit(Profile& profile) {
  const std::optional<Integrator::LargestError> largest = integrator_->largest_error();
  if (!largest) return;
  ++profile.steps;
  if (largest->error < kNoLimit)
    ++profile.unlimited;
  else
    ++profile.limits[problem_.system.unknowns()[largest->unknown]];
}

bool TimeLoop::record_history(double time) {
  return problem_.recorder.record(time, *integrator_) || fail(problem_.instance.failure());
}

bool TimeLoop::check_states(double time) {
  if (problem_.states.empty()) return true;
  integrator_->interpolate(time);
  if (!problem_.states.any_fixed()) return true;
  problem_.system.load(time, integrator_->y(), integrator_->rates());
  return problem_.states.check_fixed(time) || fail(problem_.instance.failure());
}

bool TimeLoop::assertions_hold(double time) {
  if (problem_.assertions.empty()) return true;
  if (integrator_) problem_.system.load(time, integrator_->y(), integrator_->rates());
  return problem_.assertions.evaluate_and_hold(time) || fail(problem_.instance.failure());
}

/// At the end of what leads to an event, before its crossing; then notes what holds where it is processed.
bool TimeLoop::check_assertions_before_event(double time) {
  if (problem_.assertions.empty() || turned_back_) return true;
  auto load = [&](double at) {
    integrator_->interpolate(at);
    problem_.system.load(at, integrator_->y(), integrator_->rates());
  };
  if (const double at = before_crossing(time); at > time_) {
    load(at);
    if (!problem_.assertions.evaluate_and_hold(at) &&
        problem_.instance.failure().kind == FailureKind::Assertion)
      return fail(problem_.instance.failure());
    problem_.instance.failure() = {};
  }
  load(time);
  problem_.assertions.record_at_event(time);
  return true;
}

/// A violation at an event that is not confirmed yet is reported when it is; a reversed one has not happened.
bool TimeLoop::check_assertions_after_event(double time) {
  if (problem_.assertions.empty() || turned_back_ || problem_.assertions.hold_after_event(time)) return true;
  if (!problem_.events.any_unconfirmed()) return fail(problem_.instance.failure());
  violated_ = std::exchange(problem_.instance.failure(), {});
  return true;
}

bool TimeLoop::reselect_states(double time) {
  if (problem_.states.empty()) return false;
  if (!restart_) problem_.system.load(time, integrator_->y(), integrator_->rates());
  if (!problem_.states.reselect(time)) return false;
  problem_.events.record_consistent_values(time);
  return true;
}

bool TimeLoop::makes_progress(double time) {
  if (time - step_mark_ > kStuckAdvance * range_) {
    step_mark_ = time;
    slow_steps_ = 0;
  } else {
    standing_steps_ = time > last_time_ || event_ ? 0 : standing_steps_ + 1;
    if (++slow_steps_ >= kSlowSteps || standing_steps_ >= kStandingSteps) {
      if (!leave_solver(time)) return false;
      slow_steps_ = standing_steps_ = 0;
    }
  }
  last_time_ = time;
  if (++failing_.steps < kSlowSteps) return true;
  Statistics statistics;
  integrator_->statistics(statistics);
  const bool fails = statistics.newton_failures > failing_.failures + kSlowSteps / 2 &&
                     time - failing_.begin < kFailingAdvance * range_;
  failing_ = {.begin = time, .failures = statistics.newton_failures};
  return !fails || leave_solver(time);
}

/// Where no progress is made: another solver goes on, if there is one.
bool TimeLoop::leave_solver(double time) {
  Failure failure = problem_.states.nearly_lost(time).value_or(integrator_->stuck());
  return (time_ >= integrator_->time() && change_solver(failure)) || fail(std::move(failure));
}

/// Whether a trigger terminates the simulation at the current values; then a last row is written.
bool TimeLoop::end_by_trigger(double time) {
  outcome_.terminated = problem_.events.terminated();
  if (!outcome_.terminated) return false;
  if (outcome_.reached < time) {
    if (!problem_.instance.observe(time, observed_)) {
      outcome_.terminated.reset();
      fail(problem_.instance.failure());
      return true;
    }
    outcome_.reached = time;
    if (!recorder_.after_event(row_time(time), problem_.instance.values, true) && !write_row(time))
      return true;
  }
  outcome_.status = Outcome::Completed;
  if (event_ && !turned_back_ && !problem_.assertions.empty() &&
      !problem_.assertions.hold_after_event(time)) {
    outcome_.terminated.reset();
    fail(problem_.instance.failure());
  }
  return true;
}

/// Whether all rows have been written.
bool TimeLoop::end_with_rows() {
  if (next_row_ <= experiment_.steps) return false;
  outcome_.status = Outcome::Completed;
  return true;
}

/// What the integrator could not do, by its cause: the solution of a loop may end there.
Failure TimeLoop::cause(Failure failure) {
  switch (failure.kind) {
    case FailureKind::ErrorTest:
    case FailureKind::Convergence:
    case FailureKind::NoProgress:
    case FailureKind::LoopNotConverged:
    case FailureKind::LoopSingular: break;
    default: return failure;
  }
  if (!integrator_ || !branches_ || failure.linear) return failure;
  const double time = integrator_->time();
  branches_->approach_end(time);
  auto end = find_branch_end(problem_.instance, time, range_);
  return end ? std::move(*end) : failure;
}

bool TimeLoop::fail(Failure failure) {
  outcome_.status = Outcome::Failed;
  if (failure_before_change_ && outcome_.reached <= outcome_.solver_change->time) {
    failure = failure_before_change_;  // the other integrator has not gone further
    outcome_.solver_change.reset();
  }
  outcome_.failure = cause(std::move(failure));
  return false;
}

}  // namespace runtime
