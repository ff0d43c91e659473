// Maximum matching of rows with columns.
//
// Hopcroft and Karp, An n^(5/2) algorithm for maximum matchings in bipartite graphs (1973): phases of
// shortest augmenting paths, O(edges * sqrt(rows)). It starts from the matching of Karp and Sipser, Maximum
// matchings in sparse random graphs (1981): a row or column with one choice left takes it first, which on
// systems of equations leaves little or nothing to do.
//
// Example: rows {0: 0 1}, {1: 0}, {2: 1} over 3 columns  ->  row 1 is matched with 0, row 0 with 1; row 2
// stays unmatched. A maximum matching is not unique; this one depends on the order of rows and columns only.
#pragma once
#include "compiler/graph/bipartite.h"

namespace sigrel::graph {

struct Matching {
  std::vector<std::uint32_t> column_of_row;  // kNone: not matched
  std::vector<std::uint32_t> row_of_column;

  static Matching empty(std::uint32_t rows, std::uint32_t columns) {
    return {std::vector<std::uint32_t>(rows, kNone), std::vector<std::uint32_t>(columns, kNone)};
  }
  void match(std::uint32_t row, std::uint32_t column) {
    column_of_row[row] = column;
    row_of_column[column] = row;
  }
  std::uint32_t size() const;
};

/// `core`, if given, gets the rows that remain after every row and column with a single choice has taken it,
/// ascending. All other rows and their columns can be permuted to triangular form: a matrix with this
/// incidence and a perfect matching is singular only where the core, with the columns matched to it, is.
Matching maximum_matching(const Bipartite& graph, std::vector<std::uint32_t>* core = nullptr);

/// Extends a matching to a maximum one. Columns that are matched stay matched.
void augment(const Bipartite& graph, Matching& matching);

}  // namespace sigrel::graph
