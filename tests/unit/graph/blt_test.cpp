#include "compiler/graph/blt.h"

#include <catch2/catch.hpp>
#include <set>

#include "compiler/graph/matching.h"
#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

/// Blocks as sets, 1-based, from a 1-based assignment with 0 for none: as ModiaBase writes them.
std::vector<std::set<std::uint32_t>> modia_blt(const Rows& rows, const std::vector<std::uint32_t>& assign) {
  std::vector<std::uint32_t> row_of_column;
  for (std::uint32_t a : assign) row_of_column.push_back(a == 0 ? kNone : a - 1);
  Blocks blocks = blt(make(rows, static_cast<std::uint32_t>(assign.size()), 1), row_of_column);
  std::vector<std::set<std::uint32_t>> result;
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    result.emplace_back();
    for (std::uint32_t r : blocks.block(b)) result.back().insert(r + 1);
  }
  return result;
}

using Sets = std::vector<std::set<std::uint32_t>>;

}  // namespace

TEST_CASE("MB-1: blocks of the documented graph with the documented assignment") {
  Rows g{{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}};
  CHECK(modia_blt(g, {2, 6, 3, 1, 0, 5, 4}) == Sets{{6}, {1, 2, 3, 4}, {5}});
  CHECK(modia_blt(g, {1, 6, 4, 3, 0, 5, 2}) == Sets{{6}, {1, 2, 3, 4}, {5}});
}

TEST_CASE("MB-3: Tarjan's example") {
  CHECK(modia_blt({{2}, {3, 8}, {4, 7}, {5}, {3, 6}, {}, {4, 6}, {1, 7}}, {1, 2, 3, 4, 5, 6, 7, 8}) ==
        Sets{{6}, {3, 4, 5, 7}, {1, 2, 8}});
}

TEST_CASE("MB-5: blocks of the reduced pendulum") {
  Rows g{{3, 5},       {4, 6},        {1, 7, 9},     {2, 8, 9},           {1, 2},
         {1, 2, 5, 6}, {3, 5, 7, 10}, {4, 6, 8, 11}, {1, 2, 5, 6, 10, 11}};
  CHECK(modia_blt(g, {0, 5, 0, 2, 1, 6, 7, 4, 3, 9, 8}) == Sets{{1}, {5}, {6}, {2}, {3, 4, 7, 8, 9}});
}

TEST_CASE("blocks of random graphs are the classes of mutual reachability, in order") {
  std::mt19937 random(4);
  for (int k = 0; k < 2000; ++k) {
    std::uint32_t n = 1 + random() % 8;
    Bipartite g = random_graph(random, n, n, 0.2);
    std::vector<std::uint32_t> row_of_column(n);
    for (std::uint32_t i = 0; i < n; ++i) row_of_column[i] = i;
    std::shuffle(row_of_column.begin(), row_of_column.end(), random);
    std::vector<std::vector<bool>> needs(n, std::vector<bool>(n, false));
    for (std::uint32_t r = 0; r < n; ++r) {
      needs[r][r] = true;
      for (std::uint32_t c : g.row(r)) needs[r][row_of_column[c]] = true;
    }
    for (std::uint32_t m = 0; m < n; ++m)
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
          if (needs[i][m] && needs[m][j]) needs[i][j] = true;
    Blocks blocks = blt(g, row_of_column);
    REQUIRE(blocks.rows.size() == n);
    std::vector<std::uint32_t> block_of(n, kNone);
    for (std::uint32_t b = 0; b < blocks.count(); ++b)
      for (std::uint32_t r : blocks.block(b)) block_of[r] = b;
    auto level = levels(g, row_of_column, blocks);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) {
        REQUIRE((block_of[i] == block_of[j]) == (needs[i][j] && needs[j][i]));
        if (needs[i][j] && block_of[i] != block_of[j]) {
          REQUIRE(block_of[j] < block_of[i]);
          REQUIRE(level[block_of[j]] < level[block_of[i]]);
        }
      }
  }
}

TEST_CASE("a million rows: a chain of blocks, and one block") {
  constexpr std::uint32_t n = 1000000;
  std::vector<std::uint32_t> identity(n);
  for (std::uint32_t i = 0; i < n; ++i) identity[i] = i;
  CHECK(blt(band(n, 1), identity).count() == n);
  CHECK(blt(band(n, 2), identity).count() == 1);
  Bipartite backwards;  // row i needs row i + 1
  backwards.columns = n;
  for (std::uint32_t i = 0; i < n; ++i) {
    backwards.targets.push_back(i);
    if (i + 1 < n) backwards.targets.push_back(i + 1);
    backwards.end_row();
  }
  Blocks blocks = blt(backwards, identity);
  CHECK(blocks.count() == n);
  CHECK(blocks.block(0)[0] == n - 1);
  CHECK(levels(backwards, identity, blocks)[n - 1] == n - 1);
}

TEST_CASE("a graph in tables has the blocks and levels of the same graph by rows") {
  // Rows of width 2 (2 1, 0 3), then rows with offsets, entries shifted: (1), (3 1 2).
  const std::vector<std::uint32_t> wide{2, 1, 0, 3}, offsets{0, 1, 4},
      entries{1 << 1 | 1, 3 << 1, 1 << 1, 2 << 1 | 1};
  TableGraph tables(4);
  tables.add(2, 2, wide.data());
  tables.add(0, 5, wide.data());
  tables.add(2, offsets.data(), entries.data(), 1);
  Bipartite rows;
  rows.columns = 4;
  rows.offsets = {0, 2, 4, 5, 8};
  rows.targets = {2, 1, 0, 3, 1, 3, 1, 2};
  REQUIRE(tables.rows() == rows.rows());
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    REQUIRE(tables.row(r).size() == rows.row(r).size());
    for (std::uint32_t k = 0; k < rows.row(r).size(); ++k) CHECK(tables.row(r)[k] == rows.row(r)[k]);
  }
  const std::vector<std::uint32_t> row_of_column{1, 2, 0, 3};
  const Blocks a = blt(tables, row_of_column), b = blt(rows, row_of_column);
  CHECK(a.rows == b.rows);
  CHECK(a.offsets == b.offsets);
  CHECK(levels(tables, row_of_column, a) == levels(rows, row_of_column, b));
}
