#include "runtime/sparse_factors.h"

#include <algorithm>
#include <cmath>

#include "runtime/row_groups.h"
#include "runtime/sparse.h"

namespace runtime {

namespace {

// Rows are worked on together when they are as many, with as many columns in common; fewer are not worth a call.
constexpr std::uint32_t kGroup = 2, kCommon = 4;

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

  // Every part is turned from columns to rows; going through columns in pivot order leaves the columns of each row ascending,
  // and where rows are filled from their ends, descending.
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
  next.assign(upper_.starts.begin() + 1, upper_.starts.end());
  each(upper, [&](std::uint32_t row, std::uint32_t column) { upper_.columns[--next[row]] = column; });
  find_groups();
}

void SparseFactors::find_groups() {
  // Whether the columns of `row` are those of `before`, and `before`.
  auto extends = [](const Rows& rows, std::uint32_t row, std::uint32_t before) {
    const std::uint32_t common = rows.length(before), *columns = rows.columns.data();
    return rows.length(row) == common + 1 && columns[rows.starts[row] + common] == before &&
           std::equal(columns + rows.starts[before], columns + rows.starts[before + 1], columns + rows.starts[row]);
  };
  upper_end_.resize(n_);
  std::uint32_t longest = 0;
  for (std::uint32_t i = static_cast<std::uint32_t>(n_); i-- > 0;) {
    upper_end_[i] = i + 1 < n_ && extends(upper_, i, i + 1) ? upper_end_[i + 1] : i + 1;
    longest = std::max({longest, upper_.length(i), lower_.length(i)});
  }
  gathered_.resize(2 * longest);

  auto add = [this](Part part, const Rows& rows, std::uint32_t shortest) {
    if (part.end - part.begin >= kGroup && rows.length(shortest) >= kCommon) part.common = rows.length(shortest);
    Part* last = parts_.empty() ? nullptr : &parts_.back();
    const bool follows = last && !part.common && !last->common && part.upper == last->upper && (part.upper ? part.end == last->begin : last->end == part.begin);
    if (!follows) parts_.push_back(part);
    else if (part.upper) last->begin = part.begin;
    else last->end = part.end;
  };
  for (std::size_t b = blocks_.size() - 1; b-- > 0;) {
    const std::uint32_t begin = blocks_[b], end = blocks_[b + 1];
    for (std::uint32_t i = begin, last; i < end; i = last) {
      last = i + 1;
      while (last < end && extends(lower_, last, last - 1)) ++last;
      add({i, last, 0, false}, lower_, i);
    }
    for (std::uint32_t i = end, first; i > begin && end - begin > 1; i = first) {
      first = i - 1;
      while (first > begin && upper_end_[first - 1] == i) --first;
      add({first, i, 0, true}, upper_, i - 1);
    }
  }
}

bool SparseFactors::factor(std::span<const double> values, std::span<const double> row_scale, std::span<const double> least,
                           double limit) {
  double* work = work_.data();  // zero between rows
  double largest_factor = 1, largest_entry = 1;  // of L; of U, where rows begin with 1
  for (std::uint32_t i = 0; i < n_; ++i) {
    const double scale = row_scale[row_order_[i]];
    for (std::uint32_t k = matrix_.starts[i]; k < matrix_.starts[i + 1]; ++k) work[matrix_.columns[k]] = scale * values[source_[k]];
    std::uint32_t k = lower_.starts[i];
    for (const std::uint32_t end = k + above_[i]; k < end; ++k) {
      lower_.values[k] = work[lower_.columns[k]];
      work[lower_.columns[k]] = 0;
    }
    for (const std::uint32_t end = lower_.starts[i + 1]; k < end;) {
      const std::uint32_t first = lower_.columns[k], last = std::min(upper_end_[first], i);
      const std::uint32_t common = last - first >= kGroup && upper_.length(last - 1) >= kCommon ? upper_.length(last - 1) : 0;
      const std::uint32_t* columns = upper_.columns.data() + upper_.starts[first];
      // Rows of a group one after the other where they differ, then together where they do not. A row that needs the first of them
      // needs the others too: the first fills it in there.
      const std::uint32_t begin = k, rows = common ? last - first : 1;
      for (; k < begin + rows; ++k) {
        const std::uint32_t j = lower_.columns[k];
        const double entry = work[j];
        largest_factor = std::max(largest_factor, std::abs(entry * reciprocal_[j]));
        work[j] = 0;
        lower_.values[k] = entry;
        for (std::uint32_t u = upper_.starts[j] + common; u < upper_.starts[j + 1]; ++u) work[upper_.columns[u]] -= entry * upper_.values[u];
      }
      if (!common) continue;
      combine({upper_.values.data(), upper_.starts.data() + first, rows, common}, lower_.values.data() + begin, gathered_.data());
      for (std::uint32_t c = 0; c < common; ++c) work[columns[c]] -= gathered_[c];
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
    if (!(std::abs(pivot) > least[column_order_[i]])) return false;  // NaN too
  }
  return largest_factor * largest_entry <= limit;
}

/// What the rows have in common goes first: their columns are known by then.
void SparseFactors::subtract_common(const Rows& rows, const Part& part, double* y) {
  const std::uint32_t common = part.common, *columns = rows.columns.data() + rows.starts[part.upper ? part.end - 1 : part.begin];
  double *gathered = gathered_.data(), *products = gathered + common;
  for (std::uint32_t c = 0; c < common; ++c) gathered[c] = y[columns[c]];
  for (std::uint32_t at = part.begin; at < part.end; at += common) {  // as many products as there is room for
    const std::uint32_t count = std::min(part.end - at, common);
    multiply({rows.values.data(), rows.starts.data() + at, count, common}, gathered, products);
    for (std::uint32_t a = 0; a < count; ++a) y[at + a] -= products[a];
  }
}

void SparseFactors::solve(double* x) {
  double* y = work_.data();
  for (std::uint32_t i = 0; i < n_; ++i) y[i] = x[row_order_[i]] * scale_[i];
  for (const Part& part : parts_) {
    const Rows& rows = part.upper ? upper_ : lower_;
    if (part.common) subtract_common(rows, part, y);
    const std::uint32_t *starts = rows.starts.data(), *columns = rows.columns.data();
    const double* values = rows.values.data();
    auto subtract = [&](std::uint32_t i) {
      double value = y[i];
      for (std::uint32_t k = starts[i] + part.common, end = starts[i + 1]; k < end; ++k) value -= values[k] * y[columns[k]];
      y[i] = value;
    };
    if (part.upper)
      for (std::uint32_t i = part.end; i-- > part.begin;) subtract(i);
    else
      for (std::uint32_t i = part.begin; i < part.end; ++i) subtract(i);
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    x[column_order_[i]] = y[i];
    y[i] = 0;
  }
}

}  // namespace runtime
