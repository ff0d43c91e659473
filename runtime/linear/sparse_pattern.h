// Patterns of square sparse matrices, by columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace runtime {

struct Entry {
  std::uint32_t row = 0, column = 0;
};

/// Compressed columns, rows ascending, no duplicates.
struct SparsePattern {
  std::size_t n = 0;
  std::vector<std::int64_t> starts;  // n + 1
  std::vector<std::int64_t> rows;

  std::size_t nonzeros() const { return rows.size(); }
};

/// The pattern of `entries` (any order, duplicates allowed), and the position of each entry in it. Linear
/// time.
SparsePattern compress(std::size_t n, std::span<const Entry> entries, std::vector<std::uint32_t>& positions);

}  // namespace runtime
