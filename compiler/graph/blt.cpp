#include "compiler/graph/blt.h"

#include <algorithm>

namespace sigrel::graph {

namespace {

template <class Graph>
Blocks blocks_of(const Graph& graph, std::span<const std::uint32_t> row_of_column) {
  const std::uint32_t rows = graph.rows();
  std::vector<bool> matched(rows, false);
  for (std::uint32_t r : row_of_column)
    if (r != kNone) matched[r] = true;

  Blocks result;
  result.rows.reserve(rows);
  result.offsets.reserve(rows + 1);
  // `low` is 0 for a row that was not visited, kDone for one whose block is complete. Only the rows on the
  // path need more; the path is short as a rule.
  constexpr std::uint32_t kDone = kNone;
  struct Visit {
    std::uint32_t row, number, edge;
  };
  std::vector<Visit> path;
  std::vector<std::uint32_t> low(rows, 0), open;
  std::uint32_t visited = 0;
  for (std::uint32_t root = 0; root < rows; ++root) {
    if (!matched[root] || low[root] != 0) continue;
    auto visit = [&](std::uint32_t r) {
      low[r] = ++visited;
      path.push_back({r, visited, 0});
      open.push_back(r);
    };
    visit(root);
    while (!path.empty()) {
      const std::uint32_t r = path.back().row;
      std::uint32_t& edge = path.back().edge;
      auto columns = graph.row(r);
      std::uint32_t deeper = kNone;
      for (; edge < columns.size(); ++edge) {
        const std::uint32_t next = row_of_column[columns[edge]];
        if (next == kNone || next == r) continue;
        if (low[next] == 0) {
          deeper = next;  // the edge is examined again on return
          break;
        }
        if (low[next] != kDone) low[r] = std::min(low[r], low[next]);
      }
      if (deeper != kNone) {
        visit(deeper);
        continue;
      }
      const std::uint32_t number = path.back().number;
      path.pop_back();
      if (low[r] != number) continue;
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

template <class Graph>
std::vector<std::uint32_t> levels_of(const Graph& graph, std::span<const std::uint32_t> row_of_column,
                                     const Blocks& blocks) {
  std::vector<std::uint32_t> block_of(graph.rows(), kNone), level(blocks.count(), 0);
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    for (std::uint32_t r : blocks.block(b)) block_of[r] = b;
    for (std::uint32_t r : blocks.block(b)) {
      auto columns = graph.row(r);
      for (std::uint32_t k = 0; k < columns.size(); ++k) {
        std::uint32_t needed = row_of_column[columns[k]];
        if (needed != kNone && block_of[needed] != b)
          level[b] = std::max(level[b], level[block_of[needed]] + 1);
      }
    }
  }
  return level;
}

}  // namespace

Blocks blt(const Bipartite& graph, std::span<const std::uint32_t> row_of_column) {
  return blocks_of(graph, row_of_column);
}
Blocks blt(const TableGraph& graph, std::span<const std::uint32_t> row_of_column) {
  return blocks_of(graph, row_of_column);
}

std::vector<std::uint32_t> levels(const Bipartite& graph, std::span<const std::uint32_t> row_of_column,
                                  const Blocks& blocks) {
  return levels_of(graph, row_of_column, blocks);
}
std::vector<std::uint32_t> levels(const TableGraph& graph, std::span<const std::uint32_t> row_of_column,
                                  const Blocks& blocks) {
  return levels_of(graph, row_of_column, blocks);
}

}  // namespace sigrel::graph
