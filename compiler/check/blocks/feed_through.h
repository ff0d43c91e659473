// Feed-through of a block: the inputs on which each output depends at the same instant.
#pragma once
#include <vector>

#include "compiler/check/blocks/block_equations.h"
#include "compiler/graph/bipartite.h"

namespace sigrel::check {

/// The unknowns of a block as columns, its equations as rows.
class BlockIncidence {
 public:
  explicit BlockIncidence(const BlockEquations& equations);

  /// With `states_known`, a variable whose derivative occurs is not an unknown, and its derivative is one.
  graph::Bipartite graph(bool states_known) const;
  const Leaf& leaf(std::uint32_t column) const { return equations_.leaves[leaf_of_[column]]; }
  /// kNone of an input.
  std::uint32_t column(std::uint32_t leaf) const { return column_of_[leaf]; }

 private:
  const BlockEquations& equations_;
  std::vector<std::uint32_t> column_of_, leaf_of_;
};

/// From the matching with known states: nothing if that matching is not perfect.
std::optional<FeedThrough> feed_through(const BlockEquations& equations, const BlockIncidence& incidence,
                                        const core::Relation& relation);

}  // namespace sigrel::check
