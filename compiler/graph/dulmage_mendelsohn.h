// The coarse decomposition of Dulmage and Mendelsohn, Coverings of bipartite graphs (1958), and the sets to
// blame when a matching is not perfect.
//
// Example: rows {0: 0}, {1: 0}, {2: 1 2} over 3 columns. Rows 0 and 1 share column 0: over-determined. Row 2
// has two columns to itself: under-determined. Every maximum matching gives the same parts.
#pragma once
#include "compiler/graph/bipartite.h"
#include "compiler/graph/matching.h"

namespace sigrel::graph {

enum class Part : std::uint8_t { Well, Over, Under };

struct Parts {
  std::vector<Part> rows, columns;
};
/// `matching` is maximum.
Parts dulmage_mendelsohn(const Bipartite& graph, const Matching& matching);

/// Rows and columns in ascending order.
struct HallSet {
  std::vector<std::uint32_t> rows, columns;
};
/// The rows that compete with an unmatched row: they have, all together, one column fewer than they are. No
/// proper subset has too few columns (Hall 1935: a subset without the row is matched; one with it contains
/// everything reached from it).
HallSet too_many_rows(const Bipartite& graph, const Matching& matching, std::uint32_t unmatched_row);
/// The columns that compete with an unmatched column: all together they occur in one row fewer than they are.
/// Minimal. `columns` is the transpose of the graph.
HallSet too_many_columns(const Bipartite& columns, const Matching& matching, std::uint32_t unmatched_column);

}  // namespace sigrel::graph
