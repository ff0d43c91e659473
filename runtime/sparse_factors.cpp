#include "runtime/sparse_factors.h"

#include <algorithm>
#include <cmath>

#include "runtime/sparse.h"
#include "runtime/targets.h"

namespace runtime {
namespace {

constexpr std::uint64_t kLongRun = 2;  // mean length from which loops over runs of columns pay

/// Four numbers anywhere in an array.
constexpr std::uint32_t kWide = 4;
typedef double Wide __attribute__((vector_size(kWide * sizeof(double)), aligned(sizeof(double)), may_alias));

}  // namespace

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
  // Orders against fill-in put separators last and in a row: their columns follow each other.
  std::uint64_t pieces = find_runs(lower_) + find_runs(upper_);
  by_runs_ = kLongRun * pieces < lower_.columns.size() + upper_.columns.size();
  if (!by_runs_)
    for (Rows* rows : {&lower_, &upper_}) rows->runs = {}, rows->run_starts = {};
}

std::uint64_t SparseFactors::find_runs(Rows& rows) {
  rows.run_starts.assign(1, 0);
  for (std::uint32_t i = 0; i < n_; ++i) {
    for (std::uint32_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      if (k > rows.starts[i] && rows.columns[k] == rows.columns[k - 1] + 1)
        ++rows.runs.back().count;
      else
        rows.runs.push_back({rows.columns[k], 1});
    }
    rows.run_starts.push_back(static_cast<std::uint32_t>(rows.runs.size()));
  }
  return rows.runs.size();
}

bool SparseFactors::factor(std::span<const double> values, std::span<const double> row_scale, std::span<const double> least,
                           double growth) {
  return by_runs_ ? factor_runs(values, row_scale, least, growth) : factor_entries(values, row_scale, least, growth);
}
void SparseFactors::solve(double* x) { by_runs_ ? solve_runs(x) : solve_entries(x); }

FOR_EACH_TARGET bool SparseFactors::factor_entries(std::span<const double> values, std::span<const double> row_scale,
                                                   std::span<const double> least, double growth) {
  return factor_with(values, row_scale, least, growth, [](const Rows& upper, std::uint32_t j, double factor, double* work) {
    for (std::uint32_t u = upper.starts[j]; u < upper.starts[j + 1]; ++u) work[upper.columns[u]] -= factor * upper.values[u];
  });
}
FOR_EACH_TARGET bool SparseFactors::factor_runs(std::span<const double> values, std::span<const double> row_scale,
                                                std::span<const double> least, double growth) {
  return factor_with(values, row_scale, least, growth, [](const Rows& upper, std::uint32_t j, double factor, double* work) {
    const double* v = upper.values.data() + upper.starts[j];
    for (std::uint32_t r = upper.run_starts[j]; r < upper.run_starts[j + 1]; ++r) {
      double* w = work + upper.runs[r].first;
      std::uint32_t left = upper.runs[r].count;
      for (; left >= kWide; left -= kWide, w += kWide, v += kWide) *(Wide*)w -= factor * *(const Wide*)v;
      for (; left > 0; --left) *w++ -= factor * *v++;
    }
  });
}

FOR_EACH_TARGET void SparseFactors::solve_entries(double* x) {
  solve_with(x, [](const Rows& rows, std::uint32_t i, const double* y) {
    double sum = 0;
    for (std::uint32_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) sum += rows.values[k] * y[rows.columns[k]];
    return sum;
  });
}
FOR_EACH_TARGET void SparseFactors::solve_runs(double* x) {
  solve_with(x, [](const Rows& rows, std::uint32_t i, const double* y) {
    double sum = 0;
    Wide sums = {};
    const double* v = rows.values.data() + rows.starts[i];
    for (std::uint32_t r = rows.run_starts[i]; r < rows.run_starts[i + 1]; ++r) {
      const double* from = y + rows.runs[r].first;
      std::uint32_t left = rows.runs[r].count;
      for (; left >= kWide; left -= kWide, from += kWide, v += kWide) sums += *(const Wide*)v * *(const Wide*)from;
      for (; left > 0; --left) sum += *v++ * *from++;
    }
    return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + sum;
  });
}

template <class Subtract>
inline __attribute__((always_inline)) bool SparseFactors::factor_with(std::span<const double> values, std::span<const double> row_scale,
                                                                      std::span<const double> least, double limit, Subtract subtract) {
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
      subtract(upper_, j, factor, work);
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

template <class Product>
inline __attribute__((always_inline)) void SparseFactors::solve_with(double* x, Product product) {
  double* y = work_.data();
  for (std::uint32_t i = 0; i < n_; ++i) y[i] = x[row_order_[i]] * scale_[i];
  for (std::size_t b = blocks_.size() - 1; b-- > 0;) {
    for (std::uint32_t i = blocks_[b]; i < blocks_[b + 1]; ++i) y[i] -= product(lower_, i, y);
    for (std::uint32_t i = blocks_[b + 1]; i-- > blocks_[b];) y[i] = (y[i] - product(upper_, i, y)) * reciprocal_[i];
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    x[column_order_[i]] = y[i];
    y[i] = 0;
  }
}

}  // namespace runtime
