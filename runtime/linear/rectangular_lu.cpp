#include "runtime/linear/rectangular_lu.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "runtime/numbers.h"

namespace runtime {

namespace {
// Of a pivot: its part of the largest entry of its column, and its magnitude.
constexpr double kPartOfColumn = 0.3, kLeastPivot = 0.01;
constexpr int kProbes = 2;
constexpr std::size_t kMostDense = 9'000'000;  // entries
}  // namespace

RectangularLu::RectangularLu(std::size_t rows, std::size_t columns,
                             std::span<const SparseMatrixEntry> entries)
    : columns_(columns), rows_(rows), rows_of_(columns), is_pivot_row_(rows, false) {
  for (const SparseMatrixEntry& e : entries) rows_[e.row].push_back({e.column, e.value});
  for (std::uint32_t r = 0; r < rows; ++r) {
    std::vector<Entry>& row = rows_[r];
    std::ranges::sort(row, {}, &Entry::column);
    std::size_t kept = 0;
    for (const Entry& e : row)
      if (kept > 0 && row[kept - 1].column == e.column)
        row[kept - 1].value += e.value;
      else
        row[kept++] = e;
    row.resize(kept);
    std::erase_if(row, [](const Entry& e) { return e.value == 0; });
    for (const Entry& e : row) rows_of_[e.column].push_back(r);
  }
  // Columns with few entries first; the others as soon as they have few.
  std::vector<bool> done(columns, false);
  std::vector<std::uint32_t> left;
  for (bool progress = true; progress;) {
    progress = false;
    using Item = std::pair<std::size_t, std::uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (std::uint32_t c = 0; c < columns; ++c)
      if (!done[c]) queue.push({rows_of_[c].size(), c});
    left.clear();
    while (!queue.empty()) {
      const auto [count, c] = queue.top();
      queue.pop();
      if (rows_of_[c].size() > count) {
        queue.push({rows_of_[c].size(), c});
        continue;
      }
      done[c] = eliminate(c);
      progress = progress || done[c];
      if (!done[c]) left.push_back(c);
    }
  }
  rest_columns_ = std::move(left);
  std::ranges::sort(rest_columns_);
  decompose_rest();
}

/// Whether the column has a pivot; then it is eliminated from the other rows.
bool RectangularLu::eliminate(std::uint32_t column) {
  // An entry that has vanished and come back is listed twice.
  std::ranges::sort(rows_of_[column]);
  rows_of_[column].erase(std::ranges::unique(rows_of_[column]).begin(), rows_of_[column].end());
  std::vector<Factor> here;
  double largest = 0;
  for (const std::uint32_t r : rows_of_[column]) {
    if (is_pivot_row_[r]) continue;
    const auto at = std::ranges::lower_bound(rows_[r], column, {}, &Entry::column);
    if (at == rows_[r].end() || at->column != column) continue;
    here.push_back({r, at->value});
    largest = std::max(largest, std::abs(at->value));
  }
  std::optional<Factor> pivot;
  for (const Factor& f : here)
    if (std::abs(f.value) >= std::max(kPartOfColumn * largest, kLeastPivot) &&
        (!pivot || rows_[f.row].size() < rows_[pivot->row].size()))
      pivot = f;
  rows_of_[column].clear();
  for (const Factor& f : here) rows_of_[column].push_back(f.row);
  if (!pivot) return false;
  is_pivot_row_[pivot->row] = true;
  Pivot next{pivot->row, column, pivot->value, {}, {}};
  for (const Factor& f : here) {
    if (f.row == pivot->row) continue;
    next.factors.push_back({f.row, f.value / pivot->value});
    subtract(f.row, pivot->row, next.factors.back().value);
  }
  next.others = std::move(rows_[pivot->row]);
  std::erase_if(next.others, [&](const Entry& e) { return e.column == column; });
  rows_[pivot->row].clear();
  pivots_.push_back(std::move(next));
  return true;
}

/// row -= factor * pivot row, by which an entry in the column of the pivot vanishes.
void RectangularLu::subtract(std::uint32_t from, std::uint32_t pivot_row, double factor) {
  const std::vector<Entry>&a = rows_[from], &b = rows_[pivot_row];
  merged_.clear();
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    if (k == b.size() || (i < a.size() && a[i].column < b[k].column)) {
      merged_.push_back(a[i++]);
    } else if (i == a.size() || b[k].column < a[i].column) {
      merged_.push_back({b[k].column, -factor * b[k].value});
      rows_of_[b[k++].column].push_back(from);
    } else {
      const double product = factor * b[k++].value, value = a[i].value - product;
      // What remains of nearly equal numbers is their rounding error.
      if (std::abs(value) > 4e-16 * std::abs(product)) merged_.push_back({a[i].column, value});
      ++i;
    }
  }
  rows_[from] = merged_;
}

void RectangularLu::decompose_rest() {
  for (std::uint32_t r = 0; r < rows_.size(); ++r)
    if (!rows_[r].empty()) rest_rows_.push_back(r);
  if (rest_rows_.empty() || rest_columns_.empty()) return;
  fills_in_ = rest_rows_.size() * rest_columns_.size() > kMostDense;
  if (fills_in_) return;
  DenseMatrix rest(rest_rows_.size(), rest_columns_.size());
  for (std::size_t i = 0; i < rest_rows_.size(); ++i)
    for (const Entry& e : rows_[rest_rows_[i]]) {
      const auto at = std::ranges::lower_bound(rest_columns_, e.column) - rest_columns_.begin();
      rest(i, static_cast<std::size_t>(at)) = e.value;
    }
  rest_.emplace(rest);
}

std::vector<double> RectangularLu::solve(std::span<const double> right_hand_side) const {
  std::vector<double> right(right_hand_side.begin(), right_hand_side.end()), x(columns_, 0.0);
  for (const Pivot& p : pivots_)
    for (const Factor& f : p.factors) right[f.row] -= f.value * right[p.row];
  if (rest_) {
    std::vector<double> of_rest;
    for (const std::uint32_t r : rest_rows_) of_rest.push_back(right[r]);
    const std::vector<double> found = rest_->solve(of_rest);
    for (std::size_t k = 0; k < found.size(); ++k) x[rest_columns_[k]] = found[k];
  }
  substitute_back(right, x);
  return x;
}

/// The unknowns of the pivots, from those of the rest.
void RectangularLu::substitute_back(std::span<const double> right, std::vector<double>& x) const {
  for (auto p = pivots_.rbegin(); p != pivots_.rend(); ++p) {
    double sum = right[p->row];
    for (const Entry& e : p->others) sum -= e.value * x[e.column];
    x[p->column] = sum / p->value;
  }
}

std::vector<bool> RectangularLu::determined() const {
  std::vector<bool> result(columns_, true);
  if (rank() == columns_) return result;
  const std::vector<bool> of_rest =
      rest_ ? rest_->determined() : std::vector<bool>(rest_columns_.size(), false);
  for (std::size_t k = 0; k < of_rest.size(); ++k)
    if (!of_rest[k]) result[rest_columns_[k]] = false;
  const std::vector<double> zero(rows_.size(), 0.0);
  for (int probe = 0; probe < kProbes; ++probe) {
    // A solution of the homogeneous equations: a generic vector without what they determine of it.
    std::vector<double> x(columns_, 0.0), image;
    for (const std::uint32_t c : rest_columns_)
      x[c] = 0.5 + golden_fraction(static_cast<double>(c + 1 + static_cast<std::size_t>(probe) * columns_));
    for (const std::uint32_t r : rest_rows_) {
      image.push_back(0);
      for (const Entry& e : rows_[r]) image.back() += e.value * x[e.column];
    }
    const std::vector<double> along =
        rest_ ? rest_->solve(image) : std::vector<double>(rest_columns_.size(), 0.0);
    for (std::size_t k = 0; k < along.size(); ++k)
      x[rest_columns_[k]] = of_rest[k] ? 0 : x[rest_columns_[k]] - along[k];
    substitute_back(zero, x);
    for (const Pivot& p : pivots_)
      if (std::abs(x[p.column]) > PivotedQr::kIndependent) result[p.column] = false;
  }
  return result;
}

}  // namespace runtime
