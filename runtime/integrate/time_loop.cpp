#include "runtime/integrate/time_loop.h"
#include "runtime/integrate/structure.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "runtime/integrate/checkpoint.h"

namespace runtime {

namespace {

constexpr double kSmallestTolerance = 2e-14;

// A simulation is stuck when this many successive steps together advance by less than kStuckAdvance of its
// time range (events: kCloseAdvance), or when this many steps do not advance time at all.
constexpr double kStuckAdvance = 1e-9;
constexpr double kCloseAdvance = 1e-7;  // the same for events
constexpr int kSlowSteps = 20'000;
constexpr int kStandingSteps = 50;
constexpr std::uint32_t kCloseEvents = 1000;
// From this number on, whenever it has doubled, it is examined whether reversals, or events that follow each
// other closely, come from rounding alone.
constexpr std::uint32_t kMany = 16;

// An event in this part of a step, from its beginning on, is one at once. The second of them in a row makes
// the next step so much shorter than this one.
constexpr double kImmediate = 1e-3, kShorterStep = 0.125;

// An event lies behind its crossing by less than this part of the time range.
constexpr double kBehind = 1e-12;

// What an event changes by less, relative to values or nominal values, is continuous.
constexpr double kContinuous = 1e-7;

/// Times that differ by less are the same, up to rounding.
double rounding(double time) { return 8 * std::numeric_limits<double>::epsilon() * std::abs(time); }

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
  if (!terminated_at_once && left(begin_)) return;
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
  if (terminated(begin_)) return;
  if (begin_ >= experiment_.stop || completed())
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
  while (next_row_ <= experiment_.steps && output_time(next_row_) <= begin_ + rounding(begin_)) {
    if (!write_row(output_time(next_row_))) return false;
    ++next_row_;
  }
  return true;
}

/// Whether transitions are due at the current values: then another structure continues.
bool TimeLoop::left(double time) {
  if (!control_.structure) return false;
  outcome_.transitions = problem_.events.transitions();
  outcome_.before_jump = before_;
  if (outcome_.transitions.empty() && before_.empty()) return false;
  outcome_.changed_at = time;
  outcome_.status = Outcome::Completed;
  return true;
}

void TimeLoop::resume(const Memory& memory) {
  time_ = step_mark_ = last_time_ = memory.time;
  next_row_ = memory.next_row;
  first_step_ = memory.first_step;
  immediate_ = memory.immediate;
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
  outcome_.statistics.loop_factorisations += problem_.instance.evaluator.loop_factorisations();
  if (scales_) outcome_.scales = scales_->scales();
}

void TimeLoop::watch_steps(double time) {
  if (!integrator_->locates_crossings()) {
    search_.emplace(problem_.crossing_functions, *integrator_);
    check_.emplace(problem_.instance, problem_.system, experiment_.start, experiment_.stop,
                   kLocalTolerance * experiment_.tolerance);
    search_->restart(true);
    scales_->observe({integrator_->y(), problem_.system.size()});
  }
  branches_.emplace(problem_.instance, problem_.system, *integrator_, observed_,
                    problem_.system.form() == Form::Static && problem_.events.empty());
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
  suspended_.emplace(time_, next_row_, integrator_->uses_adams(), first_step_, immediate_,
                     scales_ ? scales_->largest() : std::vector<double>());
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
                        : experiment_.solver == Solver::Adams || experiment_.solver == Solver::Auto,
      .changes_method = experiment_.solver == Solver::Auto,
      .ordering = experiment_.ordering,
      .thread_pool = problem_.instance.thread_pool};
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

/// The instant, but not so close that an integrator cannot make a step to it.
double TimeLoop::after(double time, double instant) const {
  constexpr double kLeast = 8 * std::numeric_limits<double>::epsilon();
  return std::max(instant, time + kLeast * std::max(std::abs(time), range_));
}

double TimeLoop::next_time_event(double time) {
  EventIteration& events = problem_.events;
  if (!integrator_->locates_time_functions()) return events.next_time_event(time);
  return std::min(events.handler().next_tick(), events.history().next_arrival());
}

bool TimeLoop::cancelled() {
  if (!control_.cancel || !control_.cancel->load(std::memory_order_relaxed)) return false;
  outcome_.status = Outcome::Cancelled;
  return true;
}

/// To the next event, or to the end of a step. False: the simulation has ended.
bool TimeLoop::advance() {
  if (cancelled() || (time_ >= integrator_->time() && !step())) return false;
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
  if (event_ && !turned_back_) branches_->approach_event(time);
  const Model& model = problem_.instance.model;
  if ((event_ && !turned_back_) || !model.assertions.empty() || !model.sets.empty())
    integrator_->interpolate(time);
  if (event_) {
    const bool may_jump = turned_back_ || !crossed_.empty() || time >= time_event_;
    if (!process_event(time) || terminated(time) || left(time)) return false;
    if (search_ && (may_jump || restart_)) search_->restart(restart_);
    branches_->restart(time);
  } else {
    branches_->end_part(time);
    if (!assertions_hold(time)) return false;
  }
  report(time);
  if (completed()) return false;
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
  return !completed() && makes_progress(time);
}

bool TimeLoop::step() {
  if (search_ && !search_->begin(integrator_->time())) return fail(problem_.instance.failure());
  for (double shorter = std::exchange(first_step_, 0.0);;) {  // the length of a step that is repeated
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
      return true;
    }
    ++outcome_.statistics.revised_steps;
    shorter = resolved ? branches_->shorter() : check_->shorter();
    if (!branches_->output(begin)) return fail(problem_.instance.failure());
    if (!integrator_->restart(begin, shorter)) return fail(integrator_->failure());
    if (shorter > rounding(std::max(std::abs(begin), range_))) continue;
    Failure failure = resolved ? branches_->failure() : integrator_->stuck();
    if (!resolved) failure.step = shorter;
    if (!resolved || !change_solver(failure)) return fail(std::move(failure));
    shorter = 0;
  }
}

/// `time`: that of the first crossing in what is left of the step, or the end of it.
bool TimeLoop::find_crossing(double& time) {
  turned_back_ = restart_ = false;
  time = std::min(integrator_->time(), time_event_);
  if (!search_) {
    crossed_ = integrator_->crossed();
    return true;
  }
  if (!search_->find(time_, time, check_ ? check_->cuts() : std::span<const double>{})) {
    Failure failure = problem_.system.explain(time, integrator_->y(), integrator_->rates());
    if (!failure) failure = {.kind = FailureKind::Convergence, .time = time};
    return fail(std::move(failure));
  }
  time = search_->time();
  crossed_ = search_->directions();
  const bool unconfirmed = problem_.events.any_unconfirmed();
  if (!search_->left_zero() || (time > time_ && !unconfirmed)) return true;
  time = time_;
  // The values of the last event are exact, those that the step gives for its beginning are nearly so.
  if (!unconfirmed) {
    integrator_->interpolate(time);
    problem_.system.load(time, integrator_->y(), integrator_->rates());
  }
  turned_back_ = problem_.events.turn_back(time, search_->directions());
  return turned_back_ || fail(problem_.events.endless(last_event()));
}

/// A step that is longer than the time until the next event does not show which side a difference at zero
/// goes to at first: both seem wrong, and each event leads to the next one, at the same time or nearly so.
/// The shorter the step, the more its beginning counts.
double TimeLoop::first_step(double time) {
  const double begin = turned_back_ ? time : time_, length = integrator_->time() - begin;
  immediate_ = time - begin <= kImmediate * length ? immediate_ + 1 : 0;
  const double shorter = kShorterStep * length;
  return immediate_ > 1 && shorter > rounding(std::max(std::abs(time), range_)) ? shorter : 0;
}

/// The beginning of the last sequence of events, or the start if there was none.
double TimeLoop::last_event() const { return std::max(event_mark_, begin_); }

/// After a reversal `time` is that of the event, and the current values are those before it.
bool TimeLoop::verify_crossings(double& time) {
  using Verification = EventIteration::Verification;
  if (turned_back_ || !problem_.events.any_unconfirmed()) return true;
  integrator_->interpolate(time);
  if (!problem_.system.evaluate(time, integrator_->y(), integrator_->rates()))
    return true;  // the next step will report the failure
  const std::optional<Failure> violated = std::exchange(violated_, std::nullopt);
  switch (problem_.events.verify(time)) {
    case Verification::Confirmed:
      if (violated) return fail(*violated);
      break;
    case Verification::Missed: return fail(problem_.events.endless(last_event()));
    case Verification::TurnedBack: turned_back_ = true; time = problem_.events.last_consistent_time();
  }
  return true;
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

/// At the point of the integrator, or, after a reversal, at the current values.
bool TimeLoop::process_event(double time) {
  EventIteration& events = problem_.events;
  if (!events.empty()) {
    if (!turned_back_) problem_.system.load(time, integrator_->y(), integrator_->rates());
    if (search_) events.zero_crossings().record_magnitudes(search_->magnitudes());
    note_before_event(time);
    if (!events.process(time, turned_back_ ? events.reversals() : crossed_, restart_,
                        {.reversal = turned_back_}) ||
        !note_jump(time))
      return fail(problem_.instance.failure());
    const bool leaves = control_.structure && (!before_.empty() || !events.transitions().empty());
    const bool stops = time >= experiment_.stop && !leaves;
    if ((stops || events.terminated()) && !finish(time)) return false;
  }
  outcome_.statistics.events += restart_;
  if (time - event_mark_ > kCloseAdvance * range_) {
    event_mark_ = time;
    close_events_ = 0;
    events.begin_sequence();
  } else if (++close_events_ >= kCloseEvents) {
    Failure failure = events.endless_sequence(time);
    failure.step = time - event_mark_;
    return fail(std::move(failure));
  }
  reversals_ += turned_back_;
  auto doubled = [](std::uint32_t count) { return count >= kMany && std::has_single_bit(count); };
  if ((turned_back_ && doubled(reversals_)) || doubled(close_events_)) events.measure_rounding(time);
  restart_ = restart_ || turned_back_;
  time_event_ = after(time, next_time_event(time));
  return true;
}

/// Variables that are tied to others by constraints.
std::span<const std::uint32_t> TimeLoop::tied() const {
  return control_.structure ? control_.structure->tied() : control_.tied;
}

/// The values before an event that may change what is tied to something that jumps.
void TimeLoop::note_before_event(double time) {
  before_.clear();
  if (tied().empty() || turned_back_ || outcome_.tied_jump) return;
  std::vector<double>& values = problem_.instance.values;
  const std::vector<double> held = values;
  if (problem_.instance.observe(time, tied_)) before_ = values;
  problem_.instance.failure() = {};
  values = held;
}

/// Keeps the values before the event only if it changed something tied, and no state.
bool TimeLoop::note_jump(double time) {
  if (before_.empty()) return true;
  const std::vector<double>& values = problem_.instance.values;
  bool jumps = true;
  for (const State& s : problem_.instance.model.states)
    jumps = jumps && values[s.variable] == before_[s.variable];
  if (jumps) {
    if (!problem_.instance.observe(time, tied_)) return false;
    const auto found = std::ranges::find_if(tied(), [&](std::uint32_t v) {
      const double size = std::max({std::abs(values[v]), std::abs(before_[v]), problem_.instance.nominal[v]});
      return std::abs(values[v] - before_[v]) > kContinuous * size;
    });
    jumps = found != tied().end();
    if (jumps && !control_.structure) {
      outcome_.tied_jump = {*found, time, before_[*found], values[*found]};
      jumps = false;
    }
  }
  if (!jumps) before_.clear();
  return true;
}

/// The events of the end of the run; the last row shows the values after them.
bool TimeLoop::finish(double time) {
  if (!experiment_.ends) return true;
  return problem_.events.finish(time) || fail(problem_.instance.failure());
}

bool TimeLoop::assertions_hold(double time) {
  if (problem_.assertions.empty()) return true;
  if (integrator_) problem_.system.load(time, integrator_->y(), integrator_->rates());
  return problem_.assertions.evaluate_and_hold(time) || fail(problem_.instance.failure());
}

/// A violation at an event that is not confirmed yet is reported when it is; a reversed one has not happened.
bool TimeLoop::check_assertions_after_event(double time) {
  if (problem_.assertions.empty() || turned_back_) return true;
  if (problem_.assertions.evaluate_and_hold(time)) return true;
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
      Failure failure = problem_.states.nearly_lost(time).value_or(integrator_->stuck());
      if (time_ < integrator_->time() || !change_solver(failure)) return fail(std::move(failure));
      slow_steps_ = standing_steps_ = 0;
    }
  }
  last_time_ = time;
  return true;
}

/// Writes the rows before `time`, or also the one at it. A row that misses the time of an event by a rounding
/// error is at that time.
bool TimeLoop::write_rows(double time, bool inclusive) {
  const double margin = rounding(time);
  const double last = time + (time < experiment_.stop && event_ ? margin : 0);
  while (next_row_ <= experiment_.steps) {
    if (cancelled()) return false;  // a step can have any number of rows
    const double grid = output_time(next_row_), other = recorder_.next_event();
    const bool is_other = other <= grid + (grid < experiment_.stop ? rounding(grid) : 0);
    const double at = is_other ? other : grid;
    if (!(inclusive ? at <= last : at < time - margin)) break;
    if (!branches_->output(at)) return fail(problem_.instance.failure());
    if (is_other) {
      recorder_.before_event(row_time(at), problem_.instance.values);
      if (!take_row_after(row_time(at), false)) return false;
      continue;
    }
    if (!write_row(at) || !assertions_hold(at)) return false;
    ++next_row_;
  }
  return true;
}

bool TimeLoop::write_row(double time) {
  if (!recorder_.row(time, problem_.instance.values)) return false;
  outcome_.reached = time;
  return true;
}

/// The time of rows at an event: that of a row of the grid which the event misses by a rounding error.
double TimeLoop::row_time(double time) const {
  for (std::uint32_t row = next_row_ - 1; row <= next_row_ && row <= experiment_.steps; ++row)
    if (std::abs(output_time(row) - time) <= rounding(time)) return output_time(row);
  return time;
}

/// The values at the end of a step, for sinks that want them. They leave no trace in those of the instance.
void TimeLoop::show_step(double time) {
  if (!recorder_.wants_steps()) return;
  std::vector<double>& values = problem_.instance.values;
  const std::vector<double> held = values;
  if (branches_->output(time)) recorder_.step(time, values);
  problem_.instance.failure() = {};  // if this point matters to a row or step, that reports it
  values = held;
}

/// The row before the event at this time, by the values that are held until then; after a reversal, the
/// current ones. It leaves no trace in the values of the instance.
void TimeLoop::show_before_event(double time) {
  if (!recorder_.wants_events()) return;
  std::vector<double>& values = problem_.instance.values;
  const std::vector<double> held = values;
  const double at = row_time(time);
  auto solve = [&](double from) {
    if (turned_back_) return problem_.instance.observe(at, observed_);
    return branches_->output(from);
  };
  // An event is located just behind its crossing, where the equations before it may no longer have a value
  // (`if x >= 0 then sqrt x else 0`); then the row shows the other side of the crossing.
  if (solve(at) || solve(at - kBehind * std::max(std::abs(at), range_))) recorder_.before_event(at, values);
  problem_.instance.failure() = {};
  values = held;
}

/// The row after the event. `changed`: it changed what the equations read.
bool TimeLoop::show_after_event(double time, bool changed) {
  if (!recorder_.wants_events()) return true;
  const double at = row_time(time);
  if (!branches_->output(at)) return fail(problem_.instance.failure());
  return take_row_after(at, changed);
}

/// The current values are those after an event at this time.
bool TimeLoop::take_row_after(double time, bool changed) {
  if (recorder_.after_event(time, problem_.instance.values, changed)) {
    outcome_.reached = time;
    if (next_row_ <= experiment_.steps && output_time(next_row_) == time) {  // it is a row of the grid, too
      ++next_row_;
      if (!assertions_hold(time)) return false;
    }
  }
  return recorder_.fine();
}

/// Whether a trigger terminates the simulation at the current values; then a last row is written.
bool TimeLoop::terminated(double time) {
  outcome_.terminated = problem_.events.terminated();
  if (!outcome_.terminated) return false;
  if (outcome_.reached < time && problem_.instance.observe(time, observed_)) {
    outcome_.reached = time;
    if (!recorder_.after_event(row_time(time), problem_.instance.values, true)) write_row(time);
  }
  outcome_.status = Outcome::Completed;
  return true;
}

/// Whether all rows have been written.
bool TimeLoop::completed() {
  if (next_row_ <= experiment_.steps) return false;
  outcome_.status = Outcome::Completed;
  return true;
}

bool TimeLoop::fail(Failure failure) {
  outcome_.status = Outcome::Failed;
  if (failure_before_change_ && outcome_.reached <= outcome_.solver_change->time) {
    failure = failure_before_change_;  // the other integrator has not gone further
    outcome_.solver_change.reset();
  }
  outcome_.failure = std::move(failure);
  return false;
}

}  // namespace runtime
