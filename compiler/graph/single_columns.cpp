#include "compiler/graph/single_columns.h"

namespace sigrel::graph {

std::vector<std::uint32_t> rows_without_single_columns(const Bipartite& graph) {
  std::vector<std::uint32_t> count(graph.columns, 0);
  // By column: the exclusive or of the numbers of the rows that contain it. Where one row is left, that is
  // its number.
  std::vector<std::uint32_t> rows_of(graph.columns, 0);
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    for (std::uint32_t v : graph.row(r)) {
      ++count[v];
      rows_of[v] ^= r;
    }
  std::vector<bool> out(graph.rows(), false);
  std::vector<std::uint32_t> work;
  for (std::uint32_t v = 0; v < graph.columns; ++v)
    if (count[v] == 1) work.push_back(v);
  while (!work.empty()) {
    std::uint32_t column = work.back();
    work.pop_back();
    if (count[column] != 1) continue;
    std::uint32_t r = rows_of[column];
    out[r] = true;
    for (std::uint32_t v : graph.row(r)) {
      rows_of[v] ^= r;
      if (--count[v] == 1) work.push_back(v);
    }
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    if (!out[r]) result.push_back(r);
  return result;
}

}  // namespace sigrel::graph
