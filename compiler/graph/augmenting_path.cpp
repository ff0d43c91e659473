#include "compiler/graph/augmenting_path.h"

namespace sigrel::graph {

struct AugmentingPath::Rules {
  static constexpr bool kLookAhead = true;
  AugmentingPath& self;
  const std::vector<bool>& active;

  bool ends(std::uint32_t column) const { return active.empty() || active[column]; }
  bool enters(std::uint32_t column, std::uint32_t row, std::size_t) {
    if (!ends(column) || self.seen_[column] == self.search_) return false;
    self.seen_[column] = self.search_;
    self.columns_.push_back(column);
    self.rows_.push_back(row);
    return true;
  }
};

bool AugmentingPath::find(std::uint32_t row, const Bipartite& graph, Matching& matching,
                          const std::vector<bool>& active) {
  Rules rules{*this, active};
  seen_.resize(graph.columns, 0);
  ++search_;
  rows_.assign(1, row);
  columns_.clear();
  return augment_from(row, graph, matching, path_, rules);
}

Matching matching_in_order(const Bipartite& graph, const std::vector<bool>& active) {
  Matching matching = Matching::empty(graph.rows(), graph.columns);
  AugmentingPath path;
  for (std::uint32_t r = 0; r < graph.rows(); ++r) path.find(r, graph, matching, active);
  return matching;
}

}  // namespace sigrel::graph
