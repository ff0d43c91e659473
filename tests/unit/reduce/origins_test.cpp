// Origins are kept as runs: what is read is what was written, and regular ones take no room.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "compiler/ir/equations.h"

using namespace sigrel;

namespace {

void check(const std::vector<Origin>& expected) {
  Origins origins;
  for (Origin o : expected) origins.push_back(o);
  REQUIRE(origins.size() == expected.size());
  Origins::InOrder reader(origins);
  for (std::size_t row = 0; row < expected.size(); ++row) {
    CHECK(origins[row] == expected[row]);
    CHECK(reader[row] == expected[row]);
  }
}

}  // namespace

TEST_CASE("origins that are regular, constant, falling or anything") {
  check({});
  check({{3, 4}});
  check({{5, 1}, {7, 1}, {9, 1}, {3, 2}});
  check({{9, 0}, {9, 1}, {9, 2}, {0, 0}, {0, 0}, {0, 0}, {4000000000u, 7}, {5, 7}});
  check({{5, 5}, {4, 4}, {3, 3}, {2, 2}, {2, 1}});
  std::vector<Origin> any;
  std::mt19937 random(7);
  for (int k = 0; k < 1000; ++k)
    any.push_back({static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3)});
  check(any);
}

TEST_CASE("rows that are forgotten leave their number and their origins") {
  Equations e;
  EquationTable& t = e.tables.emplace_back();
  t.slots = 2;
  t.params = 1;
  t.unknowns = {0, 1, 1, 2};
  t.parameters = {0, 1};
  t.origins.push_back({1, 8});
  t.origins.push_back({2, 8});
  e.sums.terms = {Term::of(0, false), Term::of(1, true)};
  e.sums.offsets = {0, 2};
  e.sums.origins.push_back({0, 9});
  e.forget_rows();
  CHECK(e.count() == 3);
  CHECK(e.tables[0].unknowns.capacity() == 0);
  CHECK(e.tables[0].origins[1] == Origin{2, 8});
  CHECK(e.sums.terms.empty());
}
