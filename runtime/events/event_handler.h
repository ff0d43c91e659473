// What a model does at instants: triggers fire, and variables get other values.
//
// An instant is a sequence of rounds, each of which sees the model after the one before (super-dense time).
// In a round fire the clocks that tick (the first round only) and the conditions that have become true. All
// that these assign is assigned at once: `pre` is what was before the round, everything else what is after
// it; so values are computed again, with the equations, until none changes. The instant is over when no
// condition becomes true any more.
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

  /// Sets the clocks to their first ticks from `time` on; what ticks there is done if that has `happened`.
  /// False: one cannot tick as its parameters say.
  bool begin(double time, bool happened, std::span<const double> parameters, Failure& failure);
  /// The next tick; infinity when there is none.
  double next() const;
  /// The clocks that tick at this time (or less than a rounding error later) fire in the next round.
  void tick(double time, std::span<const double> parameters);

  /// Takes the conditions as they are: what is true now has not just become true.
  void accept(const Point& point);
  /// Conditions that are false at the point may become true in the next round.
  void rearm(const Point& point);
  /// What fires at the point. Whether anything does.
  bool fire(const Point& point);

  /// Keeps what `pre` will be in the next round, and sets it.
  void remember(std::span<const double> values);
  void recall(std::span<double> values) const;
  /// Sets `pre` to what is now. Whether that matters to equations or conditions.
  bool catch_up(std::span<double> values) const;

  /// Assigns what has fired, or (`again`) what has changed since. Whether anything changed.
  bool assign(const Point& point, std::span<const double> nominal, bool again);
  /// Variables that this round has assigned: 1.
  std::span<const std::uint8_t> assigned() const { return assigned_; }
  /// Whether what was assigned since the last call matters to the integrator.
  bool take_changed() { return std::exchange(changed_, false); }

  /// The trigger that ends the run, if its condition is true.
  std::optional<std::uint32_t> ended() const;
  Failure failed(FailureKind kind, double time) const;
  /// Parameters that equations or comparisons read: 1.
  std::span<const std::uint8_t> read_parameters() const { return read_parameters_; }

 private:
  void evaluate(const Point& point);
  double instant(std::size_t clock, double tick, std::span<const double> parameters) const;
  void find_readers();

  const Model& model_;
  std::vector<std::uint8_t> now_, was_, fired_, last_, ticked_;  // by trigger; `last_`: what fired last
  std::vector<double> tick_, next_;  // by clock: the number of its next tick, and when that is
  std::vector<double> before_;       // by `previous`
  std::vector<std::uint8_t> assigned_, read_, read_parameters_;
  std::vector<double> results_;
  bool changed_ = false;
};

}  // namespace runtime
