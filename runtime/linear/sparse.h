// Square sparse matrices by columns, and linear systems over them: dense LU when small, KLU when large.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/ordering.h"

namespace runtime {

/// Below this many unknowns dense factors win.
constexpr std::size_t kDenseLimit = 50;

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

/// The pattern of `entries` (any order, duplicates allowed) and the position of each entry in it. Linear
/// time.
SparsePattern compress(std::size_t n, std::span<const Entry> entries, std::vector<std::uint32_t>& positions);

/// A matrix whose pattern is fixed and whose values change.
class LinearSystem {
 public:
  explicit LinearSystem(SparsePattern pattern, std::size_t dense_limit = kDenseLimit,
                        Ordering ordering = Ordering::Auto);
  ~LinearSystem();
  LinearSystem(LinearSystem&&) noexcept;
  LinearSystem& operator=(LinearSystem&&) noexcept;

  const SparsePattern& pattern() const { return pattern_; }
  std::span<double> values() { return values_; }
  bool is_dense() const { return is_dense_; }
  /// What ordered the last factors; of several blocks, the largest.
  Ordering ordered_by() const;

  enum class Status : std::uint8_t { Ok, Singular, NotFinite };
  /// Factorises the present values, rows scaled by their largest. A pivot that is as small as a rounding
  /// error of its column, with numbers exact to `least`, makes the matrix singular: `singular_column` depends
  /// on others then. With 0 only a zero does.
  Status factor(double least = std::numeric_limits<double>::epsilon());
  std::uint32_t singular_column() const { return singular_column_; }

  /// The solution, with the last factors; it may overwrite the right-hand side.
  void solve(const double* right_hand_side, double* solution);
  void solve(double* right_hand_side) { solve(right_hand_side, right_hand_side); }

 private:
  struct Klu;
  Status factor_dense(double least);
  Status factor_klu(double least);

  SparsePattern pattern_;
  std::vector<double> values_;
  std::vector<double> row_scale_, column_max_;
  std::vector<double> dense_;  // LU, column-major
  std::vector<std::uint32_t> pivots_;
  std::unique_ptr<Klu> klu_;
  std::uint32_t singular_column_ = 0;
  bool is_dense_ = false;
};

}  // namespace runtime
