// Reports of the parts of a model: renumbered, and joined at one instant.
#include "runtime/components/part_reports.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace runtime;

namespace {

struct Taken {
  double time = 0;
  std::vector<std::uint32_t> comparisons, variables;
  std::vector<FiredTrigger> triggers;
  bool operator==(const Taken&) const = default;
};

struct Taker final : EventObserver {
  std::vector<Taken> taken;
  void event(const EventReport& report) override {
    Taken& t = taken.emplace_back();
    t.time = report.time;
    for (const ChangedComparison& c : report.comparisons) t.comparisons.push_back(c.number);
    t.triggers.assign(report.triggers.begin(), report.triggers.end());
    for (const Jump& j : report.jumps) t.variables.push_back(j.variable);
  }
};

}  // namespace

TEST_CASE("Reports of parts at one instant are joined, with what they share once") {
  Taker taker;
  JoinedReports joined(taker);
  const std::vector<std::uint32_t> a{7, 2}, b{5, 2};  // both parts have number 2 of the whole model
  PartReports first, second;
  first.part = 1, second.part = 2;
  first.variables = first.crossings = first.triggers = a;
  second.variables = second.crossings = second.triggers = b;
  first.target = second.target = &joined;

  const std::vector<ChangedComparison> comparisons{{0, 1.0}, {1, 1.0}};
  const std::vector<FiredTrigger> triggers{{0, 0}, {1, 0}, {0, 1}};  // 0 in two rounds
  const std::vector<Jump> jumps{{0, 0.0, 1.0}, {1, 0.0, 1.0}, {0, 1.0, 2.0, 1}};
  const EventReport report{.time = 0.3, .comparisons = comparisons, .triggers = triggers, .jumps = jumps};
  EventReport again = report;
  first.event(report);
  again.time = 0.1 + 0.2;  // the same instant
  second.event(again);
  CHECK(taker.taken.empty());
  first.event(report);  // a second event of this part at the instant
  CHECK(taker.taken.size() == 1);
  again.time = 0.4;
  second.event(again);
  joined.flush();
  joined.flush();
  CHECK(taker.taken ==
        std::vector<Taken>{{0.3, {2, 5, 7}, {2, 5, 7, 5, 7}, {{2, 0}, {5, 0}, {7, 0}, {5, 1}, {7, 1}}},
                           {0.3, {2, 7}, {2, 7, 7}, {{2, 0}, {7, 0}, {7, 1}}},
                           {0.4, {2, 5}, {2, 5, 5}, {{2, 0}, {5, 0}, {5, 1}}}});
}

TEST_CASE("Stored reports are passed on in the order of time, up to a time") {
  Taker taker;
  JoinedReports joined(taker);
  StoredReports first, second;
  const std::vector<ChangedComparison> comparisons{{3, 1.0}, {4, 0.0}};
  const std::vector<FiredTrigger> triggers{{5, 0}};
  auto at = [&](double time, std::size_t changed) {
    return EventReport{.time = time,
                       .comparisons = std::span(comparisons).first(changed),
                       .triggers = std::span(triggers).first(2 - changed)};
  };
  first.add(1, at(0.5, 1));
  first.add(2, at(0.1, 2));
  second.add(3, at(0.5, 2));
  second.add(3, at(0.3, 1));
  StoredReports* const all[] = {&first, &second};
  CHECK(StoredReports::pass_on(all, 0.3, joined) == 2);
  CHECK(StoredReports::pass_on(all, 0.3, joined) == 0);
  second.add(3, at(0.4, 2));
  CHECK(StoredReports::pass_on(all, 1, joined) == 3);
  joined.flush();
  CHECK(taker.taken == std::vector<Taken>{{0.1, {3, 4}, {}, {}},
                                          {0.3, {3}, {}, {{5, 0}}},
                                          {0.4, {3, 4}, {}, {}},
                                          {0.5, {3, 4}, {}, {{5, 0}}}});
}
