// The values that zero crossings hold between events, and how they change at an event.
//
// Between events every comparison of the model has a fixed value, a discrete parameter that the equations
// read, while its difference (zero_crossing_functions.h) varies freely; so what the integrator evaluates is
// smooth. The same holds for the pieces of floor, tables and other operations (pieces.h): their difference is
// below zero where the argument is outside of the piece. An event is located where a difference crosses zero
// (watched_differences.h). There, and at the start, values and equations are made consistent: the equations
// are solved and the values that contradict their difference are changed, until none does. While a difference
// is at zero, the direction of its crossing decides, or else its sign a moment later (`look_ahead`); a
// comparison therefore does not return to its old value at the instant at which it left it. Where it should
// have, because its new value drives the difference back, the next step shows it (`verify`): the simulation
// returns to the instant and continues from there. A comparison that comes to equality without having crossed
// keeps its value until `look_ahead`: of two values that are consistent it has the former one.
//
// zero_crossings.cpp holds the values, zero_crossing_rates.cpp decides at zero,
// zero_crossing_verification.cpp is the next step.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/time_functions.h"
#include "runtime/events/zero_crossing_functions.h"
#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class ZeroCrossings {
 public:
  /// `nominal`: per variable, the magnitude that its errors are relative to.
  ZeroCrossings(const Model& model, std::span<const double> nominal);
  /// Limit on the iterations at one instant: of solving and `update`, of repeated assignments. (That of
  /// rounds depends on the number of handlers: EventIteration::handle_events.) From iteration
  /// kSimultaneousIterations of the first on one value is changed at a time, because several that change at
  /// once may alternate for ever.
  static constexpr int kIterations = 200, kSimultaneousIterations = 20;

  bool empty() const { return functions_.size() == 0; }

  /// How comparisons were decided at this instant. With the values of the comparisons, `set_decisions` takes
  /// them back to an earlier state of the instant.
  struct Decisions;
  void get_decisions(Decisions& decisions) const;
  void set_decisions(const Decisions& decisions);

  /// The magnitude of a difference of late, by number.
  double largest(std::size_t k) const { return largest_[k]; }
  /// Of a comparison, by number: that of the largest variable that it reads. Of a piece: 0.
  std::span<const double> nominal() const { return nominal_; }
  ZeroCrossingFunctions& functions() { return functions_; }
  const ZeroCrossingFunctions& functions() const { return functions_; }
  TimeFunctions& time_functions() { return time_functions_; }

  /// By parameter: 1 if equations or zero crossings read it. Until this is known all are taken for read.
  void find_readers(std::span<const std::uint8_t> read_parameters);
  /// Whether what equations or zero crossings read has changed since the last call.
  bool take_equations_changed() { return std::exchange(equations_changed_, false); }

  /// Watched differences crossed zero here: 1 upwards, -1 downwards, 0 not, one entry for each (empty: none).
  void crossed(std::span<const int> directions, std::span<double> parameters);

  /// The magnitudes of the watched differences between events of late, by watched number: at its events a
  /// difference may always be near zero.
  void record_magnitudes(std::span<const double> largest);

  /// Takes differences of this multiple of rounding error, or less, for zero.
  void tolerate(double roundings) { roundings_ = roundings; }

  /// Changes the values that contradict their differences at the point, where the equations hold: all of
  /// them, or (`first_only`) the first of them. Whether there were any. A comparison that has come to
  /// equality keeps its value until `look_ahead`, unless this is the `start`.
  bool update(const Point& point, std::span<double> parameters, bool first_only, bool start);
  /// The same at an instant with the functions evaluated there already, as `assigned` does.
  bool update_evaluated(const Point& point, std::span<double> parameters, bool first_only);
  /// The same at guesses, at which arguments may not be defined: pieces of these stay as they are.
  bool update_by_guesses(const Point& point, std::span<double> parameters);
  /// Sets all values by the differences at the point alone, whatever crossed before. Whether one changed.
  bool follow(const Point& point, std::span<double> parameters);

  /// Comparisons that miss equality by rounding alone take the values that the signs of their differences
  /// give. Those that had another one, by number; `take_back` takes it back.
  std::vector<std::uint32_t> hold_signs(const Point& point, std::span<double> parameters);

  /// For EventIteration::hold_transitions: comparisons at equality, up to `error` as a part of their
  /// magnitude, that conditions of transitions read (`read`: EventHandler::read_by_transitions), are at zero
  /// from now on while they are as small. What changes by less than the error in `moments` times the time
  /// from the point to `later` is so also within the error. Those of due transitions hold the other value,
  /// unless their rate shows that they leave to this side. Those of another value, by number.
  std::vector<std::uint32_t> hold_at_zero(const Point& point, const Point& later, double moments,
                                          double error, std::span<const std::uint8_t> read,
                                          std::span<double> parameters);
  /// Whether no comparison that conditions of due transitions read (as `hold_at_zero`) has been further from
  /// equality than `error`, as a part of its nominal magnitude: what they decided may be error alone.
  bool has_stayed_near_zero(double error, std::span<const std::uint8_t> read) const;
  /// Takes `hold_signs` or `hold_at_zero` back.
  void take_back(std::span<const std::uint32_t> held, std::span<double> parameters);

  /// Collects the differences that are at zero without having crossed it, as at the start of a sine
  /// (`after_assignment`: also those that are where they crossed while a variable was assigned). Whether
  /// there are any. To be called after an `update` that changed nothing.
  bool undecided(bool after_assignment);
  /// Measures the rates after the instant of these: where they have come to this part of a moment later.
  /// Whether one of them may be nothing but rounding error; these are to be measured a moment later,
  /// and if they still are (result), two moments later.
  bool measure_rates_after(const Point& later, double part);
  bool measure_small_rates_after(const Point& later);
  void measure_small_rates_after_two(const Point& later);
  /// Decides these by their rates after the instant; or only the first that contradicts its value. Whether
  /// one changed.
  bool look_ahead(std::span<double> parameters, bool first_only);
  /// Instead of this where nothing is known of a moment later: by the comparisons alone. Whether one changed.
  bool hold_equal(std::span<double> parameters, bool first_only);

  /// Whether a difference was at zero at the end of the last instant. `find_left_zero`, at the beginning of
  /// the next one with the functions evaluated, finds those that have left it since.
  bool any_at_zero() const { return any_at_zero_; }
  void find_left_zero();

  /// Measured rounding errors of the differences, by number.
  void record_rounding(std::span<const double> errors);
  /// Records the rates before the event: by the differences of the last evaluation, and a moment later
  /// without any event. The functions are then those of a moment later.
  void record_rates(const Point& later);
  /// Variables were assigned (`Assignments::assigned`). A difference that had crossed is decided by its
  /// new value if the assignment changed it, else by its rate from there, if the assignment may change rates.
  /// To be called before `update`, with the equations solved after the assignment.
  void assigned(const Point& point, std::span<const std::uint8_t> assigned, bool rates_change);
  /// An assignment reversed a difference although its rate before the event had the opposite sign: the rest
  /// of the motion (the last bounces of a ball) is below the error of the integrator.
  bool unresolvable() const { return unresolvable_; }
  /// In the last iteration assignments left differences that had crossed on the side that they came from, by
  /// rounding error alone: in how many moments the slowest of them moves by that. 0: none.
  double unresolved_moments() const { return unresolved_moments_; }
  /// Ends the instant: crossings no longer decide, and those that need it are to be confirmed by `verify`.
  /// `values`: of variables.
  void end_instant(std::span<const double> parameters, std::span<const double> values);

  /// Outcome of the verification of crossings that were decided while at zero, one step later.
  enum class Verification {
    Confirmed,   // they have moved to the side that was decided, or have not moved
    TurnedBack,  // a difference that crossed returned at once, unseen by the integrator: `reversals`
    Missed,      // one decided by its rate has not gone there: an event was too short to be located
  };
  /// `before`: the point of the event; `now`: the end of the step after it.
  Verification verify(const Point& before, const Point& now, std::span<const double> parameters);
  /// The same for differences that left zero to the wrong side, in these directions. False: Missed.
  bool reverse(std::span<const int> directions);
  /// Directions, as `crossed` takes them, of the last verification that gave TurnedBack.
  std::span<const int> reversals() const { return reversals_; }
  /// Leaves only one of these, each time another one.
  void keep_one_reversal(std::uint32_t turn);
  /// Whether any crossing waits for `verify`.
  bool any_unconfirmed() const { return !unconfirmed_.empty(); }

  /// EventIteration::resume, memory_size, save and load; these return the end of what they wrote or read.
  void resume(const Point& point);
  std::size_t memory_size() const { return 4 * functions_.size(); }
  double* save(double* out) const;
  const double* load(const double* in);

  /// The failure of an iteration that does not end, with the zero crossings that changed last.
  Failure endless(const Point& point) const;
  /// The same with these zero crossings.
  Failure endless(const Point& point, std::span<const std::uint32_t> crossings) const;

 private:
  enum class DecidedBy : std::uint8_t {
    Difference,       // the sign of the difference
    Crossing,         // the direction of its crossing, at this instant
    EarlierCrossing,  // the same at an instant before, which is not confirmed yet
    LookAhead,        // its sign a moment later, as it was at zero
    RateAfter,        // its change in a moment, after Rate
    Rate,             // its rate, as it had crossed and then variables were assigned that left it there
    Assignment,       // its new value, as an assignment of a state changed it
    Discrete,  // its new value, as that of a discrete variable changed it; at zero it keeps the former one
  };
  // The value by the crossing of a difference that has not crossed: it equals none.
  static constexpr double kNotCrossed = std::numeric_limits<double>::quiet_NaN();
  enum class Unconfirmed : std::uint8_t { No, Crossed, ByRate };

 public:
  struct Decisions {
    std::vector<DecidedBy> decided_by;
    std::vector<double> at_crossing, at_update, at_boundary;
    std::vector<std::uint8_t> was_at_zero, kept;
    std::vector<std::uint32_t> unconfirmed;
    std::vector<Unconfirmed> why_unconfirmed;
    bool unresolvable = false;
  };

 private:
  void require_confirmation(std::uint32_t watched, Unconfirmed why);
  /// What the function holds while it is below zero, or above; of a piece that has been left this is the next
  /// one.
  double beyond_zero(std::size_t k, bool below, std::span<const double> parameters) const;
  /// Whether the sign of the difference agrees with what is held.
  bool agrees(std::size_t k, double difference, std::span<const double> parameters) const;
  double right_value(const Point& point, std::size_t k);
  bool hold(std::size_t k, double value, std::span<double> parameters);
  /// Of the values of `update`.
  struct Which {
    bool first_only = false, only_finite = false, start = false;
  };
  bool update_those(const Point& point, std::span<double> parameters, const Which& which);
  bool keeps_value(std::size_t k, const Which& which, std::span<const double> parameters);
  bool is_at_other_boundary(std::size_t k, std::span<const double> parameters) const;
  bool hold_equal(std::size_t k, std::span<double> parameters);
  double rate_after(std::uint32_t k) const;
  bool crossed_with_rate(std::uint32_t k) const;
  bool is_assigned(std::size_t k) const {
    return decided_by_[k] == DecidedBy::Assignment || decided_by_[k] == DecidedBy::Discrete;
  }
  bool at_zero(std::size_t k) const;
  double noise(std::size_t k) const;
  const std::vector<double>& differences() const { return functions_.differences(); }

  ZeroCrossingFunctions functions_;
  TimeFunctions time_functions_;
  // By number:
  std::vector<DecidedBy> decided_by_;
  std::vector<std::uint8_t> changed_;  // by the last iteration
  std::vector<std::uint8_t> read_by_equations_;
  std::vector<double> crossing_value_;  // that its crossing at this instant gives; NaN: none
  std::vector<double> largest_;         // magnitude of the difference of late
  std::vector<double> nominal_;
  std::vector<std::uint8_t> was_at_zero_;  // but for rounding, at the end of the last instant or in this one
  std::vector<std::uint8_t> is_at_zero_;   // the same at the last `update`
  std::vector<std::uint8_t> kept_;         // its value, by the last `update`, as it had come to zero
  std::vector<double> at_crossing_;        // difference where the crossing was located
  std::vector<double> left_;               // what was held before it
  std::vector<double> at_update_;          // argument at the last `update`
  std::vector<double> at_boundary_;        // of a piece: argument where it was last at zero, or crossed
  std::vector<double> reference_;          // difference from which rates are measured
  std::vector<double> rate_after_;         // of the undecided ones: in a moment
  std::vector<double> rate_before_event_;  // its sign counts
  // By watched number:
  std::vector<std::uint32_t> undecided_, unconfirmed_;  // watched numbers
  std::vector<std::uint32_t> small_rates_;              // of `undecided_`
  std::vector<Unconfirmed> why_unconfirmed_;
  std::vector<int> reversals_;
  bool unresolvable_ = false, any_at_zero_ = false;
  double unresolved_moments_ = 0;
  double roundings_ = 1;
  bool equations_changed_ = false;
};

}  // namespace runtime
