#include "runtime/linear/sparse_pattern.h"

namespace runtime {

SparsePattern compress(std::size_t n, std::span<const Entry> entries, std::vector<std::uint32_t>& positions) {
  // Two bucket sorts, by row and then by column, leave the rows of every column ascending.
  std::vector<std::uint32_t> starts(n + 1, 0), by_row(entries.size()), order(entries.size());
  for (const Entry& e : entries) ++starts[e.row + 1];
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  for (std::uint32_t k = 0; k < entries.size(); ++k) by_row[starts[entries[k].row]++] = k;
  starts.assign(n + 1, 0);
  for (const Entry& e : entries) ++starts[e.column + 1];
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  for (std::uint32_t k : by_row) order[starts[entries[k].column]++] = k;

  SparsePattern pattern;
  pattern.n = n;
  pattern.starts.assign(n + 1, 0);
  pattern.rows.reserve(entries.size());
  positions.assign(entries.size(), 0);
  const Entry* last = nullptr;
  for (std::uint32_t k : order) {
    const Entry& e = entries[k];
    if (!last || last->row != e.row || last->column != e.column) {
      pattern.rows.push_back(e.row);
      ++pattern.starts[e.column + 1];
    }
    positions[k] = static_cast<std::uint32_t>(pattern.rows.size() - 1);
    last = &e;
  }
  for (std::size_t i = 0; i < n; ++i) pattern.starts[i + 1] += pattern.starts[i];
  return pattern;
}

}  // namespace runtime
