#include "compiler/graph/column_release.h"

namespace sigrel::graph {

struct ColumnRelease::Rules {
  static constexpr bool kLookAhead = true;
  ColumnRelease& self;

  bool ends(std::uint32_t) const { return true; }
  bool enters(std::uint32_t, std::uint32_t row, std::size_t) {
    if (row >= self.graph_.rows() || self.seen_[row]) return false;
    self.seen_[row] = true;
    self.visited_.push_back(row);
    return true;
  }
};

bool ColumnRelease::release(std::uint32_t column) {
  Rules rules{*this};
  const std::uint32_t owner = matching_.row_of_column[column];
  if (owner == kNone) return true;
  visited_.clear();
  if (!rules.enters(column, owner, 0)) return false;
  if (!augment_from(owner, graph_, matching_, path_, rules)) return false;
  matching_.row_of_column[column] = kNone;
  for (std::uint32_t r : visited_) seen_[r] = false;
  return true;
}

}  // namespace sigrel::graph
