#include "compiler/check/blocks/feed_through.h"

#include "compiler/graph/matching.h"

namespace sigrel::check {

using core::Causality;

BlockIncidence::BlockIncidence(const BlockEquations& equations)
    : equations_(equations), column_of_(equations.leaves.size(), graph::kNone) {
  for (std::uint32_t l = 0; l < equations.leaves.size(); ++l) {
    const Leaf& leaf = equations.leaves[l];
    if (leaf.role == Leaf::Input || leaf.role == Leaf::Outside) continue;
    // An input of an instance is an unknown like any other, unless the block neither reads nor determines it.
    if (leaf.role == Leaf::Part && leaf.sources.empty() && leaf.inputs.empty()) continue;
    column_of_[l] = static_cast<std::uint32_t>(leaf_of_.size());
    leaf_of_.push_back(l);
  }
}

graph::Bipartite BlockIncidence::graph(bool states_known) const {
  graph::Bipartite g;
  g.columns = static_cast<std::uint32_t>(leaf_of_.size());
  for (const Row& row : equations_.rows) {
    if (row.output) {
      if (column_of_[*row.output] != graph::kNone) g.targets.push_back(column_of_[*row.output]);
    } else {
      for (Read r : row.reads)
        if (column_of_[r.leaf] != graph::kNone &&
            (!states_known || !equations_.leaves[r.leaf].state || r.derivative))
          g.targets.push_back(column_of_[r.leaf]);
    }
    g.end_row();
  }
  return g;
}

std::optional<FeedThrough> feed_through(const BlockEquations& equations, const BlockIncidence& incidence,
                                        const core::Relation& relation) {
  graph::Bipartite g = incidence.graph(true);
  graph::Matching m = graph::maximum_matching(g);
  if (m.size() != g.rows() || m.size() != g.columns) return std::nullopt;
  std::vector<std::uint32_t> input_of(equations.leaves.size(), graph::kNone);
  std::uint32_t inputs = 0;
  for (std::size_t f = 0; f < relation.formals.size(); ++f) {
    if (relation.formals[f].causality == Causality::Out) continue;
    auto [first, n] = equations.formals[f];
    for (std::uint32_t i = 0; i < n; ++i) input_of[first + i] = inputs;
    ++inputs;
  }
  FeedThrough result;
  for (std::size_t f = 0; f < relation.formals.size(); ++f) {
    if (relation.formals[f].causality != Causality::Out) continue;
    std::vector<bool>& of = result.emplace_back(inputs, false);
    auto [first, n] = equations.formals[f];
    std::vector<bool> seen(equations.leaves.size(), false);
    std::vector<std::uint32_t> work;
    auto visit = [&](std::uint32_t leaf, bool derivative) {
      if (seen[leaf] || (equations.leaves[leaf].state && !derivative)) return;  // a state is known
      seen[leaf] = true;
      if (input_of[leaf] != graph::kNone)
        of[input_of[leaf]] = true;
      else if (incidence.column(leaf) != graph::kNone)
        work.push_back(leaf);
    };
    for (std::uint32_t i = 0; i < n; ++i) visit(first + i, false);
    while (!work.empty()) {
      const Row& row = equations.rows[m.row_of_column[incidence.column(work.back())]];
      work.pop_back();
      for (Read r : row.reads) visit(r.leaf, r.derivative);
    }
  }
  return result;
}

}  // namespace sigrel::check
