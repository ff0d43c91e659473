#include "runtime/events/event_record.h"

#include <algorithm>

namespace runtime {

void EventRecord::report_to(EventObserver* observer) {
  observer_ = observer;
  if (!observer_) return;
  assigned_.clear();
  for (const Assignment& assignment : model_.events.assignments) assigned_.push_back(assignment.variable);
  std::ranges::sort(assigned_);
  const auto repeated = std::ranges::unique(assigned_);
  assigned_.erase(repeated.begin(), repeated.end());
  before_.resize(assigned_.size());
}

void EventRecord::begin(double time, std::span<const double> values, bool reversal) {
  if (!observer_) return;
  report_ = {.time = time, .reversal = reversal};
  triggers_.clear();
  jumps_.clear();
  rounds_ = 0;
  for (std::size_t k = 0; k < assigned_.size(); ++k) before_[k] = values[assigned_[k]];
}

void EventRecord::fired(std::span<const std::uint8_t> fired) {
  if (!observer_) return;
  for (std::uint32_t t = 0; t < fired.size(); ++t)
    if (fired[t]) triggers_.push_back({t, rounds_});
}

void EventRecord::assigned(std::span<const double> values) {
  if (!observer_) return;
  for (std::size_t k = 0; k < assigned_.size(); ++k) {
    const double now = values[assigned_[k]];
    if (now != before_[k]) jumps_.push_back({assigned_[k], before_[k], now, rounds_});
    before_[k] = now;
  }
  ++rounds_;
}

void EventRecord::end(const ZeroCrossingFunctions& functions, std::span<const double> parameters_before,
                      std::span<const double> parameters, bool arrival) {
  if (!observer_) return;
  comparisons_.clear();
  for (std::uint32_t k = 0; k < functions.size(); ++k) {
    const double now = functions.held(k, parameters);
    if (functions.held(k, parameters_before) != now) comparisons_.push_back({k, now});
  }
  if (comparisons_.empty() && triggers_.empty() && !arrival) return;
  report_.arrival = arrival;
  report_.comparisons = comparisons_;
  report_.triggers = triggers_;
  report_.jumps = jumps_;
  observer_->event(report_);
}

}  // namespace runtime
