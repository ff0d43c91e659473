// Block lower triangular form: the order in which matched equations can be solved, and the blocks that must
// be solved together. Tarjan, Depth-first search and linear graph algorithms (1972), on the graph in which a
// row needs the rows that are matched with its other columns; Duff and Reid, An implementation of Tarjan's
// algorithm (1978).
//
// Example (ModiaBase, 1-based): G = [[1,2,4],[1,7],[3,4],[3,7],[6,7],[2]] with assign = [2,6,3,1,0,5,4] gives
// the blocks [6], [3,4,2,1], [5]: equation 6 gives v2, then four equations together, then equation 5 gives
// v6.
#pragma once
#include <span>

#include "compiler/graph/bipartite.h"

namespace sigrel::graph {

/// Blocks of rows in an order in which each needs earlier ones only.
struct Blocks {
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> rows;

  std::uint32_t count() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::span<const std::uint32_t> block(std::uint32_t b) const {
    return {rows.data() + offsets[b], offsets[b + 1] - offsets[b]};
  }
};

/// `row_of_column` matches columns with rows (kNone: a column that is known). Rows that are not matched are
/// in no block. A row need not contain its column.
Blocks blt(const Bipartite& graph, std::span<const std::uint32_t> row_of_column);
Blocks blt(const TableGraph& graph, std::span<const std::uint32_t> row_of_column);

/// Level of each block: 0 when it needs no other, else one more than the highest that it needs. Blocks of one
/// level are independent of each other.
std::vector<std::uint32_t> levels(const Bipartite& graph, std::span<const std::uint32_t> row_of_column,
                                  const Blocks& blocks);
std::vector<std::uint32_t> levels(const TableGraph& graph, std::span<const std::uint32_t> row_of_column,
                                  const Blocks& blocks);

}  // namespace sigrel::graph
