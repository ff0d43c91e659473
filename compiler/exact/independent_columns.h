// Which columns of a sparse matrix are independent of those before them, decided exactly over the prime
// field. Columns are offered in order of preference, and each that is independent of those taken so far is
// taken; they are eliminated one by one with the pivots found so far (left-looking: Gilbert and Peierls,
// Sparse partial pivoting in time proportional to arithmetic operations, 1988). sparse_elimination.h chooses
// its pivots freely instead and cannot keep an order.
//
// An entry is fixed when it is made of numbers and parameters, and a pivot that follows from fixed entries
// alone is fixed too: it cannot become zero during a simulation.
//
// Example: rows {x: 1, y: -p}, {x: 2 x, z: 2 z}. Offered x, y, z for fixed pivots: x is taken in row 0; y
// leaves 2 x p in row 1, and z leaves 2 z there: both vary.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "compiler/exact/prime_field.h"

namespace sigrel::exact {

class IndependentColumns {
 public:
  struct Entry {
    std::uint32_t row;
    Field value;
    bool fixed;
  };
  enum class Answer : std::uint8_t {
    Taken,
    Varies,  // independent, but without a fixed pivot
    Dependent,
  };

  explicit IndependentColumns(std::uint32_t rows);
  /// Takes the column if it is independent and has a fixed pivot, or any pivot when `varying`.
  Answer offer(std::span<const Entry> column, bool varying);
  /// Takes the column with a fixed pivot in this row. It has no entry in rows that have a pivot, so that
  /// there is nothing to eliminate.
  void take(std::span<const Entry> column, std::uint32_t row);
  /// The rows without a pivot in which the column last offered is nonzero after elimination, ascending.
  std::span<const std::uint32_t> remainder() const { return remainder_; }
  bool has_pivot(std::uint32_t row) const { return pivot_of_row_[row] != kNone; }
  /// Multiplications so far.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Pivot {
    std::uint32_t row;
    Field inverse;
    bool fixed;
    std::vector<Entry> below;
  };
  void touch(std::uint32_t row);

  std::vector<Pivot> pivots_;
  std::vector<std::uint32_t> pivot_of_row_;
  std::vector<Field> value_;  // of the column at hand, by row; zero between calls
  std::vector<std::uint8_t> fixed_, touched_;
  std::vector<std::uint32_t> rows_, remainder_;
  /// Pivots to eliminate with, in the order in which they were found.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> queue_;
  std::uint64_t work_ = 0;
};

}  // namespace sigrel::exact
