#include "compiler/graph/dulmage_mendelsohn.h"

#include <algorithm>

namespace sigrel::graph {
namespace {

/// Marks the lines of one side that alternating paths reach from `start`: over an edge to the other side,
/// back over a matched edge. `partner[x]` is the line matched with x of the other side.
void reach(const Bipartite& graph, const std::vector<std::uint32_t>& partner,
           std::vector<std::uint32_t>& reached, std::vector<bool>& seen, std::vector<bool>& seen_across) {
  for (std::size_t head = 0; head < reached.size(); ++head)
    for (std::uint32_t x : graph.row(reached[head])) {
      if (seen_across[x]) continue;
      seen_across[x] = true;
      std::uint32_t back = partner[x];
      if (back < graph.rows() && !seen[back]) {
        seen[back] = true;
        reached.push_back(back);
      }
    }
}

HallSet hall_set(const Bipartite& graph, const std::vector<std::uint32_t>& partner, std::uint32_t start) {
  std::vector<bool> seen(graph.rows(), false), across(graph.columns, false);
  HallSet set;
  set.rows.push_back(start);
  seen[start] = true;
  reach(graph, partner, set.rows, seen, across);
  std::ranges::sort(set.rows);
  for (std::uint32_t x = 0; x < graph.columns; ++x)
    if (across[x]) set.columns.push_back(x);
  return set;
}

}  // namespace

Parts dulmage_mendelsohn(const Bipartite& graph, const Matching& m) {
  Parts parts{std::vector<Part>(graph.rows(), Part::Well), std::vector<Part>(graph.columns, Part::Well)};
  auto side = [](const Bipartite& g, const std::vector<std::uint32_t>& match,
                 const std::vector<std::uint32_t>& partner, std::vector<Part>& here, std::vector<Part>& there,
                 Part part) {
    std::vector<bool> seen(g.rows(), false), across(g.columns, false);
    std::vector<std::uint32_t> reached;
    for (std::uint32_t r = 0; r < g.rows(); ++r)
      if (match[r] == kNone) {
        seen[r] = true;
        reached.push_back(r);
      }
    if (reached.empty()) return;
    reach(g, partner, reached, seen, across);
    for (std::uint32_t r : reached) here[r] = part;
    for (std::uint32_t c = 0; c < g.columns; ++c)
      if (across[c]) there[c] = part;
  };
  side(graph, m.column_of_row, m.row_of_column, parts.rows, parts.columns, Part::Over);
  side(transpose(graph), m.row_of_column, m.column_of_row, parts.columns, parts.rows, Part::Under);
  return parts;
}

HallSet too_many_rows(const Bipartite& graph, const Matching& matching, std::uint32_t unmatched_row) {
  return hall_set(graph, matching.row_of_column, unmatched_row);
}

HallSet too_many_columns(const Bipartite& columns, const Matching& matching, std::uint32_t unmatched_column) {
  HallSet set = hall_set(columns, matching.column_of_row, unmatched_column);
  std::swap(set.rows, set.columns);
  return set;
}

}  // namespace sigrel::graph
