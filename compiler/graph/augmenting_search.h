// The search for an augmenting path that all matchings here are grown with: from a row, depth first, over any
// edge to a column and over the matched edge back to the row that has it, until a free column is found; then
// every row on the path takes the column by which the path leaves it. Berge, Two theorems in graph theory
// (1957): a matching is maximum when no such path exists.
//
// The algorithms differ in the columns that may be entered: Hopcroft and Karp follow a layering (matching.h),
// Pantelides the columns without derivatives, each once (augmenting_path.h), column_release.h each row once
// for all searches. These are the rules. A search takes time linear in the edges of the rows that it enters;
// iterative, and without allocation once the path vector has grown.
//
// Example: rows {0: 0 1}, {1: 0}, row 0 matched with column 0. The search from row 1 enters row 0 through
// column 0, finds column 1 free, and matches row 0 with 1 and row 1 with 0.
#pragma once
#include "compiler/graph/matching.h"

namespace sigrel::graph {

/// A row of the path, and the place of the edge by which the path leaves it.
struct PathRow {
  std::uint32_t row, edge;
};

/// `rules.ends(column)`: whether a path may end at this free column. `rules.enters(column, row, depth)`:
/// whether the path may go on through a column to the row that it is matched with, as the path's row number
/// `depth`; the rules must not admit a row twice in one search. With `rules.kLookAhead` a row's free columns
/// are tried before any other column.
template <class Rules>
bool augment_from(std::uint32_t start, const Bipartite& graph, Matching& matching, std::vector<PathRow>& path,
                  Rules& rules) {
  auto push = [&](std::uint32_t row) {
    std::uint32_t edge = 0;
    if constexpr (Rules::kLookAhead) {
      const auto columns = graph.row(row);
      const auto free = std::ranges::find_if(
          columns, [&](std::uint32_t c) { return matching.row_of_column[c] == kNone && rules.ends(c); });
      if (free != columns.end()) edge = static_cast<std::uint32_t>(free - columns.begin());
    }
    path.push_back({row, edge});
  };
  path.clear();
  push(start);
  while (true) {
    const auto columns = graph.row(path.back().row);
    std::uint32_t edge = path.back().edge, next = kNone;
    for (; edge < columns.size(); ++edge) {
      const std::uint32_t column = columns[edge], row = matching.row_of_column[column];
      if (row == kNone) {
        if (!rules.ends(column)) continue;
        path.back().edge = edge;
        for (const PathRow& p : path) matching.match(p.row, graph.row(p.row)[p.edge]);
        return true;
      }
      if (rules.enters(column, row, path.size())) {
        next = row;
        break;
      }
    }
    if (next != kNone) {
      path.back().edge = edge;
      push(next);
      continue;
    }
    path.pop_back();
    if (path.empty()) return false;
    ++path.back().edge;
  }
}

}  // namespace sigrel::graph
