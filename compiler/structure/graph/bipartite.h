// A bipartite graph in compressed rows: rows are equations, columns are unknowns, but nothing here knows that.
//
// Example: rows {0: columns 0 2}, {1: column 1}  ->  columns = 3, offsets = 0 2 3, targets = 0 2 1.
// Edges may repeat. Every algorithm of this folder is iterative and uses flat arrays of 32-bit numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sigrel::graph {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;  // not matched, not reached: the value of an array entry, never of an argument

struct Bipartite {
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> targets;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::span<const std::uint32_t> row(std::uint32_t r) const {
    return {targets.data() + offsets[r], offsets[r + 1] - offsets[r]};
  }
  void end_row() { offsets.push_back(static_cast<std::uint32_t>(targets.size())); }
};

/// Columns become rows; each new row lists the old rows in ascending order.
Bipartite transpose(const Bipartite& graph);

}  // namespace sigrel::graph
