#include "compiler/graph/column_release.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

TEST_CASE("a column is released: the example of the header") {
  Bipartite g = make({{0, 1}}, 2);
  Matching m = Matching::empty(1, 2);
  m.match(0, 0);
  ColumnRelease columns(g, m);
  REQUIRE(columns.release(0));
  CHECK(m.column_of_row[0] == 1);
  m.row_of_column[0] = 1;
  CHECK_FALSE(columns.release(1));
}

TEST_CASE("columns are released exactly when an equation for them alone fits") {
  std::mt19937 random(2);
  for (int k = 0; k < 3000; ++k) {
    std::uint32_t rows = 1 + random() % 6, columns = rows + random() % 4;
    Bipartite g = random_graph(random, rows, columns, 0.3);
    Matching m = maximum_matching(g);
    ColumnRelease release(g, m);
    Bipartite grown = g;  // with the rows that were added
    std::uint32_t size = m.size();
    for (std::uint32_t j = 0; j < columns; ++j) {
      std::uint32_t c = random() % columns;
      Bipartite with = grown;
      with.targets.push_back(c);
      with.end_row();
      bool fits = brute_force_matching(with) == size + 1;
      REQUIRE(release.release(c) == fits);
      if (!fits) continue;
      m.row_of_column[c] = grown.rows();
      grown = with;
      ++size;
      for (std::uint32_t r = 0; r < rows; ++r)
        if (m.column_of_row[r] != kNone) REQUIRE(m.row_of_column[m.column_of_row[r]] == r);
    }
  }
}
