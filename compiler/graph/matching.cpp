#include "compiler/graph/augmenting_search.h"

namespace sigrel::graph {
namespace {

/// Karp–Sipser: degree-one rows and columns first, then the rest in row order.
void greedy(const Bipartite& graph, Matching& m, std::vector<std::uint32_t>* core) {
  const Bipartite columns = transpose(graph);
  const std::uint32_t rows = graph.rows();
  // Degrees count edges to the unmatched other side. Lines to look at: rows, then columns shifted by the
  // number of rows.
  std::vector<std::uint32_t> row_degree(rows), column_degree(graph.columns), queue;
  for (std::uint32_t c = 0; c < graph.columns; ++c) {
    column_degree[c] = static_cast<std::uint32_t>(columns.row(c).size());
    if (column_degree[c] == 1) queue.push_back(rows + c);
  }
  for (std::uint32_t r = rows; r-- > 0;) {
    row_degree[r] = static_cast<std::uint32_t>(graph.row(r).size());
    if (row_degree[r] == 1) queue.push_back(r);
  }
  auto take = [&](std::uint32_t r, std::uint32_t c) {
    m.match(r, c);
    for (std::uint32_t other : columns.row(c))
      if (--row_degree[other] == 1 && m.column_of_row[other] == kNone) queue.push_back(other);
    for (std::uint32_t other : graph.row(r))
      if (--column_degree[other] == 1 && m.row_of_column[other] == kNone) queue.push_back(rows + other);
  };
  auto take_single_choices = [&] {
    while (!queue.empty()) {
      std::uint32_t line = queue.back();
      queue.pop_back();
      if (line < rows) {
        if (m.column_of_row[line] != kNone) continue;
        for (std::uint32_t c : graph.row(line))
          if (m.row_of_column[c] == kNone) {
            take(line, c);
            break;
          }
      } else {
        std::uint32_t c = line - rows;
        if (m.row_of_column[c] != kNone) continue;
        for (std::uint32_t r : columns.row(c))
          if (m.column_of_row[r] == kNone) {
            take(r, c);
            break;
          }
      }
    }
  };
  take_single_choices();
  if (core)
    for (std::uint32_t r = 0; r < rows; ++r)
      if (m.column_of_row[r] == kNone) core->push_back(r);
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (m.column_of_row[r] != kNone) continue;
    std::uint32_t best = kNone;
    for (std::uint32_t c : graph.row(r))
      if (m.row_of_column[c] == kNone && (best == kNone || column_degree[c] < column_degree[best])) best = c;
    if (best == kNone) continue;
    take(r, best);
    take_single_choices();
  }
}

/// A path goes from layer to layer. In one phase a row is entered once: after that it is on a path, or leads
/// to none.
struct Layers {
  static constexpr bool kLookAhead = false;
  static constexpr std::uint32_t kEntered = kNone - 1;
  std::vector<std::uint32_t>& distance;  // of a row from the nearest free row
  bool ends(std::uint32_t) const { return true; }
  bool enters(std::uint32_t, std::uint32_t row, std::size_t depth) {
    if (distance[row] != depth) return false;
    distance[row] = kEntered;
    return true;
  }
};

}  // namespace

std::uint32_t Matching::size() const {
  std::uint32_t n = 0;
  for (std::uint32_t c : column_of_row) n += c != kNone;
  return n;
}

Matching maximum_matching(const Bipartite& graph, std::vector<std::uint32_t>* core) {
  Matching m = Matching::empty(graph.rows(), graph.columns);
  greedy(graph, m, core);
  augment(graph, m);
  return m;
}

void augment(const Bipartite& graph, Matching& m) {
  const std::uint32_t rows = graph.rows();
  std::vector<std::uint32_t> free_rows;
  for (std::uint32_t r = 0; r < rows; ++r)
    if (m.column_of_row[r] == kNone && !graph.row(r).empty()) free_rows.push_back(r);
  if (free_rows.empty()) return;

  std::vector<std::uint32_t> distance(rows, kNone), reached;
  std::vector<PathRow> path;
  Layers rules{distance};
  while (!free_rows.empty()) {
    // Breadth first: the distance of each row from a free row, up to the nearest free column.
    reached.assign(free_rows.begin(), free_rows.end());
    for (std::uint32_t r : reached) distance[r] = 0;
    std::uint32_t nearest = kNone;
    for (std::size_t head = 0; head < reached.size(); ++head) {
      std::uint32_t r = reached[head];
      if (distance[r] >= nearest) continue;
      for (std::uint32_t c : graph.row(r)) {
        std::uint32_t owner = m.row_of_column[c];
        if (owner == kNone) {
          nearest = distance[r];
        } else if (distance[owner] == kNone) {
          distance[owner] = distance[r] + 1;
          reached.push_back(owner);
        }
      }
    }
    // Depth first along the distances: as many disjoint shortest paths as there are.
    if (nearest != kNone)
      for (std::uint32_t start : free_rows) augment_from(start, graph, m, path, rules);
    for (std::uint32_t r : reached) distance[r] = kNone;
    if (nearest == kNone) return;
    std::erase_if(free_rows, [&](std::uint32_t r) { return m.column_of_row[r] != kNone; });
  }
}

}  // namespace sigrel::graph
