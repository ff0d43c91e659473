// The assignments of event handlers: those of one round are executed simultaneously, and repeated with the
// equations solved in between (EventIteration::assign).
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

class Assignments {
 public:
  /// Values of `assigned`.
  static constexpr std::uint8_t kDiscrete = 1, kState = 2;

  explicit Assignments(const Model& model);

  /// Executes the assignments of the triggers that fired (per trigger: 1), and returns the variables whose
  /// values it has changed, with their new values. `again`: a further time in the same round.
  std::span<const std::pair<std::uint32_t, double>> execute(std::span<const std::uint8_t> fired,
                                                            const Point& point,
                                                            std::span<const double> nominal, bool again);
  /// What is wrong with the values of the last `execute`: NaN or infinity (NotFinite), an Int that may have
  /// been rounded (IntegerRange), different values for one variable, of which it took the first
  /// (AssignmentsConflict), or one of two assignments lost (AssignmentLost).
  std::optional<Failure> invalid(double time) const;
  /// What assignments of these triggers need their own results, if any do: AssignmentsDisagree.
  std::optional<Failure> cyclic(std::span<const std::uint8_t> fired, double time);
  /// The number of assignments that the last `execute` has executed.
  std::size_t executed() const { return executed_; }
  /// Whether the last `execute` has changed values, if it was a further time by more than rounding errors.
  bool disagree() const { return disagree_; }
  /// Per variable: what this round has assigned; 0 if it has not, or if it has given a discrete variable
  /// its own value, or x := pre x to a state.
  std::span<const std::uint8_t> assigned() const { return assigned_; }
  /// Whether the assignment would change the value of its variable at the point.
  bool would_change(std::uint32_t assignment, const Point& point);

 private:
  /// An assignment, by number, that was executed, and its value.
  struct Executed {
    std::uint32_t number = kNone;
    double value = 0;
  };
  struct Conflict {
    Executed first, second;
  };
  /// The value that an assignment gives at the point.
  double evaluate(const Assignment& assignment, const Point& point);
  double evaluate_after(const Assignment& assignment, double before, const Point& point);
  bool is_first(std::uint32_t number, double value, const Point& point, double nominal);
  bool counts_further(const Assignment& assignment, double value, const Point& point, double nominal);
  void check_value(std::uint32_t number, double value);
  bool keeps_state(const Assignment& assignment, const Point& point, double nominal);

  const Model& model_;
  AssignmentCycles cycles_;
  // By variable: the assignment of this execution. Empty unless several assign one variable.
  std::vector<Executed> first_;
  std::vector<std::uint32_t> with_first_;           // the variables with an entry
  std::optional<Conflict> conflict_, lost_;         // the first ones
  std::optional<Executed> not_finite_, not_exact_;  // the first value that is none, or too large an Int
  std::size_t executed_ = 0;
  bool disagree_ = false;
  // By variable: a `pre` of it, into Events::previous; by `pre`: another one of the same variable, by an
  // alias.
  std::vector<std::uint32_t> previous_of_, next_previous_;
  std::vector<double> held_;                               // of `evaluate_after`
  std::vector<std::uint8_t> assigned_, is_state_;          // by variable
  std::vector<double> results_, result_;                   // of rows: of `execute`, of `evaluate`
  std::vector<std::pair<std::uint32_t, double>> changes_;  // of `execute`
};

}  // namespace runtime
