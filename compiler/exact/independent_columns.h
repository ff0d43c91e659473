// Which columns of a sparse matrix are independent, decided exactly: values modulo a prime, eliminated column
// by column with the pivots found so far (left-looking: Gilbert and Peierls 1988). Columns are offered in the
// order in which they are wanted; each that is independent of those before it is taken.
//
// An entry is fixed when it is made of numbers and parameters, and a pivot of fixed entries alone is fixed
// too: it will not become zero while the model runs.
//
// Example: rows {x: 1, y: -p}, {x: 2 x, z: 2 z}. Offered x, y, z for fixed pivots: x is taken in row 0; what
// is left of y is 2 x p in row 1, and of z 2 z: both vary.
#pragma once
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace sigrel::exact {

class Pivots {
 public:
  struct Entry {
    std::uint32_t row;
    std::uint64_t value;
    bool fixed;
  };
  enum class Answer : std::uint8_t { Taken, Varies, Dependent };

  explicit Pivots(std::uint32_t rows);
  /// Takes the column if it is independent and has a fixed pivot, or any pivot when `varying`.
  Answer offer(std::span<const Entry> column, bool varying);
  /// What the last column offered has left in rows without a pivot, ascending.
  std::span<const std::uint32_t> rest() const { return rest_; }
  bool has_pivot(std::uint32_t row) const { return pivot_of_row_[row] != kNone; }
  /// Multiplications so far.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Pivot {
    std::uint32_t row;
    std::uint64_t inverse;
    bool fixed;
    std::vector<Entry> below;
  };
  void touch(std::uint32_t row);

  std::vector<Pivot> pivots_;
  std::vector<std::uint32_t> pivot_of_row_;
  std::vector<std::uint64_t> value_;  // of the column at hand, by row; zero between calls
  std::vector<std::uint8_t> fixed_, touched_;
  std::vector<std::uint32_t> rows_, rest_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
      queue_;  // pivots to eliminate with
  std::uint64_t work_ = 0;
};

}  // namespace sigrel::exact
