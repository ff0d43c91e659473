// Collects what an event changes, and reports it to an observer.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/event_observer.h"
#include "runtime/events/zero_crossing_functions.h"
#include "runtime/model.h"

namespace runtime {

class EventRecord {
 public:
  explicit EventRecord(const Model& model) : model_(model) {}
  /// `observer` outlives the record; null: nothing is recorded.
  void report_to(EventObserver* observer);
  EventObserver* observer() const { return observer_; }

  /// The values before the event. `reversal`: EventReport.
  void begin(double time, std::span<const double> values, bool reversal);
  /// A round of it; `fired`: per trigger.
  void fired(std::span<const std::uint8_t> fired);
  /// The values after the assignments of the round.
  void assigned(std::span<const double> values);
  /// The parameters before and after it. Reports the event if there is anything to report.
  void end(const ZeroCrossingFunctions& functions, std::span<const double> parameters_before,
           std::span<const double> parameters, bool arrival);

 private:
  const Model& model_;
  EventObserver* observer_ = nullptr;
  EventReport report_;
  std::vector<std::uint32_t> assigned_;  // the variables that events assign, ascending
  std::vector<double> before_;           // their values before the round
  std::uint32_t rounds_ = 0;
  std::vector<ChangedComparison> comparisons_;
  std::vector<FiredTrigger> triggers_;
  std::vector<Jump> jumps_;
};

}  // namespace runtime
