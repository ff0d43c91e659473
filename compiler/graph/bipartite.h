// A bipartite graph in compressed rows. Callers have equations for rows and unknowns for columns.
//
// Example: rows {0: columns 0 2}, {1: column 1}  ->  columns = 3, offsets = 0 2 3, targets = 0 2 1.
// Edges may repeat. Every algorithm of this folder is iterative and uses flat arrays of 32-bit numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sigrel::graph {

/// In arrays: not matched, not reached. Never an argument.
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

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

/// The same without a copy, for rows in tables of the caller, one section after the other. A target is an
/// entry shifted right.
class TableGraph {
 public:
  class Row {
   public:
    Row(const std::uint32_t* entries, std::uint32_t size, std::uint32_t shift)
        : entries_(entries), size_(size), shift_(shift) {}
    std::uint32_t size() const { return size_; }
    std::uint32_t operator[](std::uint32_t k) const { return entries_[k] >> shift_; }

   private:
    const std::uint32_t* entries_;
    std::uint32_t size_, shift_;
  };

  explicit TableGraph(std::uint32_t columns) : columns_(columns) {}
  /// Adds rows that have the same width.
  void add(std::uint32_t rows, std::uint32_t width, const std::uint32_t* entries) {
    add(rows, {entries, nullptr, width, 0});
  }
  /// Adds rows of different widths; `offsets` has one entry more than there are rows.
  void add(std::uint32_t rows, const std::uint32_t* offsets, const std::uint32_t* entries,
           std::uint32_t shift) {
    add(rows, {entries, offsets, 0, shift});
  }

  std::uint32_t rows() const { return ends_.empty() ? 0 : ends_.back(); }
  std::uint32_t columns() const { return columns_; }
  Row row(std::uint32_t r) const {
    const auto s = static_cast<std::size_t>(std::ranges::upper_bound(ends_, r) - ends_.begin());
    const Section& section = sections_[s];
    const std::size_t k = r - (s == 0 ? 0 : ends_[s - 1]);
    if (!section.offsets) return {section.entries + k * section.width, section.width, section.shift};
    return {section.entries + section.offsets[k], section.offsets[k + 1] - section.offsets[k], section.shift};
  }

 private:
  struct Section {
    const std::uint32_t *entries, *offsets;
    std::uint32_t width, shift;
  };
  void add(std::uint32_t rows, Section section) {
    if (rows == 0) return;
    ends_.push_back(this->rows() + rows);
    sections_.push_back(section);
  }
  std::uint32_t columns_;
  std::vector<std::uint32_t> ends_;  // of sections: the number of the next one's first row
  std::vector<Section> sections_;
};

/// Columns become rows; each new row lists the old rows in ascending order.
Bipartite transpose(const Bipartite& graph);

}  // namespace sigrel::graph
