// Matches rows one after the other; a row that has been matched stays so. graph/augmenting_path.h says why
// the rows that find a place depend on their order alone.
//
// Example: rows {0 1} {0} {1} over columns 0 1: the first two find a place, the third does not.
#pragma once
#include "compiler/graph/augmenting_path.h"

namespace sigrel::structural_types {

class InOrder {
 public:
  /// The graph outlives this object. A copy has a matching of its own.
  explicit InOrder(const graph::Bipartite& graph)
      : graph_(&graph), matching_(graph::Matching::empty(graph.rows(), graph.columns)) {}

  /// Matches a row without a search.
  void place(std::uint32_t row, std::uint32_t column) { matching_.match(row, column); }

  /// Whether the row finds a place.
  bool add(std::uint32_t row) { return path_.find(row, *graph_, matching_); }

 private:
  const graph::Bipartite* graph_;
  graph::Matching matching_;
  graph::AugmentingPath path_;
};

}  // namespace sigrel::structural_types
