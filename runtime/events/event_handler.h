// Event handlers: triggers that fire at an instant, and the assignments that they execute.
//
// An instant is a sequence of rounds at one time, each of which sees the model as the one before left it
// (super-dense time). Triggers that fire in a round are those of which a condition has become true, and
// in the first round also those of clocks that tick, and of the start or the end of the simulation; of a
// chain of alternatives only the first. Their assignments are executed simultaneously: `pre` is the value
// before the round, every other variable the value after it, so the assignments are repeated, with the
// equations solved in between, until no value changes. Several triggers may assign one variable, if their
// values agree. The instant ends when no trigger fires. event_iteration.h is the loop; this class holds the
// state of triggers and `pre`, with the clocks (clocks.h) and the assignments (assignments.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/assignments.h"
#include "runtime/events/clocks.h"
#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class EventHandler {
 public:
  explicit EventHandler(const Model& model);
  bool empty() const { return model_.events.triggers == 0 && model_.events.previous.empty(); }

  Clocks& clocks() { return clocks_; }
  const Clocks& clocks() const { return clocks_; }
  Assignments& assignments() { return assignments_; }
  /// Forgets what terminated the simulation at the last instant, and what fired at it.
  void begin_instant() {
    terminated_.reset();
    std::ranges::fill(last_fired_, std::uint8_t(0));
  }
  /// Lets the clocks that tick at this time, up to rounding, fire in the next round. Whether there are any.
  bool tick(double time, std::span<const double> parameters);
  /// Lets these triggers fire in the next round: Events::initial or Events::terminal.
  void let_fire(std::span<const std::uint32_t> triggers);

  /// Takes the conditions as they are at the point: those that are true have not become true.
  void accept(const Point& point);
  /// Conditions that are false at the point may become true in the next round. Whether one is true there that
  /// was false before.
  bool rearm(const Point& point);
  /// By condition: whether it was true in the last round; such a condition has to become false before it
  /// fires again. `set_conditions_before` takes them back to an earlier state.
  const std::vector<std::uint8_t>& conditions_before() const { return condition_before_; }
  void set_conditions_before(const std::vector<std::uint8_t>& before) { condition_before_ = before; }
  /// From now on it is noted which conditions hold at all instants, of those with a 1 (empty: of all).
  void note_constant(std::span<const std::uint8_t> conditions = {});
  /// By condition: whether it has held since `note_constant`.
  const std::vector<std::uint8_t>& constant() const { return constant_; }
  /// The conditions of these triggers (per trigger: 1) have not always held.
  void note_interrupted(std::span<const std::uint8_t> triggers);
  /// The triggers whose only condition has been true since `note_constant`, so that it cannot become true,
  /// and whose assignments would change something at the point; not those of the start, or of the end of a
  /// part of the run.
  std::vector<std::uint32_t> constantly_true(const Point& point);
  /// Of the last evaluation of the conditions: a trigger whose condition has no value, at `time`.
  std::optional<Failure> undefined_condition(double time) const;
  /// Determines the triggers that fire at the point. Whether any does.
  bool fire(const Point& point);

  /// Per trigger: 1 if it fired in the last call of `fire`.
  std::span<const std::uint8_t> fired() const { return fired_; }

  /// Records the values for `pre` in the next round; `restore_previous` writes them.
  void record_previous(std::span<const double> values);
  void restore_previous(std::span<double> values) const;
  /// Sets `pre` to the current values. Whether this changes a variable that equations or conditions read.
  bool advance_previous(std::span<double> values);
  /// Sets `pre` to these values, in the order of Events::previous, where they are no NaN. Whether this
  /// changes a variable that equations or conditions read.
  bool return_to_previous(std::span<const double> before, std::span<double> values) const;
  /// Adds the variables to a failure that the last `advance_previous` found changed and read.
  void add_unsettled(std::span<const double> values, Failure& failure) const;

  /// Executes the assignments of the triggers that fired (Assignments::execute). Whether a value changed.
  bool assign(const Point& point, std::span<const double> nominal, bool again);
  /// Whether an assignment reads, itself, a variable that one assigns.
  bool reads_assigned() const { return reads_assigned_; }
  /// Whether assignments since the last call changed a variable that equations or conditions read.
  bool changed() const { return changed_; }
  bool take_changed() { return std::exchange(changed_, false); }

  /// EventIteration::memory_size, save and load.
  std::size_t memory_size() const { return condition_before_.size() + clocks_.memory_size(); }
  void save(double* out) const;
  void load(const double* in);

  /// The trigger that terminates the simulation: its condition is true, or was so before a round of this
  /// instant.
  std::optional<std::uint32_t> terminated() const;
  /// By condition: whether it holds.
  const std::vector<std::uint8_t>& holding() const { return condition_; }
  static constexpr std::uint8_t kBegins = 0, kDidNotHold = 1, kHeld = 2;
  /// After a change of structure at this time, conditions that did not hold before (`before`, by condition:
  /// one of these) are to become true if they hold. Whether there are any. One that held, and does not where
  /// the new structure begins, has not become true if it holds again at this instant.
  bool let_become_true(double time, std::span<const std::uint8_t> before);
  /// The transitions whose conditions hold.
  std::vector<std::uint32_t> transitions() const;
  /// Per parameter: 1 if the condition of a transition reads it, 2 if that of one that is due does.
  std::vector<std::uint8_t> read_by_transitions() const;
  /// A failure of this kind, with the triggers that fired last and the variables that they assigned.
  Failure failure(FailureKind kind, double time) const;
  /// Per parameter: 1 if equations or zero crossings read it.
  std::span<const std::uint8_t> read_parameters() const { return read_parameters_; }

 private:
  void evaluate_conditions(const Point& point);
  void find_readers();

  const Model& model_;
  Clocks clocks_;
  Assignments assignments_;
  std::vector<std::uint8_t> condition_, condition_before_;  // by condition: now, and before
  std::vector<std::uint8_t> held_at_change_;                // by condition; empty: there was no change
  double change_ = 0;                                       // its time
  std::vector<std::uint8_t> constant_;                      // by condition: true since `note_constant`
  std::vector<std::uint8_t> executed_;                      // by trigger: fired before `note_constant`
  // By trigger: fired in this round; in the last one of this instant that fired any; to fire in the next one
  // whatever its conditions; not to fire, as an alternative before it does.
  std::vector<std::uint8_t> fired_, last_fired_, due_, replaced_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> terminating_;  // condition and its trigger
  std::vector<std::pair<std::uint32_t, std::uint32_t>> transitions_;  // the same
  std::optional<std::uint32_t> terminated_;                           // by a condition before a round
  std::optional<std::uint32_t> undefined_;                            // a condition without a value
  std::vector<std::uint32_t> unsettled_;              // variables whose `pre` the last advance changed
  std::vector<double> previous_;                      // by Events::previous
  std::vector<std::uint8_t> read_, read_parameters_;  // by variable; by parameter
  std::vector<double> results_;                       // of the rows of conditions
  bool changed_ = false;
  bool reads_assigned_ = false;
};

}  // namespace runtime
