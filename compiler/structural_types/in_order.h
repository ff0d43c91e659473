// Matches the lines of one side one after the other; a line that has been matched stays so. Which lines find
// a place depends on their order alone, since the sets that can be matched are the independent sets of a
// transversal matroid (Edmonds and Fulkerson, Transversals and matroid partition, 1965).
//
// Example: lines {0 1} {0} {1} over columns 0 1: the first two find a place, the third does not.
#pragma once
#include "compiler/graph/bipartite.h"

namespace sigrel::structural_types {

class InOrder {
 public:
  /// The graph outlives this object. Copies go on from where it is.
  explicit InOrder(const graph::Bipartite& graph)
      : graph_(&graph),
        partner_(graph.columns, graph::kNone),
        mate_(graph.rows(), graph::kNone),
        seen_(graph.columns, 0),
        from_(graph.columns) {}

  /// Goes on from lines that have found their places already.
  void place(std::uint32_t line, std::uint32_t column) {
    mate_[line] = column;
    partner_[column] = line;
  }

  /// Whether the line finds a place.
  bool add(std::uint32_t start) {
    ++search_;
    stack_.assign(1, start);
    while (!stack_.empty()) {
      std::uint32_t line = stack_.back();
      stack_.pop_back();
      for (std::uint32_t x : graph_->row(line)) {
        if (seen_[x] == search_) continue;
        seen_[x] = search_;
        from_[x] = line;
        if (partner_[x] == graph::kNone) {
          flip(start, x);
          return true;
        }
        stack_.push_back(partner_[x]);
      }
    }
    return false;
  }

 private:
  void flip(std::uint32_t start, std::uint32_t x) {
    while (true) {
      std::uint32_t line = from_[x], before = mate_[line];
      mate_[line] = x;
      partner_[x] = line;
      if (line == start) return;
      x = before;
    }
  }

  const graph::Bipartite* graph_;
  std::vector<std::uint32_t> partner_, mate_, seen_, from_, stack_;
  std::uint32_t search_ = 0;
};

}  // namespace sigrel::structural_types
