// Event iteration: what happens at one instant, until equations, zero crossings and event handlers agree.
//
//   process(time)
//     record `pre`; tick the clocks; record the rates before the event, where a difference crossed zero
//     admit the discontinuities of delayed signals that arrive
//     change the values of the zero crossings that crossed
//     make_consistent: solve equations <-> update zero crossings, until none changes
//     until no trigger fires and `pre` agrees with the current values:
//       a trigger fires: assign, make_consistent, from the state before it again with what changed, until
//         nothing does; record `pre`
//       none fires: advance `pre`, make_consistent
//     record the new values of delayed signals in the history
//
// All of it works on the current values of the instance; nothing here depends on the form of the integrator's
// system. event_iteration.cpp is this loop; event_iteration_start.cpp begins and ends a run with it, and
// event_iteration_verification.cpp is what lies between two instants.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/accumulation.h"
#include "runtime/events/change_counts.h"
#include "runtime/events/event_handler.h"
#include "runtime/events/event_record.h"
#include "runtime/events/history.h"
#include "runtime/events/state_selection.h"
#include "runtime/events/time_events.h"
#include "runtime/events/watched_differences.h"
#include "runtime/events/zero_crossings.h"
#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

/// What EventIteration::start begins. Clocks tick at the start of a run, and its initial triggers fire; those
/// of a continuation did so at the end of the earlier run. A comparison that misses equality by rounding
/// alone may change at the start of both, but not at that of a part, which begins at an event.
enum class StartOf : std::uint8_t { Run, Continuation, Part };

/// How `EventIteration::process` is called.
struct Instant {
  bool reversal = false;   // the directions are those of `reversals()`
  bool evaluated = false;  // `evaluate_inputs` and the functions of zero crossings are, at the current values
  bool continued = false;  // what follows at the time of the last instant belongs to it
};

class EventIteration {
 public:
  using Verification = ZeroCrossings::Verification;

  /// `moment`: a time in seconds that is negligible for the solution, yet shows in which direction a
  /// difference at zero moves. Where states change much in it, a shorter time does so first.
  EventIteration(ModelInstance& instance, double moment);

  /// Reports every event from now on; null: none.
  void report_to(EventObserver* observer) { record_.report_to(observer); }
  EventObserver* observer() const { return record_.observer(); }

  /// Whether the model has no events and no delays.
  bool empty() const { return zero_crossings_.empty() && handler_.empty() && history_.empty(); }
  ZeroCrossings& zero_crossings() { return zero_crossings_; }
  const ZeroCrossings& zero_crossings() const { return zero_crossings_; }
  WatchedDifferences& watched_differences() { return watched_differences_; }
  const WatchedDifferences& watched_differences() const { return watched_differences_; }
  EventHandler& handler() { return handler_; }
  History& history() { return history_; }
  /// What `past` of another model can go on from, at the end of this one; null without delays.
  std::shared_ptr<const History> take_history() {
    return history_.empty() ? nullptr : std::make_shared<const History>(std::move(history_));
  }

  /// Solves `initial` and then the dynamic schedule, and changes the values of zero crossings, until both
  /// agree. Between the two `states` are selected at the values of the start, which those of an arbitrary
  /// selection may not determine. False: `failure()` of the instance, as for the others below.
  bool make_consistent(const Point& point, std::span<const Step> initial, StateSelection* states = nullptr) {
    evaluated_ = Evaluated::Nothing;
    return make_consistent(point, initial, Stage::Crossings, states);
  }
  /// Whether the last `make_consistent` changed the value of a zero crossing.
  bool zero_crossings_changed() const { return zero_crossings_changed_; }
  /// Evaluates what zero crossings, conditions and delays read, from the current values of the states.
  bool evaluate_inputs(const Point& point) {
    return instance_.evaluator.run_checked(instance_.model.dynamic, point) &&
           instance_.evaluator.run_checked(instance_.model.compared, point);
  }

  /// Starts history and clocks, and processes the events of the start. The history goes on from that of
  /// another model, if there is one. `tolerance`: of the history, relative.
  bool start(double time, StartOf what, double tolerance, const PastDelays& past = {});
  /// At the start of a part of a simulation after a change of structure: a transition that is due by
  /// comparisons at equality, up to the error of the instant, waits until they have left it. So a switch does
  /// not return at once to the mode that it has just left because of that error.
  /// `tolerance`: of a step.
  bool hold_transitions(double time, double tolerance);
  /// At the end of such a part: whether its transitions are due by comparisons that have not left that error.
  bool transitions_are_errors(double tolerance) const;
  /// The same: handlers outside of what has changed fire if a condition holds now and did not before
  /// (NextStructure::holding). In the first round `pre` is what was before the change
  /// (NextStructure::previous).
  bool fire_after_change(double time, std::span<const std::uint8_t> before, std::span<const double> previous);
  /// Before the evaluation of an instant at this time: what is known beforehand not to change then is not
  /// evaluated. `process` does so itself.
  void begin_instant(double time) {
    evaluated_ = Evaluated::Nothing;
    zero_crossings_.functions().set_time_unchanged(time_events_.unchanged_at(time));
  }
  /// Processes the events at this time; watched differences have crossed zero in these directions (empty:
  /// none). `changed`: whether the integrator must restart from the current values.
  bool process(double time, std::span<const int> directions, bool& changed, const Instant& instant = {});

  /// Continues from consistent values of another instance, whose clocks have ticked at this time. Not for
  /// models with delays. `same_run`: what is known of earlier events still holds (Accumulation).
  bool resume(double time, Failure& failure, bool same_run = false);
  /// What is remembered from one instant to the next, beside values and parameters, as numbers: one instance
  /// can so serve many simulations of one model. Crossings do not remain unconfirmed.
  std::size_t memory_size() const {
    return zero_crossings_.memory_size() + time_events_.memory_size() + accumulation_.memory_size() +
           handler_.memory_size();
  }
  void save(double* out) const {
    handler_.save(accumulation_.save(time_events_.save(zero_crossings_.save(out))));
  }
  void load(const double* in) {
    handler_.load(accumulation_.load(time_events_.load(zero_crossings_.load(in))));
  }

  /// All of it, with the history, after an instant whose crossings are confirmed.
  void save(Archive& archive);
  /// Continues from that, at values and parameters of that time.
  bool resume(double time, Archive& archive);

  /// Processes the terminal triggers, at the current values. `changed`: as `process`, if there are any.
  bool finish(double time, bool& changed);

  /// The next time after `time` at which a zero crossing of time alone changes, a clock ticks, or a
  /// discontinuity of a delayed signal arrives.
  double next_time_event(double time) {
    return std::min(
        {time_events_.next(instance_.point(time)), handler_.clocks().next_tick(), history_.next_arrival()});
  }
  /// Whether the watched differences are those of the current values.
  bool functions_evaluated() const { return evaluated_ >= Evaluated::Functions; }
  /// The trigger that terminates the simulation here.
  std::optional<std::uint32_t> terminated() const {
    return handler_.empty() ? std::nullopt : handler_.terminated();
  }

  /// The transitions that are due here.
  std::vector<std::uint32_t> transitions() const {
    return handler_.empty() ? std::vector<std::uint32_t>{} : handler_.transitions();
  }

  /// Whether crossings of the last event wait for `verify`.
  bool any_unconfirmed() const { return zero_crossings_.any_unconfirmed(); }
  /// Verifies them at the end of a step, with the dynamic schedule evaluated there. Unless they are
  /// confirmed, the current values are again those of `last_consistent_time()`: TurnedBack is then to be
  /// processed there with `reversals()`, Missed is the failure `endless`.
  Verification verify(double time);
  /// Differences that were at zero at `time`, the end of the last instant, left it to the wrong side, in
  /// these directions. The current values are those of that time, or become so if crossings are unconfirmed.
  /// False: Missed.
  bool turn_back(double time, std::span<const int> directions);
  std::span<const int> reversals() const { return zero_crossings_.reversals(); }
  double last_consistent_time() const { return last_consistent_time_; }
  /// Records the current values, to which `verify` may return.
  void record_consistent_values(double time);

  /// Measures the rounding errors of the watched differences at the current values: where a part of a circuit
  /// has no current, differences are nothing else, and their signs mean nothing.
  void measure_rounding(double time);

  /// The failure of events at one instant that do not come to an end.
  Failure endless(double time);
  /// Counts the last event, in a run of this range to this stop time. `advances`: it may begin a sequence.
  /// The failure if events follow each other without end, with what changed most in their sequence.
  std::optional<Failure> count_close(double time, double range, double stop, bool advances,
                                     CloseSequences& sequences);
  /// Whether clocks ticked at the last instant, and no difference crossed zero there.
  bool only_ticked() const { return only_ticked_; }

 private:
  /// What has changed the values that are made consistent: crossings and `pre`; assignments, which may have
  /// to be repeated; the same, with their last values.
  enum class Stage : std::uint8_t { Crossings, Assigned, Settled };
  /// How far the current values are evaluated. Each includes those before it.
  enum class Evaluated : std::uint8_t {
    Nothing,
    Inputs,      // the equations, and what zero crossings read (`evaluate_inputs`)
    Functions,   // the functions of zero crossings
    Consistent,  // and the values of zero crossings agree with these
  };
  /// Begins with what is not `evaluated_`.
  bool make_consistent(const Point& point, std::span<const Step> initial, Stage stage,
                       StateSelection* states = nullptr);
  void drop_outdated();
  bool update(const Point& point, bool one_at_a_time, bool start);
  bool update_where_known(std::span<const Step> initial, const Point& point);
  double negligible_time(const Point& from) const;
  bool advance(const Point& from, Point& later, double length);
  bool look_ahead(const Point& point, bool after_assignment, bool first_only);
  void record_rates(const Point& point, bool evaluated);
  bool pass_guards(const Point& point, std::span<const double> before);
  bool evaluate_at_crossing(const Point& point);
  std::vector<int> crossings_at_start(const Point& point);
  void count_reversal(double time);
  bool handle_events(const Point& point);
  bool accumulates(double time);
  bool assign(const Point& point);
  bool assign_directly(const Point& point, bool again);
  bool settle(const Point& point);
  Failure endless_sequence(double time);

  ModelInstance& instance_;
  double moment_;
  ZeroCrossings zero_crossings_;
  WatchedDifferences watched_differences_;
  TimeEvents time_events_;
  EventHandler handler_;
  Accumulation accumulation_;
  History history_;
  EventRecord record_;
  Evaluated evaluated_ = Evaluated::Nothing;
  bool disagree_ = false;  // assignments of the last repetition, by more than rounding errors
  bool zero_crossings_changed_ = false;
  bool only_ticked_ = false;
  // Working memory: of `look_ahead` and `record_rates`, of `process`, of `assign`.
  std::vector<double> here_, later_, rates_later_, parameters_before_, parameters_at_round_, values_before_;
  ZeroCrossings::Decisions decisions_;
  std::vector<std::uint8_t> conditions_before_;
  ChangeCounts counts_;
  std::vector<double> last_consistent_values_;
  double last_consistent_time_ = 0;
  double last_reversal_ = 0;     // its time
  std::uint32_t reversals_ = 0;  // at that time
};

}  // namespace runtime
