// Cycles of assignments against a search of all paths, on random graphs.
#include "runtime/events/assignment_cycles.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

using namespace runtime;

namespace {

/// A model whose assignment k assigns variable `assigns[k]` at `triggers[k]` and reads `reads[k]`, as a sum.
Model model(const std::vector<std::uint32_t>& assigns, const std::vector<std::uint32_t>& triggers,
            const std::vector<std::vector<std::uint32_t>>& reads, std::uint32_t variables) {
  Model result;
  result.variables = variables;
  KernelBatch batch;
  batch.kernel = kNone;
  batch.role = Role::Residual;
  batch.count = static_cast<std::uint32_t>(assigns.size());
  result.tables.push_back(0);
  for (const auto& row : reads)
    result.tables.push_back(result.tables.back() + static_cast<std::uint32_t>(row.size()));
  for (const auto& row : reads)
    for (const std::uint32_t v : row) result.tables.push_back(v << 1);
  result.batches.push_back(batch);
  result.events.values.push_back(0);
  for (std::uint32_t k = 0; k < assigns.size(); ++k) {
    result.events.assignments.push_back({triggers[k], assigns[k], {0, k}});
    result.events.triggers = std::max(result.events.triggers, triggers[k] + 1);
  }
  return result;
}

}  // namespace

TEST_CASE("cycles of assignments are found where there are any, whatever fires") {
  std::mt19937 random(5);
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  int cyclic = 0;
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t variables = 2 + below(6), assignments = 1 + below(9), triggers = 1 + below(4);
    std::vector<std::uint32_t> assigns, of;
    std::vector<std::vector<std::uint32_t>> reads(assignments);
    for (std::uint32_t k = 0; k < assignments; ++k) {
      assigns.push_back(below(variables));
      of.push_back(below(triggers));
      for (std::uint32_t n = below(3); n > 0; --n)
        if (const std::uint32_t v = below(variables); v != assigns[k]) reads[k].push_back(v);
    }
    const Model m = model(assigns, of, reads, variables);
    AssignmentCycles cycles(m);
    auto needs = [&](std::uint32_t reader, std::uint32_t assigner) {
      return std::ranges::find(reads[reader], assigns[assigner]) != reads[reader].end();
    };
    auto check = [&](std::span<const std::uint32_t> found, const std::vector<std::uint8_t>& taken, bool one) {
      // A path of `assignments` steps comes round.
      std::function<bool(std::uint32_t, std::uint32_t)> path = [&](std::uint32_t k, std::uint32_t steps) {
        if (steps == 0) return true;
        for (std::uint32_t next = 0; next < assignments; ++next)
          if (taken[of[next]] && needs(k, next) && (!one || of[k] == of[next]) && path(next, steps - 1))
            return true;
        return false;
      };
      bool expected = false;
      for (std::uint32_t k = 0; k < assignments; ++k)
        expected = expected || (taken[of[k]] && path(k, assignments));
      CHECK(found.empty() == !expected);
      for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(taken[of[found[k]]]);
        CHECK(needs(found[k], found[(k + 1) % found.size()]));
        if (one) CHECK(of[found[k]] == of[found[0]]);
      }
      cyclic += expected;
    };
    for (int choice = 0; choice < 4; ++choice) {
      std::vector<std::uint8_t> fired(triggers);
      for (std::uint8_t& f : fired) f = below(3) > 0;
      check(cycles.find(fired), fired, false);
    }
    check(cycles.find_of_one_trigger(), std::vector<std::uint8_t>(triggers, 1), true);
  }
  CHECK(cyclic > 100);
}
