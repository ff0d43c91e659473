#include "runtime/sparse_factors.h"

#include <algorithm>
#include <cmath>

#include "runtime/sparse.h"

namespace runtime {

SparseFactors::SparseFactors(const SparsePattern& pattern, const Columns& lower, const Columns& upper,
                             std::span<const std::int64_t> row_order, std::span<const std::int64_t> column_order,
                             std::span<const std::int64_t> blocks)
    : n_(pattern.n), reciprocal_(n_, 0.0), scale_(n_, 1.0), work_(n_, 0.0) {
  row_order_.assign(row_order.begin(), row_order.end());
  column_order_.assign(column_order.begin(), column_order.end());
  blocks_.assign(blocks.begin(), blocks.end());
  std::vector<std::uint32_t> position(n_);  // of each row of the matrix
  for (std::uint32_t i = 0; i < n_; ++i) position[row_order_[i]] = i;
  std::vector<std::uint32_t> end_of_block(n_);
  for (std::size_t b = 0; b + 1 < blocks_.size(); ++b)
    for (std::uint32_t i = blocks_[b]; i < blocks_[b + 1]; ++i) end_of_block[i] = blocks_[b + 1];

  // Every part is turned from columns to rows; going through columns in pivot order leaves the columns of each row ascending.
  matrix_.starts.assign(n_ + 1, 0);
  lower_.starts.assign(n_ + 1, 0);
  upper_.starts.assign(n_ + 1, 0);
  above_.assign(n_, 0);
  auto each_entry = [&](auto&& use) {
    for (std::uint32_t c = 0; c < n_; ++c) {
      const std::uint32_t column = column_order_[c];
      for (std::int64_t k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k)
        use(position[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])], c, static_cast<std::uint32_t>(k));
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
  next = upper_.starts;
  each(upper, [&](std::uint32_t row, std::uint32_t column) { upper_.columns[next[row]++] = column; });
}

bool SparseFactors::factor(std::span<const double> values, std::span<const double> row_scale, std::span<const double> least,
                           double limit) {
  double* work = work_.data();  // zero between rows
  double growth = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    const double scale = scale_[i] = row_scale[row_order_[i]];
    for (std::uint32_t k = matrix_.starts[i]; k < matrix_.starts[i + 1]; ++k) work[matrix_.columns[k]] = scale * values[source_[k]];
    std::uint32_t k = lower_.starts[i];
    for (const std::uint32_t end = k + above_[i]; k < end; ++k) {
      lower_.values[k] = work[lower_.columns[k]];
      work[lower_.columns[k]] = 0;
    }
    for (; k < lower_.starts[i + 1]; ++k) {
      const std::uint32_t j = lower_.columns[k];
      const double factor = work[j] * reciprocal_[j];
      growth = std::max(growth, std::abs(factor));
      work[j] = 0;
      lower_.values[k] = factor;
      for (std::uint32_t u = upper_.starts[j]; u < upper_.starts[j + 1]; ++u) work[upper_.columns[u]] -= factor * upper_.values[u];
    }
    const double pivot = work[i];
    work[i] = 0;
    reciprocal_[i] = 1 / pivot;
    for (std::uint32_t u = upper_.starts[i]; u < upper_.starts[i + 1]; ++u) {
      upper_.values[u] = work[upper_.columns[u]];
      work[upper_.columns[u]] = 0;
    }
    if (!(std::abs(pivot) > least[column_order_[i]])) return false;  // NaN too
  }
  return growth <= limit;
}

void SparseFactors::solve(double* x) {
  double* y = work_.data();
  for (std::uint32_t i = 0; i < n_; ++i) y[i] = x[row_order_[i]] * scale_[i];
  auto product = [y](const Rows& rows, std::uint32_t i) {
    double sum = 0;
    for (std::uint32_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) sum += rows.values[k] * y[rows.columns[k]];
    return sum;
  };
  for (std::size_t b = blocks_.size() - 1; b-- > 0;) {
    for (std::uint32_t i = blocks_[b]; i < blocks_[b + 1]; ++i) y[i] -= product(lower_, i);
    for (std::uint32_t i = blocks_[b + 1]; i-- > blocks_[b];) y[i] = (y[i] - product(upper_, i)) * reciprocal_[i];
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    x[column_order_[i]] = y[i];
    y[i] = 0;
  }
}

}  // namespace runtime
