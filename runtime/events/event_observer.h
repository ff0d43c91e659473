// What an event changed, as numbers: for logs of events. The caller has the names and the source.
#pragma once
#include <cstdint>
#include <span>

namespace runtime {

struct ChangedComparison {
  std::uint32_t number = 0;  // of the zero crossing: ZeroCrossingFunctions
  double value = 0;          // that is held from now on: of a comparison 1 or 0, else the number of the piece
};

/// A trigger that fired in a round of the event, counted from 0.
struct FiredTrigger {
  std::uint32_t trigger = 0, round = 0;
  auto operator<=>(const FiredTrigger&) const = default;
};

/// The change of a variable that the event assigned, in one of its rounds.
struct Jump {
  std::uint32_t variable = 0;
  double before = 0, after = 0;
  std::uint32_t round = 0;
};

/// An event at one time, after its iteration has ended. The spans are valid during the call only.
struct EventReport {
  double time = 0;        // seconds
  bool reversal = false;  // a comparison returned to its value right after the event before
  bool arrival = false;   // a jump of a delayed signal arrived
  std::span<const ChangedComparison> comparisons{};  // whose value after the event is another one
  std::span<const FiredTrigger> triggers{};          // ascending by round, then by number
  std::span<const Jump> jumps{};                     // ascending by round, then by variable
};

class EventObserver {
 public:
  virtual ~EventObserver() = default;
  /// Called for each event that changed a comparison, fired a trigger or let a jump arrive, in order of time.
  virtual void event(const EventReport& report) = 0;
  /// Whether jumps do not matter, nor when the calls come. Independent parts of a model may then be simulated
  /// by several threads; reports of their events have no jumps.
  virtual bool only_counts() const { return false; }
};

}  // namespace runtime
