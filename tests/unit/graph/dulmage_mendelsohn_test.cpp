#include "compiler/graph/dulmage_mendelsohn.h"

#include <catch2/catch.hpp>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

TEST_CASE("the example: one over-, one under-determined part") {
  Bipartite g = make({{0}, {0}, {1, 2}}, 3);
  Parts parts = dulmage_mendelsohn(g, maximum_matching(g));
  CHECK(parts.rows == std::vector{Part::Over, Part::Over, Part::Under});
  CHECK(parts.columns == std::vector{Part::Over, Part::Under, Part::Under});
}

TEST_CASE("parts and Hall sets of random graphs") {
  std::mt19937 random(3);
  for (int k = 0; k < 2000; ++k) {
    std::uint32_t rows = 1 + random() % 7, columns = 1 + random() % 7;
    Bipartite g = random_graph(random, rows, columns, 0.25);
    Bipartite t = transpose(g);
    Matching m = maximum_matching(g);
    Parts parts = dulmage_mendelsohn(g, m);
    std::uint32_t size = m.size();
    // A row is over-determined exactly when it can go without making the matching smaller, or competes with
    // one that can: some maximum matching leaves it out. The same for columns.
    for (std::uint32_t r = 0; r < rows; ++r) {
      Bipartite without;
      without.columns = columns;
      for (std::uint32_t i = 0; i < rows; ++i) {
        if (i != r) without.targets.insert(without.targets.end(), g.row(i).begin(), g.row(i).end());
        without.end_row();
      }
      REQUIRE((parts.rows[r] == Part::Over) == (brute_force_matching(without) == size));
    }
    for (std::uint32_t c = 0; c < columns; ++c) {
      Bipartite without;
      without.columns = columns;
      for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t x : g.row(i))
          if (x != c) without.targets.push_back(x);
        without.end_row();
      }
      REQUIRE((parts.columns[c] == Part::Under) == (brute_force_matching(without) == size));
    }
    auto neighbours = [](const Bipartite& graph, const std::vector<std::uint32_t>& lines) {
      std::vector<std::uint32_t> found;
      for (std::uint32_t line : lines)
        found.insert(found.end(), graph.row(line).begin(), graph.row(line).end());
      std::ranges::sort(found);
      found.erase(std::ranges::unique(found).begin(), found.end());
      return found;
    };
    auto check_minimal = [&](const Bipartite& graph, const std::vector<std::uint32_t>& lines,
                             const std::vector<std::uint32_t>& across) {
      REQUIRE(neighbours(graph, lines) == across);
      REQUIRE(lines.size() == across.size() + 1);
      for (std::uint32_t mask = 1; mask + 1 < 1u << lines.size(); ++mask) {
        std::vector<std::uint32_t> some;
        for (std::size_t i = 0; i < lines.size(); ++i)
          if (mask >> i & 1) some.push_back(lines[i]);
        REQUIRE(neighbours(graph, some).size() >= some.size());
      }
    };
    for (std::uint32_t r = 0; r < rows; ++r)
      if (m.column_of_row[r] == kNone) {
        HallSet set = too_many_rows(g, m, r);
        check_minimal(g, set.rows, set.columns);
      }
    for (std::uint32_t c = 0; c < columns; ++c)
      if (m.row_of_column[c] == kNone) {
        HallSet set = too_many_columns(t, m, c);
        check_minimal(t, set.columns, set.rows);
      }
  }
}
