// Events of the time loop: where the next one is, and what happens at it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "runtime/integrate/structure.h"
#include "runtime/integrate/time_loop.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {

// From this number on, whenever it has doubled, it is examined whether reversals, events that follow each
// other closely, or (kManyInAll) events at all come from rounding alone.
constexpr std::uint32_t kMany = 16, kManyInAll = 32;

// An event in this part of a step, from its beginning on, is one at once. The second of them in a row makes
// the next step so much shorter than this one.
constexpr double kImmediate = 1e-3, kShorterStep = 0.125;

// Times that are smaller than this part of the range are zero.
constexpr double kNearZero = 1e-9;

// What an event changes by less, relative to values or nominal values, is continuous.
constexpr double kContinuous = 1e-7;
// So many jumps in a row at one instant lead to no end.
constexpr int kMostJumps = 100;

}  // namespace

/// Whether transitions are due at the current values: then another structure continues.
bool TimeLoop::end_by_transition(double time) {
  if (!control_.structure) return false;
  outcome_.transitions = problem_.events.transitions();
  outcome_.before_jump = before_;
  if (outcome_.transitions.empty() && before_.empty()) return false;
  outcome_.changed_at = time;
  outcome_.status = Outcome::Completed;
  return true;
}

/// An integrator can make a step of this length: some rounding errors of the time. Where this is zero, a part
/// of the range.
double TimeLoop::shortest_step(double time) const {
  return time_rounding(std::max(std::abs(time), kNearZero * range_));
}

/// The instant, but not so close that an integrator cannot make a step to it. One that is the stop time up to
/// rounding is at the stop time.
double TimeLoop::after(double time, double instant) const {
  const double at = std::max(instant, time + shortest_step(time));
  // Times are sums from the start on.
  const double rounding = time_rounding(std::max(std::abs(experiment_.start), std::abs(experiment_.stop)));
  return at > experiment_.stop && at <= experiment_.stop + rounding ? experiment_.stop : at;
}

double TimeLoop::next_time_event(double time) {
  EventIteration& events = problem_.events;
  if (!integrator_->locates_time_functions()) return events.next_time_event(time);
  return std::min(events.handler().clocks().next_tick(), events.history().next_arrival());
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
  return immediate_ > 1 && shorter > shortest_step(time) ? shorter : 0;
}

/// The beginning of the last sequence of events, or the start if there was none.
double TimeLoop::last_event() const { return std::max(close_.events.begin, begin_); }

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
    if (control_.jumps && !before_.empty() && !jump(time)) return false;
    const bool leaves = control_.structure && (!before_.empty() || !events.transitions().empty());
    const bool stops = time >= experiment_.stop && !leaves;
    if ((stops || events.terminated()) && !finish(time)) return false;
  }
  outcome_.statistics.events += restart_;
  if (auto failure = events.count_close(time, range_, experiment_.stop, true, close_))
    return fail(std::move(*failure));
  reversals_ += turned_back_;
  auto doubled = [](std::uint64_t count, std::uint64_t many) {
    return count >= many && std::has_single_bit(count);
  };
  // Also one that has changed nothing.
  const bool crossed = (restart_ || !crossed_.empty()) && !events.only_ticked();
  if ((turned_back_ && doubled(reversals_, kMany)) || (crossed && doubled(close_.events.count, kMany)) ||
      (crossed && doubled(++crossings_, kManyInAll)))
    events.measure_rounding(time);
  restart_ = restart_ || turned_back_;
  time_event_ = after(time, next_time_event(time));
  return true;
}

/// Variables that are tied to others by constraints.
std::span<const std::uint32_t> TimeLoop::tied() const {
  if (control_.structure) return control_.structure->tied();
  return control_.jumps ? control_.jumps->tied() : std::span<const std::uint32_t>{};
}

/// The values before an event that may change what is tied to something that jumps.
void TimeLoop::note_before_event(double time) {
  before_.clear();
  if (tied().empty() || turned_back_) return;
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
    jumps = std::ranges::any_of(tied(), [&](std::uint32_t v) { return !agrees(v, before_[v]); });
  }
  if (!jumps) before_.clear();
  return true;
}

/// Whether a variable has this value, but for errors of the instant.
bool TimeLoop::agrees(std::uint32_t variable, double value) const {
  const double now = problem_.instance.values[variable];
  const double size = std::max({std::abs(now), std::abs(value), problem_.instance.nominal[variable]});
  return std::abs(now - value) <= kContinuous * size;
}

/// States that are tied to what an event has changed jump with it. This is one more event, which may lead to
/// others at the same instant.
bool TimeLoop::jump(double time) {
  ModelInstance& instance = problem_.instance;
  for (int k = 0; !before_.empty(); ++k) {
    if (k == kMostJumps) return fail(problem_.events.endless(time));
    if (!instance.observe(time, instance.model.observed)) return fail(instance.failure());
    if (!control_.jumps->jump(time, before_, instance.values, instance.parameters))
      return fail({.kind = FailureKind::Structure, .time = time});
    const std::vector<double> expected = instance.values;
    if (!instance.observe(time, tied_)) return fail(instance.failure());
    for (const std::uint32_t v : tied())
      if (!agrees(v, expected[v])) {
        control_.jumps->report_impossible(time, v);
        return fail({.kind = FailureKind::Structure, .time = time});
      }
    before_ = instance.values;
    bool changed = false;
    if (!problem_.events.process(time, {}, changed, {.continued = true}) || !note_jump(time))
      return fail(instance.failure());
    restart_ = true;
  }
  return true;
}

/// The events of the end of the run; the last row shows the values after them.
bool TimeLoop::finish(double time) {
  if (!experiment_.ends) return true;
  bool changed = false;
  if (!problem_.events.finish(time, changed)) return fail(problem_.instance.failure());
  restart_ = restart_ || changed;
  return true;
}

}  // namespace runtime
