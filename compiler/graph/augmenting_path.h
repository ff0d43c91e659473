// One augmenting path at a time: Algorithm AUGMENTPATH of Pantelides, The consistent initialization of
// differential-algebraic systems (1988). It is what Pantelides' algorithm grows its matching with, since what
// a search without success has reached is the set of equations to differentiate, and it fixes the order in
// which published results were computed: equations in order, adjacency lists in the order given, first a look
// for a free variable, then depth first.
//
// Example (ModiaBase, 1-based): G = [[1,2,4],[1,7],[3,4],[3,7],[6,7],[2]] with v5 known gives assign =
// [1,6,4,3,0,5,2]. For a maximum matching of a large graph as such use matching.h: this one may take time
// rows * edges.
#pragma once
#include "compiler/graph/bipartite.h"
#include "compiler/graph/matching.h"

namespace sigrel::graph {

/// Searches in a graph, a matching and a set of active columns that may change and grow between searches.
class AugmentingPath {
 public:
  AugmentingPath(const Bipartite& graph, Matching& matching, const std::vector<bool>& active)
      : graph_(graph), matching_(matching), active_(active) {}

  /// Matches a row that is not matched; whether it could.
  bool find(std::uint32_t row);
  /// What the last search went through, in the order it did: the rows, and the columns that are matched with
  /// all of them but the first. After a failure these rows have no other active columns.
  std::span<const std::uint32_t> rows() const { return rows_; }
  std::span<const std::uint32_t> columns() const { return columns_; }

 private:
  struct Frame {
    std::uint32_t row, next;
  };
  const Bipartite& graph_;
  Matching& matching_;
  const std::vector<bool>& active_;
  std::vector<std::uint32_t> seen_;  // per column: the search that saw it last
  std::uint32_t search_ = 0;
  std::vector<Frame> path_;
  std::vector<std::uint32_t> rows_, columns_;
};

/// A maximum matching of the rows with the active columns, rows in order.
Matching matching_in_order(const Bipartite& graph, const std::vector<bool>& active);

}  // namespace sigrel::graph
