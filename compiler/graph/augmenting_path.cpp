#include "compiler/graph/augmenting_path.h"

namespace sigrel::graph {

bool AugmentingPath::find(std::uint32_t row) {
  seen_.resize(graph_.columns, 0);
  ++search_;
  rows_.assign(1, row);
  columns_.clear();
  path_.assign(1, {row, 0});
  while (!path_.empty()) {
    Frame& top = path_.back();
    auto columns = graph_.row(top.row);
    if (top.next == 0) {
      for (std::uint32_t k = 0; k < columns.size(); ++k)
        if (active_[columns[k]] && matching_.row_of_column[columns[k]] == kNone) {
          top.next = k;
          for (const Frame& f : path_) matching_.match(f.row, graph_.row(f.row)[f.next]);
          return true;
        }
    }
    while (top.next < columns.size() && (!active_[columns[top.next]] || seen_[columns[top.next]] == search_))
      ++top.next;
    if (top.next == columns.size()) {
      path_.pop_back();
      if (!path_.empty()) ++path_.back().next;
      continue;
    }
    std::uint32_t column = columns[top.next], owner = matching_.row_of_column[column];
    seen_[column] = search_;
    columns_.push_back(column);
    rows_.push_back(owner);
    path_.push_back({owner, 0});
  }
  return false;
}

Matching matching_in_order(const Bipartite& graph, const std::vector<bool>& active) {
  Matching matching = Matching::empty(graph.rows(), graph.columns);
  AugmentingPath path(graph, matching, active);
  for (std::uint32_t r = 0; r < graph.rows(); ++r) path.find(r);
  return matching;
}

}  // namespace sigrel::graph
