// Event handlers: triggers that fire at an instant, and the assignments that they execute.
//
// An instant is a sequence of rounds at one time, each of which sees the model as the one before left it
// (super-dense time). Triggers that fire in a round are those of which a condition has become true, and
// in the first round also those of clocks that tick, and of the start or the end of the simulation; of a
// chain of alternatives only the first. Their assignments are executed simultaneously: `pre` is the value
// before the round, every other variable the value after it, so the assignments are repeated, with the
// equations solved in between, until no value changes. Several triggers may assign one variable, if their
// values agree. The instant ends when no trigger fires. event_iteration.h is the loop; this class holds the
// state of triggers, clocks and `pre`.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/assignment_cycles.h"
#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class EventHandler {
 public:
  /// Values of `assigned`.
  static constexpr std::uint8_t kDiscrete = 1, kState = 2;

  explicit EventHandler(const Model& model);
  bool empty() const { return model_.events.triggers == 0 && model_.events.previous.empty(); }

  /// Sets the clocks to their first ticks at or after `time`, or after it if the ticks at it are
  /// `processed`. False: the parameters of a clock are invalid.
  bool start_clocks(double time, bool processed, std::span<const double> parameters, Failure& failure);
  /// The time of the next tick of any clock that is not processed elsewhere; infinity if there is none.
  double next_tick() const;
  /// The ticks of these clocks (per clock: 1) are processed elsewhere, by `next_tick_of` and `advance_clock`.
  void process_elsewhere(std::span<const std::uint8_t> clocks) {
    elsewhere_.assign(clocks.begin(), clocks.end());
  }
  double next_tick_of(std::size_t clock) const { return next_tick_[clock]; }
  void advance_clock(std::size_t clock, std::span<const double> parameters) {
    next_tick_[clock] = time_of_tick(clock, ++tick_[clock], parameters);
  }
  /// Lets the clocks that tick at this time, up to rounding, fire in the next round.
  void tick(double time, std::span<const double> parameters);
  /// Lets these triggers fire in the next round: Events::initial or Events::terminal.
  void let_fire(std::span<const std::uint32_t> triggers);

  /// Takes the conditions as they are at the point: those that are true have not become true.
  void accept(const Point& point);
  /// Conditions that are false at the point may become true in the next round.
  void rearm(const Point& point);
  /// By condition: whether it was true in the last round; such a condition has to become false before it
  /// fires again. `set_conditions_before` takes them back to an earlier state.
  const std::vector<std::uint8_t>& conditions_before() const { return condition_before_; }
  void set_conditions_before(const std::vector<std::uint8_t>& before) { condition_before_ = before; }
  /// From now on it is noted which conditions hold at all instants.
  void note_constant() { constant_ = condition_; }
  /// The triggers whose only condition has been true since `note_constant`, so that it cannot become true,
  /// and whose assignments would change something at the point; not those of the start, or of the end of a
  /// part of the run.
  std::vector<std::uint32_t> constantly_true(const Point& point);
  /// Determines the triggers that fire at the point. Whether any does.
  bool fire(const Point& point);

  /// Per trigger: 1 if it fired in the last call of `fire`.
  std::span<const std::uint8_t> fired() const { return fired_; }

  /// Records the values for `pre` in the next round; `restore_previous` writes them.
  void record_previous(std::span<const double> values);
  void restore_previous(std::span<double> values) const;
  /// Sets `pre` to the current values. Whether this changes a variable that equations or conditions read.
  bool advance_previous(std::span<double> values);
  /// Adds the variables to a failure that the last `advance_previous` found changed and read.
  void add_unsettled(std::span<const double> values, Failure& failure) const;

  /// Executes the assignments of the triggers that fired. `again`: a further time in the same round;
  /// changes of the size of a rounding error then do not count. Whether a value changed.
  bool assign(const Point& point, std::span<const double> nominal, bool again);
  /// What is wrong with the values of the last `assign`: NaN or infinity (NotFinite), an Int that may have
  /// been rounded (IntegerRange), different values for one variable, of which it took the first
  /// (AssignmentsConflict), or one of two assignments lost (AssignmentLost).
  std::optional<Failure> invalid(double time) const;
  /// What assignments of the triggers that fired need their own results, if any do: AssignmentsDisagree.
  std::optional<Failure> cyclic(double time);
  /// The number of assignments that the last `assign` has executed.
  std::size_t executed() const { return executed_; }
  /// Whether an assignment reads, itself, a variable that one assigns.
  bool reads_assigned() const { return reads_assigned_; }
  /// Per variable: what this round has assigned; 0 if it has not, or if it has given a discrete variable
  /// its own value, or x := pre x to a state.
  std::span<const std::uint8_t> assigned() const { return assigned_; }
  /// Whether assignments since the last call changed a variable that the integrator's equations read.
  bool changed() const { return changed_; }
  bool take_changed() { return std::exchange(changed_, false); }

  /// EventIteration::memory_size, save and load.
  std::size_t memory_size() const { return condition_before_.size() + 2 * tick_.size(); }
  void save(double* out) const;
  void load(const double* in);

  /// The trigger that terminates the simulation, if its condition is true.
  std::optional<std::uint32_t> terminated() const;
  /// By trigger: whether one of its conditions holds.
  std::vector<std::uint8_t> holding() const;
  static constexpr std::uint8_t kBegins = 0, kDidNotHold = 1, kHeld = 2;
  /// Conditions of triggers that did not hold (`before`, by trigger: one of these) are to become true if they
  /// hold. Whether there are any.
  bool let_become_true(std::span<const std::uint8_t> before);
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
  double time_of_tick(std::size_t clock, double tick, std::span<const double> parameters) const;
  void find_readers();

  /// An assignment that was executed: for variables that several effects assign.
  struct Assigned {
    std::uint32_t effect = kNone;
    double value = 0;
  };
  struct Conflict {
    std::uint32_t variable = 0;
    Assigned first, second;
  };
  bool is_first_assignment(std::uint32_t effect, double value, const Point& point, double nominal);
  bool counts_further(std::uint32_t effect, double value, const Point& point, double nominal);
  void check_value(std::uint32_t effect, double value);
  bool keeps_state(const KernelBatch& batch, std::uint32_t row, const Effect& effect, const Point& point,
                   double nominal);

  const Model& model_;
  std::vector<std::uint8_t> condition_, condition_before_;  // by condition: now, and before
  std::vector<std::uint8_t> constant_;  // by condition: true since `note_constant`; or empty
  // By trigger: fired in this round; in the last one that fired any; to fire in the next one whatever its
  // conditions; not to fire, as an alternative before it does.
  std::vector<std::uint8_t> fired_, last_fired_, due_, replaced_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> terminating_;  // condition and its trigger
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leaving_;      // the same of transitions
  // By variable: the assignment of this execution. Empty unless several effects assign one variable.
  std::vector<Assigned> assigned_by_;
  std::vector<std::uint32_t> assigned_now_;         // the variables with an entry
  std::optional<Conflict> conflict_, lost_;         // the first ones
  std::optional<Assigned> not_finite_, not_exact_;  // the first value that is none, or too large an Int
  std::size_t executed_ = 0;
  AssignmentCycles cycles_;
  std::vector<std::uint32_t> unsettled_;                   // variables whose `pre` the last advance changed
  std::vector<double> tick_, next_tick_;                   // by clock: number and time of its next tick
  std::vector<std::uint8_t> elsewhere_;                    // by clock
  std::vector<double> previous_;                           // by Events::previous
  std::vector<std::uint32_t> previous_of_;                 // by variable: its number in Events::previous
  std::vector<std::uint8_t> assigned_, is_state_;          // by variable
  std::vector<std::uint8_t> read_, read_parameters_;       // by variable; by parameter
  std::vector<double> results_, again_;                    // of rows
  std::vector<std::pair<std::uint32_t, double>> changes_;  // of `assign`: values by variable
  bool changed_ = false;
  bool reads_assigned_ = false;
};

}  // namespace runtime
