// Event handlers: triggers that fire at an instant, and the assignments that they execute.
//
// An instant is a sequence of iterations at one time, each of which sees the model as the one before left it
// (super-dense time). Triggers that fire in an iteration are the clocks that tick (in the first iteration
// only) and the conditions that have become true. Their assignments are executed simultaneously: `pre` is the
// value before the iteration, every other variable the value after it, so the assignments are repeated, with
// the equations solved in between, until no value changes. The instant ends when no trigger fires.
// event_iteration.h is the loop; this class holds the state of triggers, clocks and `pre`.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class EventHandler {
 public:
  explicit EventHandler(const Model& model);
  bool empty() const { return model_.events.triggers == 0 && model_.events.previous.empty(); }

  /// Sets the clocks to their first ticks at or after `time`, or after it if the ticks at it are
  /// `processed`. False: the parameters of a clock are invalid.
  bool start_clocks(double time, bool processed, std::span<const double> parameters, Failure& failure);
  /// The time of the next tick of any clock; infinity if there is none.
  double next_tick() const;
  /// Lets the clocks that tick at this time, up to rounding, fire in the next iteration.
  void tick(double time, std::span<const double> parameters);

  /// Takes the conditions as they are at the point: those that are true have not become true.
  void accept(const Point& point);
  /// Conditions that are false at the point may become true in the next iteration.
  void rearm(const Point& point);
  /// Determines the triggers that fire at the point. Whether any does.
  bool fire(const Point& point);

  /// Records the values for `pre` in the next iteration; `restore_previous` writes them.
  void record_previous(std::span<const double> values);
  void restore_previous(std::span<double> values) const;
  /// Sets `pre` to the current values. Whether this changes a variable that equations or conditions read.
  bool advance_previous(std::span<double> values) const;

  /// Executes the assignments of the triggers that fired. `again`: a further time in the same iteration;
  /// changes of the size of a rounding error then do not count. Whether a value changed.
  bool assign(const Point& point, std::span<const double> nominal, bool again);
  /// Per variable: 1 if this iteration has assigned it.
  std::span<const std::uint8_t> assigned() const { return assigned_; }
  /// Whether assignments since the last call changed a variable that the integrator's equations read.
  bool take_changed() { return std::exchange(changed_, false); }

  /// EventIteration::memory_size, save and load.
  std::size_t memory_size() const { return condition_before_.size() + 2 * tick_.size(); }
  void save(double* out) const;
  void load(const double* in);

  /// The trigger that terminates the simulation, if its condition is true.
  std::optional<std::uint32_t> terminated() const;
  /// A failure of this kind, with the triggers that fired last and the variables that they assigned.
  Failure failure(FailureKind kind, double time) const;
  /// Per parameter: 1 if equations or zero crossings read it.
  std::span<const std::uint8_t> read_parameters() const { return read_parameters_; }

 private:
  void evaluate_conditions(const Point& point);
  double time_of_tick(std::size_t clock, double tick, std::span<const double> parameters) const;
  void find_readers();

  const Model& model_;
  // By trigger: conditions now and before; fired in this iteration; in the last one that fired any; ticked.
  std::vector<std::uint8_t> condition_, condition_before_, fired_, last_fired_, ticked_;
  std::vector<double> tick_, next_tick_;              // by clock: number and time of its next tick
  std::vector<double> previous_;                      // by Events::previous
  std::vector<std::uint8_t> assigned_;                // by variable
  std::vector<std::uint8_t> read_, read_parameters_;  // by variable; by parameter
  std::vector<double> results_;
  bool changed_ = false;
};

}  // namespace runtime
