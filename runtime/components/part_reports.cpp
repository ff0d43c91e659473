#include "runtime/components/part_reports.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/rounding.h"

namespace runtime {

namespace {

std::uint64_t& at(std::vector<std::uint64_t>& list, std::uint32_t number) {
  if (number >= list.size()) list.resize(std::size_t{number} + 1, 0);
  return list[number];
}

}  // namespace

void JoinedReports::add(std::uint32_t part, const EventReport& report) {
  std::uint64_t& last = at(parts_, part);
  if (present_ && (std::abs(report.time - report_.time) > time_rounding(report.time) ||
                   report.reversal != report_.reversal || last >= first_))
    flush();
  ++count_;
  last = count_;
  if (!present_) {
    present_ = true;
    first_ = count_;
    report_ = {.time = report.time, .reversal = report.reversal};
  }
  // Within one report a number may occur several times; in that of another part it is shared.
  auto is_new = [&](std::vector<std::uint64_t>& seen, std::uint32_t number) {
    std::uint64_t& by = at(seen, number);
    if (by >= first_ && by != count_) return false;
    by = count_;
    return true;
  };
  report_.arrival = report_.arrival || report.arrival;
  for (const ChangedComparison& c : report.comparisons)
    if (is_new(seen_comparisons_, c.number)) comparisons_.push_back(c);
  for (const FiredTrigger& t : report.triggers)
    if (is_new(seen_triggers_, t.trigger)) triggers_.push_back(t);
  for (const Jump& j : report.jumps)
    if (is_new(seen_variables_, j.variable)) jumps_.push_back(j);
}

void JoinedReports::flush() {
  if (!present_) return;
  present_ = false;
  std::ranges::sort(comparisons_, {}, &ChangedComparison::number);
  std::ranges::sort(triggers_, {}, [](const FiredTrigger& t) { return std::pair(t.round, t.trigger); });
  std::ranges::sort(jumps_, {}, [](const Jump& j) { return std::pair(j.round, j.variable); });
  report_.comparisons = comparisons_;
  report_.triggers = triggers_;
  report_.jumps = jumps_;
  target_.event(report_);
  comparisons_.clear();
  triggers_.clear();
  jumps_.clear();
}

void StoredReports::add(std::uint32_t part, const EventReport& report) {
  comparisons_.insert(comparisons_.end(), report.comparisons.begin(), report.comparisons.end());
  triggers_.insert(triggers_.end(), report.triggers.begin(), report.triggers.end());
  entries_.push_back(
      {report.time, part, report.reversal, report.arrival, comparisons_.size(), triggers_.size()});
}

EventReport StoredReports::report(std::size_t k) const {
  const Entry before = k > 0 ? entries_[k - 1] : Entry{}, &entry = entries_[k];
  return {.time = entry.time,
          .reversal = entry.reversal,
          .arrival = entry.arrival,
          .comparisons = {comparisons_.data() + before.comparisons, entry.comparisons - before.comparisons},
          .triggers = {triggers_.data() + before.triggers, entry.triggers - before.triggers}};
}

void StoredReports::keep_after(double until) {
  StoredReports later;
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (entries_[k].time > until) later.add(entries_[k].part, report(k));
  std::swap(entries_, later.entries_);
  std::swap(comparisons_, later.comparisons_);
  std::swap(triggers_, later.triggers_);
}

std::size_t StoredReports::pass_on(std::span<StoredReports* const> all, double until, JoinedReports& target) {
  struct At {
    double time;
    const StoredReports* list;
    std::size_t entry;
  };
  std::vector<At> order;
  for (const StoredReports* list : all)
    for (std::size_t k = 0; k < list->entries_.size(); ++k)
      if (list->entries_[k].time <= until) order.push_back({list->entries_[k].time, list, k});
  std::ranges::stable_sort(order, {}, &At::time);
  for (const At& at : order) target.add(at.list->entries_[at.entry].part, at.list->report(at.entry));
  for (StoredReports* list : all) list->keep_after(until);
  return order.size();
}

void PartReports::event(const EventReport& report) {
  comparisons_.assign(report.comparisons.begin(), report.comparisons.end());
  for (ChangedComparison& c : comparisons_) c.number = crossings[c.number];
  fired_.assign(report.triggers.begin(), report.triggers.end());
  for (FiredTrigger& t : fired_) t.trigger = triggers[t.trigger];
  jumps_.assign(report.jumps.begin(), report.jumps.end());
  for (Jump& j : jumps_) j.variable = variables[j.variable];
  EventReport whole = report;
  whole.comparisons = comparisons_;
  whole.triggers = fired_;
  whole.jumps = jumps_;
  if (stored)
    stored->add(part, whole);
  else
    target->add(part, whole);
}

}  // namespace runtime
