// The rows that are left after every row has been removed, one after the other, that contains a column which
// no other remaining row contains. Nothing is left of a matrix that can be permuted to triangular form.
//
// Example: of the rows {0: 0 1}, {1: 1 2}, {2: 1 2}, row 0 is removed for column 0, and the others are left.
#pragma once
#include "compiler/graph/bipartite.h"

namespace sigrel::graph {

/// Ascending. Linear in the number of edges, without a transposed graph.
std::vector<std::uint32_t> rows_without_single_columns(const Bipartite& graph);

}  // namespace sigrel::graph
