#include "compiler/structure/graph/blt.h"

#include <algorithm>

namespace sigrel::graph {

Blocks blt(const Bipartite& graph, std::span<const std::uint32_t> row_of_column) {
  const std::uint32_t rows = graph.rows();
  std::vector<bool> matched(rows, false);
  for (std::uint32_t r : row_of_column)
    if (r != kNone) matched[r] = true;

  Blocks result;
  result.rows.reserve(rows);
  // `low` is 0 for a row that was not visited, kDone for one whose block is complete.
  constexpr std::uint32_t kDone = kNone;
  std::vector<std::uint32_t> low(rows, 0), edge(rows, 0), number(rows, 0), path, open;
  std::uint32_t visited = 0;
  for (std::uint32_t root = 0; root < rows; ++root) {
    if (!matched[root] || low[root] != 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      std::uint32_t r = path.back();
      if (low[r] == 0) {
        low[r] = number[r] = ++visited;
        open.push_back(r);
      }
      auto columns = graph.row(r);
      bool deeper = false;
      while (edge[r] < columns.size()) {
        std::uint32_t next = row_of_column[columns[edge[r]]];
        if (next == kNone || next == r) {
          ++edge[r];
        } else if (low[next] == 0) {
          path.push_back(next);  // the edge is looked at again on return
          deeper = true;
          break;
        } else {
          if (low[next] != kDone) low[r] = std::min(low[r], low[next]);
          ++edge[r];
        }
      }
      if (deeper) continue;
      path.pop_back();
      if (low[r] != number[r]) continue;
      while (true) {
        std::uint32_t member = open.back();
        open.pop_back();
        low[member] = kDone;
        result.rows.push_back(member);
        if (member == r) break;
      }
      result.offsets.push_back(static_cast<std::uint32_t>(result.rows.size()));
    }
  }
  return result;
}

std::vector<std::uint32_t> levels(const Bipartite& graph, std::span<const std::uint32_t> row_of_column, const Blocks& blocks) {
  std::vector<std::uint32_t> block_of(graph.rows(), kNone), level(blocks.count(), 0);
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    for (std::uint32_t r : blocks.block(b)) block_of[r] = b;
    for (std::uint32_t r : blocks.block(b))
      for (std::uint32_t c : graph.row(r)) {
        std::uint32_t needed = row_of_column[c];
        if (needed != kNone && block_of[needed] != b) level[b] = std::max(level[b], level[block_of[needed]] + 1);
      }
  }
  return level;
}

}  // namespace sigrel::graph
