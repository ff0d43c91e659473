// Triggers that fire again after ever shorter times (Zeno): an event follows that is the limit of infinitely
// many, and rounding, not the model, decides what comes after it.
//
//   when u >= m do m := 0.5 * pre u + 0.5        u' = 1: at u = 0, 1/2, 3/4, 7/8 …
//
// Times that shrink are no fault as long as they are longer than the error of the time, or the assignment
// leaves differences that are more than rounding; a rest, as of a ball whose last bounce is below a limit,
// ends the sequence before.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace runtime {

class Accumulation {
 public:
  explicit Accumulation(std::size_t triggers) : states_(triggers) {}
  void clear() { states_.assign(states_.size(), {}); }

  /// Records that these triggers (per trigger: 1) fired at this time. The first one of which the times have
  /// shrunk in many steps to `shortest`, or less.
  std::optional<std::uint32_t> fired(std::span<const std::uint8_t> triggers, double time, double shortest);
  /// Of a trigger: how often it fired after ever shorter times, and the last one of these.
  std::uint32_t events(std::uint32_t trigger) const { return states_[trigger].shorter + 2; }
  double interval(std::uint32_t trigger) const { return states_[trigger].interval; }

  /// EventIteration::memory_size, save and load; the last two return the end of what they wrote or read.
  std::size_t memory_size() const { return 3 * states_.size(); }
  double* save(double* out) const;
  const double* load(const double* in);

 private:
  struct State {
    double last = -std::numeric_limits<double>::infinity();     // time
    double interval = std::numeric_limits<double>::infinity();  // before it
    std::uint32_t shorter = 0;  // intervals in a row, each than the one before
  };
  std::vector<State> states_;  // by trigger
};

}  // namespace runtime
