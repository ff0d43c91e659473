#include "compiler/graph/augmenting_path.h"

#include <catch2/catch.hpp>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

Numbers assign(const Rows& rows, std::uint32_t variables, const Numbers& known = {}) {
  std::vector<bool> active(variables, true);
  for (std::uint32_t v : known) active[v - 1] = false;
  return one_based(matching_in_order(make(rows, variables, 1), active).row_of_column);
}

}  // namespace

TEST_CASE("MB-1: the published matching") {
  CHECK(assign({{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}}, 7, {5}) == Numbers{1, 6, 4, 3, 0, 5, 2});
  Matching m = matching_in_order(make({{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}}, 7, 1),
                                 std::vector<bool>(7, true));
  CHECK(one_based(m.column_of_row) == Numbers{1, 7, 4, 3, 6, 2});
}

TEST_CASE("MB-3 and MB-4: the published matchings of singular systems") {
  CHECK(assign({{2}, {3, 8}, {4, 7}, {5}, {3, 6}, {}, {4, 6}, {1, 7}}, 8) == Numbers{8, 1, 2, 7, 4, 5, 3, 0});
  CHECK(assign({{3}, {3}, {2, 3}}, 4) == Numbers{0, 3, 1, 0});
}

TEST_CASE("MB-5: the published matchings of the pendulum") {
  Rows g{{3, 5}, {4, 6}, {1, 7, 9}, {2, 8, 9}, {1, 2}};
  CHECK(assign(g, 9) == Numbers{5, 4, 1, 2, 0, 0, 3, 0, 0});
  Rows extended = g;
  for (std::uint32_t v = 1; v <= 4; ++v) extended.push_back({v, v + 4});
  CHECK(assign(extended, 9) == Numbers{5, 7, 1, 9, 6, 2, 8, 4, 3});
  Rows reduced = g;
  for (const auto& row : Rows{{1, 2, 5, 6}, {3, 5, 7, 10}, {4, 6, 8, 11}, {1, 2, 5, 6, 10, 11}})
    reduced.push_back(row);
  CHECK(assign(reduced, 11, {1, 3}) == Numbers{0, 5, 0, 2, 1, 6, 7, 4, 3, 9, 8});
}

TEST_CASE("MB-5: which two initial conditions determine the pendulum") {
  auto start = [](std::uint32_t first, std::uint32_t second) {
    Rows g{{3, 5},       {4, 6},        {1, 7, 9},     {2, 8, 9},           {1, 2},
           {1, 2, 5, 6}, {3, 5, 7, 10}, {4, 6, 8, 11}, {1, 2, 5, 6, 10, 11}};
    g.push_back({first});
    g.push_back({second});
    return assign(g, 11);
  };
  Numbers xy = start(1, 2), xw = start(1, 3), wz = start(3, 4);
  CHECK(xy[8] == 0);  // nothing determines the tension
  CHECK(std::ranges::count(xw, 0u) == 0);
  CHECK(std::ranges::count(wz, 0u) == 0);
}

TEST_CASE("matchings in order are maximum") {
  std::mt19937 random(11);
  for (int k = 0; k < 2000; ++k) {
    std::uint32_t rows = random() % 9, columns = random() % 9;
    Bipartite g = random_graph(random, rows, columns, 0.05 + 0.05 * (random() % 10));
    Matching m = matching_in_order(g, std::vector<bool>(columns, true));
    REQUIRE(m.size() == brute_force_matching(g));
    for (std::uint32_t r = 0; r < rows; ++r)
      if (m.column_of_row[r] != kNone) REQUIRE(m.row_of_column[m.column_of_row[r]] == r);
  }
}

TEST_CASE("a path through a million rows") {
  constexpr std::uint32_t n = 1000000;
  Bipartite chain;
  chain.columns = n + 1;
  Matching m = Matching::empty(n + 1, n + 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    chain.targets.insert(chain.targets.end(), {i, i + 1});
    chain.end_row();
    m.match(i, i + 1);
  }
  chain.targets.push_back(n);
  chain.end_row();
  AugmentingPath path;
  CHECK(path.find(n, chain, m));
  CHECK(m.size() == n + 1);
}
