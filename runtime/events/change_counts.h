// How often each zero crossing changed and each trigger fired in a sequence of events: what to name where
// events follow each other without end.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/archive.h"
#include "runtime/events/zero_crossing_functions.h"
#include "runtime/failure.h"

namespace runtime {

/// A sequence of events, or of changes of structure, that hardly advance the time. It comes to no end where
/// this many together advance by less than this part of the time range. Ticks of a clock do so only if there
/// are too many of them (Clocks::endless), as their number is known.
struct CloseEvents {
  static constexpr std::uint32_t kMost = 1000;
  static constexpr double kAdvance = 1e-7;

  double begin = -std::numeric_limits<double>::infinity();  // time of the first event
  std::uint32_t count = 0;                                  // of those after it

  /// Whether an event at this time begins another sequence: it does then. `range`: of the simulation,
  /// seconds.
  bool begins(double time, double range) {
    if (!(time - begin > kAdvance * range)) return false;
    begin = time;
    count = 0;
    return true;
  }
  /// Counts one more. False: too many.
  bool add() { return ++count < kMost; }
  void visit(Archive& archive) { archive(begin, count); }
};

/// That of events at which anything but clocks leads to them, and that of the others.
struct CloseSequences {
  CloseEvents events, ticks;
  void visit(Archive& archive) { archive(events, ticks); }
};

class ChangeCounts {
 public:
  /// Begins a new sequence.
  void clear();
  /// Counts the zero crossings that hold something else than before an event.
  void count(const ZeroCrossingFunctions& functions, std::span<const double> parameters_before,
             std::span<const double> parameters);
  /// Counts triggers, those with a 1.
  void fired(std::span<const std::uint8_t> fired);

  /// By number, the most frequent first: those that are nearly as frequent as the most frequent of all.
  std::vector<std::uint32_t> crossings() const { return most_frequent(changes_); }
  std::vector<std::uint32_t> triggers() const { return most_frequent(fired_); }
  void visit(Archive& archive) { archive(changes_, fired_); }

 private:
  std::vector<std::uint32_t> most_frequent(const std::vector<std::uint32_t>& counts) const;

  std::vector<std::uint32_t> changes_, fired_;
};

}  // namespace runtime
