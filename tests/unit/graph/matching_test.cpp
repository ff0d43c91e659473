#include "compiler/graph/matching.h"

#include <catch2/catch.hpp>

#include "compiler/graph/single_columns.h"
#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

void check_valid(const Bipartite& g, const Matching& m) {
  REQUIRE(m.column_of_row.size() == g.rows());
  REQUIRE(m.row_of_column.size() == g.columns);
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    std::uint32_t c = m.column_of_row[r];
    if (c == kNone) continue;
    REQUIRE(std::ranges::count(g.row(r), c) > 0);
    REQUIRE(m.row_of_column[c] == r);
  }
  std::uint32_t columns = 0;
  for (std::uint32_t r : m.row_of_column) columns += r != kNone;
  REQUIRE(columns == m.size());
}

}  // namespace

TEST_CASE("the example of the header") {
  Matching m = maximum_matching(make({{0, 1}, {0}, {1}}, 3));
  CHECK(m.column_of_row == std::vector<std::uint32_t>{1, 0, kNone});
  CHECK(m.row_of_column == std::vector<std::uint32_t>{1, 0, kNone});
}

TEST_CASE("MB-1: the documented graph is matched but for the known v5") {
  Bipartite g = make({{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}}, 7, 1);
  Matching m = maximum_matching(g);
  check_valid(g, m);
  CHECK(m.size() == 6);
  CHECK(m.row_of_column[4] == kNone);
}

TEST_CASE("MB-3: all but one of eight rows are matched") {
  Bipartite g = make({{2}, {3, 8}, {4, 7}, {5}, {3, 6}, {}, {4, 6}, {1, 7}}, 8, 1);
  Matching m = maximum_matching(g);
  check_valid(g, m);
  CHECK(m.size() == 7);
  CHECK(m.column_of_row[5] == kNone);
}

TEST_CASE("MB-4: two rows want the same column") {
  Bipartite g = make({{3}, {3}, {2, 3}}, 4, 1);
  Matching m = maximum_matching(g);
  check_valid(g, m);
  CHECK(m.size() == 2);
  CHECK(m.row_of_column[0] == kNone);
  CHECK(m.row_of_column[3] == kNone);
  CHECK(m.column_of_row[2] == 1);
}

TEST_CASE("MB-5: the pendulum's equations can all be matched, though not without its states") {
  Rows rows{{3, 5}, {4, 6}, {1, 7, 9}, {2, 8, 9}, {1, 2}};
  Bipartite g = make(rows, 9, 1);
  CHECK(maximum_matching(g).size() == 5);
  for (auto& row : rows) std::erase_if(row, [](std::uint32_t v) { return v <= 4; });
  CHECK(maximum_matching(make(rows, 9, 1)).size() == 4);
}

TEST_CASE("the core is what single choices leave") {
  // Row 0 has one choice; then rows 1 and 2 share two columns; row 3 alone has column 4.
  std::vector<std::uint32_t> core;
  maximum_matching(make({{1}, {1, 2, 3}, {2, 3}, {2, 4}}, 4, 1), &core);
  CHECK(core == std::vector<std::uint32_t>{1, 2});
  CHECK(rows_without_single_columns(make({{1}, {1, 2, 3}, {2, 3}, {2, 4}}, 4, 1)) ==
        std::vector<std::uint32_t>{0, 1, 2});
  core.clear();
  maximum_matching(make({{1, 2}, {2, 3}, {3}}, 3, 1), &core);
  CHECK(core.empty());
  CHECK(rows_without_single_columns(make({{1, 2}, {2, 3}, {3}}, 3, 1)).empty());
}

TEST_CASE("matchings of random graphs are maximum") {
  std::mt19937 random(1);
  for (int k = 0; k < 3000; ++k) {
    std::uint32_t rows = random() % 9, columns = random() % 9;
    Bipartite g = random_graph(random, rows, columns, 0.05 + 0.05 * (random() % 10));
    Matching m = maximum_matching(g);
    check_valid(g, m);
    REQUIRE(m.size() == brute_force_matching(g));
    // Augmenting alone, from nothing or from a part, gives the same size and keeps columns.
    Matching part = Matching::empty(rows, columns);
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t c : g.row(r))
        if (random() % 3 == 0 && part.row_of_column[c] == kNone && part.column_of_row[r] == kNone)
          part.match(r, c);
    Matching before = part;
    augment(g, part);
    check_valid(g, part);
    REQUIRE(part.size() == m.size());
    for (std::uint32_t c = 0; c < columns; ++c)
      if (before.row_of_column[c] != kNone) REQUIRE(part.row_of_column[c] != kNone);
  }
}

TEST_CASE("a million rows: diagonal, band, and a chain with one way out") {
  constexpr std::uint32_t n = 1000000;
  CHECK(maximum_matching(band(n, 1)).size() == n);
  CHECK(maximum_matching(band(n, 3)).size() == n);
  // Row i has columns i and i+1, matched the wrong way; the last row finds a free column only through all
  // others.
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
  augment(chain, m);
  CHECK(m.size() == n + 1);
}
