// The clocks of event handlers: when each ticks next.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"

namespace runtime {

class Clocks {
 public:
  explicit Clocks(const Events& events);

  /// Sets the clocks to their first ticks at or after `time`, or after it if the ticks at it are
  /// `processed`. False: the parameters of a clock are invalid.
  bool start(double time, bool processed, std::span<const double> parameters, Failure& failure);
  /// The time of the next tick of any clock that is not processed elsewhere; infinity if there is none.
  double next_tick() const;
  /// Whether a clock ticks at this time, up to rounding.
  bool tick_at(double time, std::span<const double> parameters) const {
    return next_tick() <= latest_of(time, parameters);
  }
  /// The ticks of these clocks (per clock: 1) are processed elsewhere, by `next_tick_of` and `advance`.
  void process_elsewhere(std::span<const std::uint8_t> clocks) {
    elsewhere_.assign(clocks.begin(), clocks.end());
  }
  double next_tick_of(std::size_t clock) const { return next_tick_[clock]; }
  void advance(std::size_t clock, std::span<const double> parameters) {
    next_tick_[clock] = time_of_tick(clock, ++tick_[clock], parameters);
  }
  /// The trigger of a clock that ticks so often until the stop time that no run would come to its end.
  std::optional<std::uint32_t> endless(double stop, std::span<const double> parameters) const;
  /// Advances the clocks that tick at this time, up to rounding; `visit` gets the trigger of each.
  template <class Visit>
  void tick(double time, std::span<const double> parameters, const Visit& visit) {
    const double latest = latest_of(time, parameters);
    for (std::size_t k = 0; k < next_tick_.size(); ++k) {
      if (elsewhere_[k] || next_tick_[k] - rounding(k, parameters) > latest) continue;
      advance(k, parameters);
      visit(events_.clocks[k].trigger);
    }
  }

  /// EventIteration::memory_size, save and load; these return the end of what they wrote or read.
  std::size_t memory_size() const { return 2 * tick_.size(); }
  double* save(double* out) const;
  const double* load(const double* in);

 private:
  double latest_of(double time, std::span<const double> parameters) const;
  double rounding(std::size_t clock, std::span<const double> parameters) const;
  double time_of_tick(std::size_t clock, double tick, std::span<const double> parameters) const;

  const Events& events_;
  // By clock: the number of the next tick, and its time.
  std::vector<double> tick_, next_tick_;
  std::vector<std::uint8_t> elsewhere_;
};

}  // namespace runtime
