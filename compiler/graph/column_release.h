// Frees columns of a maximum matching one at a time by matching their rows elsewhere: an equation that
// contains only this column can be added when its column can be freed.
//
// Rows that are not in the graph (numbers from graph.rows() on) hold their columns. A row that led to no free
// column never will: the searches that fail take time linear in the graph all together.
//
// Example: row {0: 0 1} is matched with column 0. release(0) matches it with column 1 and returns true. When
// row 1, outside the graph, then takes column 0, release(1) is false: row 0 has no other column.
#pragma once
#include "compiler/graph/augmenting_search.h"

namespace sigrel::graph {

class ColumnRelease {
 public:
  ColumnRelease(const Bipartite& graph, Matching& matching)
      : graph_(graph), matching_(matching), seen_(graph.rows(), false) {}
  /// Whether the column is free afterwards.
  bool release(std::uint32_t column);

 private:
  struct Rules;
  const Bipartite& graph_;
  Matching& matching_;
  std::vector<bool> seen_;  // rows that lead to no free column, now or after any later augmentation
  std::vector<PathRow> path_;
  std::vector<std::uint32_t> visited_;
};

}  // namespace sigrel::graph
