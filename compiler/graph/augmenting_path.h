// One augmenting path at a time: Algorithm AUGMENTPATH of Pantelides, The consistent initialization of
// differential-algebraic systems (1988), with which his algorithm grows its matching: the rows that a failed
// search reaches are the equations to differentiate. It fixes the order in which published results were
// computed: equations in order, adjacency lists in the order given, free variables first, then depth first.
//
// It also matches rows that are offered one after the other and stay matched once they are. Which rows find a
// place depends on their order alone, since the sets of rows that can be matched are the independent sets of
// a transversal matroid (Edmonds and Fulkerson, Transversals and matroid partition, 1965). A failed search
// reaches the circuit that the row closes: a minimal set of rows with too few columns.
//
// Example (ModiaBase, 1-based): G = [[1,2,4],[1,7],[3,4],[3,7],[6,7],[2]] with v5 known gives assign =
// [1,6,4,3,0,5,2]. For a maximum matching of a large graph use matching.h: this one may take time
// rows * edges.
#pragma once
#include "compiler/graph/augmenting_search.h"

namespace sigrel::graph {

/// Searches in a graph, a matching and a set of active columns that may change and grow between searches.
class AugmentingPath {
 public:
  /// Matches a row that is not matched with an active column; whether it could. An empty `active` stands for
  /// all columns.
  bool find(std::uint32_t row, const Bipartite& graph, Matching& matching,
            const std::vector<bool>& active = {});
  /// The rows and columns that the last search entered, in that order. The columns are matched with the rows
  /// after the first. After a failure these rows have no other active columns.
  std::span<const std::uint32_t> rows() const { return rows_; }
  std::span<const std::uint32_t> columns() const { return columns_; }

 private:
  struct Rules;
  std::vector<std::uint32_t> seen_;  // per column: the search that saw it last
  std::uint32_t search_ = 0;
  std::vector<PathRow> path_;
  std::vector<std::uint32_t> rows_, columns_;
};

/// A maximum matching of the rows with the active columns, rows in order.
Matching matching_in_order(const Bipartite& graph, const std::vector<bool>& active);

}  // namespace sigrel::graph
