// How often each zero crossing changed and each trigger fired in a sequence of events: what to name where
// events follow each other without end.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/zero_crossing_functions.h"
#include "runtime/failure.h"

namespace runtime {

/// Events, or changes of structure, follow each other without end when this many together advance by less
/// than this part of the time range.
constexpr std::uint32_t kMostCloseEvents = 1000;
constexpr double kCloseAdvance = 1e-7;

class ChangeCounts {
 public:
  /// Begins a new sequence.
  void clear();
  /// Counts the zero crossings that hold something else than before an event.
  void count(const ZeroCrossingFunctions& functions, std::span<const double> parameters_before,
             std::span<const double> parameters);
  /// Counts triggers, those with a 1.
  void fired(std::span<const std::uint8_t> fired);

  /// The events of the sequence.
  std::uint32_t events() const { return events_; }
  /// By number, the most frequent first: those that are nearly as frequent as the most frequent of all.
  std::vector<std::uint32_t> crossings() const { return most_frequent(changes_); }
  std::vector<std::uint32_t> triggers() const { return most_frequent(fired_); }

 private:
  std::vector<std::uint32_t> most_frequent(const std::vector<std::uint32_t>& counts) const;

  std::uint32_t events_ = 0;
  std::vector<std::uint32_t> changes_, fired_;
};

}  // namespace runtime
