// Reports of events of the parts of a model: in numbers of the whole model, and joined where several parts
// have an event at one instant, such as the tick of a shared clock.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/event_observer.h"

namespace runtime {

/// Joins reports of one instant, up to rounding, in the order of time. What several parts share is reported
/// once.
class JoinedReports {
 public:
  /// `target` outlives the reports.
  explicit JoinedReports(EventObserver& target) : target_(target) {}

  /// `part`: which one reports, by a small number; `report`: in numbers of the whole model.
  void add(std::uint32_t part, const EventReport& report);
  /// Passes on what is held back; to be called at the end.
  void flush();

 private:
  EventObserver& target_;
  bool present_ = false;
  EventReport report_;
  std::vector<ChangedComparison> comparisons_;
  std::vector<FiredTrigger> triggers_;
  std::vector<Jump> jumps_;
  // The report that had a number last, counted from 1: by part, comparison, trigger and variable.
  std::uint64_t count_ = 0, first_ = 0;  // first_: of this instant
  std::vector<std::uint64_t> parts_, seen_comparisons_, seen_triggers_, seen_variables_;
};

/// Reports of parts that are processed independently of each other, which are passed on in the order of time
/// later, without jumps. Each group of parts that one thread processes has its own.
class StoredReports {
 public:
  void add(std::uint32_t part, const EventReport& report);
  /// Passes on the reports of all these up to this time, and removes them. Their number.
  static std::size_t pass_on(std::span<StoredReports* const> all, double until, JoinedReports& target);

 private:
  struct Entry {
    double time = 0;
    std::uint32_t part = 0;
    bool reversal = false, arrival = false;
    std::size_t comparisons = 0, triggers = 0;  // the ends of its entries in the lists
  };
  EventReport report(std::size_t k) const;
  void keep_after(double until);

  std::vector<Entry> entries_;
  std::vector<ChangedComparison> comparisons_;
  std::vector<FiredTrigger> triggers_;
};

/// The reports of one part, renumbered.
class PartReports final : public EventObserver {
 public:
  std::uint32_t part = 0;
  /// By number in the part: the number in the whole model (Submodel).
  std::span<const std::uint32_t> variables{}, crossings{}, triggers{};
  JoinedReports* target = nullptr;
  StoredReports* stored = nullptr;  // takes them instead, if there is one

  void event(const EventReport& report) override;

 private:
  std::vector<ChangedComparison> comparisons_;
  std::vector<FiredTrigger> fired_;
  std::vector<Jump> jumps_;
};

}  // namespace runtime
