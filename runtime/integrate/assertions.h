// The assertions of a model: conditions that must hold at every result row and step, and before and after
// events.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/solve/model_instance.h"

namespace runtime {

class Assertions {
 public:
  explicit Assertions(ModelInstance& instance) : instance_(instance) {}
  bool empty() const { return instance_.model.assertions.empty(); }

  /// Whether those hold that depend on parameters and time alone: what they forbid may be why there is no
  /// start.
  bool hold_without_variables(double time);
  /// Whether all hold at the current values, with the observed variables up to date. False: `failure()` of
  /// the instance names the first that does not.
  bool hold(double time);
  /// The same from the current values of the states: evaluates what the assertions read first.
  bool evaluate_and_hold(double time);
  /// Notes which hold at the current values of the states, where an event is to be processed. It is located
  /// just behind its crossing, so that one of `y >= 0` may not hold there, although nothing violates it.
  void record_at_event(double time);
  /// Whether all that held there do so after the event. Then these are forgotten.
  bool hold_after_event(double time);

 private:
  /// The variables that assertions read, from the current values of the states.
  bool evaluate(double time);
  bool hold(const KernelBatch& batch, std::uint32_t first, double time);

  ModelInstance& instance_;
  std::optional<std::vector<Step>> steps_;  // which compute these variables; found at the first use
  std::vector<double> conditions_;
  std::vector<std::uint8_t> held_;  // at the event, by row of all; empty: all count
};

}  // namespace runtime
