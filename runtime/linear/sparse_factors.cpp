#include "runtime/linear/sparse_factors.h"

#include <algorithm>
#include <cmath>

#include "runtime/linear/ordering.h"
#include "runtime/linear/sparse_pattern.h"

namespace runtime {

SparseFactors::SparseFactors(const SparsePattern& pattern, const Columns& lower, const Columns& upper,
                             std::span<const std::int64_t> row_order,
                             std::span<const std::int64_t> column_order, std::span<const std::int64_t> blocks)
    : n_(pattern.n), reciprocal_(n_, 0.0), scale_(n_, 1.0), work_(n_, 0.0) {
  row_order_.assign(row_order.begin(), row_order.end());
  column_order_.assign(column_order.begin(), column_order.end());
  blocks_.assign(blocks.begin(), blocks.end());
  odd_ = is_odd(row_order_) != is_odd(column_order_);
  std::vector<std::uint32_t> position(n_);  // of each row of the matrix
  for (std::uint32_t i = 0; i < n_; ++i) position[row_order_[i]] = i;
  std::vector<std::uint32_t> end_of_block(n_);
  for (std::size_t b = 0; b + 1 < blocks_.size(); ++b)
    for (std::uint32_t i = blocks_[b]; i < blocks_[b + 1]; ++i) end_of_block[i] = blocks_[b + 1];

  // Every part is transposed from columns to rows; traversing columns in pivot order leaves the columns of
  // each row ascending, or descending where rows are filled from their ends.
  matrix_.starts.assign(n_ + 1, 0);
  lower_.starts.assign(n_ + 1, 0);
  upper_.starts.assign(n_ + 1, 0);
  above_.assign(n_, 0);
  auto each_entry = [&](auto&& use) {
    for (std::uint32_t c = 0; c < n_; ++c) {
      const std::uint32_t column = column_order_[c];
      for (std::int64_t k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k)
        use(position[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])], c,
            static_cast<std::uint32_t>(k));
    }
  };
  auto each = [&](const Columns& columns, auto&& use) {
    for (std::uint32_t c = 0; c < n_; ++c)
      for (std::int64_t k = columns.starts[c]; k < columns.starts[c + 1]; ++k) {
        const auto row = static_cast<std::uint32_t>(columns.rows[static_cast<std::size_t>(k)]);
        if (row != c) use(row, c);
      }
  };
  each_entry([&](std::uint32_t row, std::uint32_t column, std::uint32_t) {
    ++matrix_.starts[row + 1];
    if (column >= end_of_block[row]) {
      ++above_[row];
      ++lower_.starts[row + 1];
    }
  });
  each(lower, [&](std::uint32_t row, std::uint32_t) { ++lower_.starts[row + 1]; });
  each(upper, [&](std::uint32_t row, std::uint32_t) { ++upper_.starts[row + 1]; });
  for (Rows* rows : {&matrix_, &lower_, &upper_}) {
    for (std::size_t i = 0; i < n_; ++i) rows->starts[i + 1] += rows->starts[i];
    rows->columns.resize(rows->starts[n_]);
  }
  source_.resize(matrix_.starts[n_]);
  lower_.values.resize(lower_.starts[n_]);
  upper_.values.resize(upper_.starts[n_]);
  std::vector<std::uint32_t> next = matrix_.starts, next_lower = lower_.starts;
  each_entry([&](std::uint32_t row, std::uint32_t column, std::uint32_t k) {
    matrix_.columns[next[row]] = column;
    source_[next[row]++] = k;
    if (column >= end_of_block[row]) lower_.columns[next_lower[row]++] = column;
  });
  each(lower, [&](std::uint32_t row, std::uint32_t column) { lower_.columns[next_lower[row]++] = column; });
  next.assign(upper_.starts.begin() + 1, upper_.starts.end());
  each(upper, [&](std::uint32_t row, std::uint32_t column) { upper_.columns[--next[row]] = column; });
}

double SparseFactors::factor(std::span<const double> values, std::span<const double> row_scale,
                             std::span<const double> least) {
  double* work = work_.data();                   // zero between rows
  double largest_factor = 1, largest_entry = 1;  // of L; of U, where rows begin with 1
  for (std::uint32_t i = 0; i < n_; ++i) {
    const double scale = row_scale[row_order_[i]];
    for (std::uint32_t k = matrix_.starts[i]; k < matrix_.starts[i + 1]; ++k)
      work[matrix_.columns[k]] = scale * values[source_[k]];
    std::uint32_t k = lower_.starts[i];
    for (const std::uint32_t end = k + above_[i]; k < end; ++k) {
      lower_.values[k] = work[lower_.columns[k]];
      work[lower_.columns[k]] = 0;
    }
    for (const std::uint32_t end = lower_.starts[i + 1]; k < end; ++k) {
      const std::uint32_t j = lower_.columns[k];
      const double entry = work[j];
      largest_factor = std::max(largest_factor, std::abs(entry * reciprocal_[j]));
      work[j] = 0;
      lower_.values[k] = entry;
      for (std::uint32_t u = upper_.starts[j]; u < upper_.starts[j + 1]; ++u)
        work[upper_.columns[u]] -= entry * upper_.values[u];
    }
    const double pivot = work[i], reciprocal = 1 / pivot;
    work[i] = 0;
    reciprocal_[i] = reciprocal;
    scale_[i] = scale * reciprocal;
    for (k = lower_.starts[i]; k < lower_.starts[i + 1]; ++k) lower_.values[k] *= reciprocal;
    for (std::uint32_t u = upper_.starts[i]; u < upper_.starts[i + 1]; ++u) {
      const double entry = work[upper_.columns[u]];
      largest_entry = std::max(largest_entry, std::abs(entry));
      upper_.values[u] = entry * reciprocal;
      work[upper_.columns[u]] = 0;
    }
    if (!(std::abs(pivot) > least[column_order_[i]])) return HUGE_VAL;  // NaN too
  }
  return largest_factor * largest_entry;
}

void SparseFactors::solve(const double* right_hand_side, double* solution) {
  double* y = work_.data();
  for (std::uint32_t i = 0; i < n_; ++i) y[i] = right_hand_side[row_order_[i]] * scale_[i];
  auto subtract = [y](const Rows& rows) {
    return [y, starts = rows.starts.data(), columns = rows.columns.data(),
            values = rows.values.data()](std::uint32_t i) {
      double value = y[i];
      for (std::uint32_t k = starts[i], end = starts[i + 1]; k < end; ++k) value -= values[k] * y[columns[k]];
      y[i] = value;
    };
  };
  const auto lower = subtract(lower_), upper = subtract(upper_);
  for (std::size_t b = blocks_.size() - 1; b-- > 0;) {
    const std::uint32_t begin = blocks_[b], end = blocks_[b + 1];
    for (std::uint32_t i = begin; i < end; ++i) lower(i);
    for (std::uint32_t i = end; i-- > begin;) upper(i);
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    solution[column_order_[i]] = y[i];
    y[i] = 0;
  }
}

double SparseFactors::smallest_pivot() const {
  double largest = 0;
  for (const double reciprocal : reciprocal_) largest = std::max(largest, std::abs(reciprocal));
  return 1 / largest;
}

int SparseFactors::determinant_sign() const {
  bool negative = odd_;
  for (const double reciprocal : reciprocal_) negative ^= reciprocal < 0;
  return negative ? -1 : 1;
}

}  // namespace runtime
