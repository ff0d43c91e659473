#include "compiler/exact/sparse_elimination.h"

#include <algorithm>
#include <queue>

namespace sigrel::exact {
namespace {

/// row + factor * other, without `column`, where they cancel.
void combine(const SparseRow& row, Field factor, const SparseRow& other, std::uint32_t column,
             SparseRow& result) {
  result.clear();
  for (auto a = row.begin(), b = other.begin(); a != row.end() || b != other.end();) {
    if (b == other.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
    } else if (a == row.end() || b->column < a->column) {
      result.push_back({b->column, factor * b->value});
      ++b;
    } else {
      Field v = a->column == column ? Field{} : a->value + factor * b->value;
      if (!v.zero()) result.push_back({a->column, v});
      ++a, ++b;
    }
  }
}

}  // namespace

void tidy(SparseRow& row) {
  std::ranges::sort(row, {}, &Entry::column);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size();) {
    Entry sum = row[k++];
    while (k < row.size() && row[k].column == sum.column) sum.value = sum.value + row[k++].value;
    if (!sum.value.zero()) row[kept++] = sum;
  }
  row.resize(kept);
}

std::optional<Eliminated> eliminate(std::vector<SparseRow> rows, std::uint32_t columns,
                                    std::size_t most_work) {
  Eliminated result;
  std::vector<std::vector<std::uint32_t>> rows_of(columns);  // and some that contained the column once
  auto length = [&](std::uint32_t r) {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows[r], columns, {}, &Entry::column) -
                                    rows[r].begin());
  };
  using Candidate = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    std::size_t n = length(r);
    for (std::size_t k = 0; k < n; ++k) rows_of[rows[r][k].column].push_back(r);
    if (n > 0) queue.emplace(n, r);
  }
  std::vector<bool> done(rows.size(), false);
  std::size_t work = 0;
  SparseRow scratch;
  while (!queue.empty()) {
    auto [size, r] = queue.top();
    queue.pop();
    if (done[r] || size != length(r)) continue;
    done[r] = true;
    const Entry* pivot = &rows[r].front();
    for (std::size_t k = 1; k < size; ++k)
      if (rows_of[rows[r][k].column].size() < rows_of[pivot->column].size()) pivot = &rows[r][k];
    const std::uint32_t column = pivot->column;
    result.pivots.push_back({r, column});
    std::vector<std::uint32_t> users = std::move(rows_of[column]);
    if (users.size() < 2) continue;
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    const Field scale = -pivot->value.inverse();
    for (std::uint32_t other : users) {
      if (done[other]) continue;
      auto at = std::ranges::lower_bound(rows[other], column, {}, &Entry::column);
      if (at == rows[other].end() || at->column != column) continue;
      combine(rows[other], at->value * scale, rows[r], column, scratch);
      rows[other].swap(scratch);
      work += rows[other].size();
      if (work > most_work) return std::nullopt;
      for (std::size_t k = 0; k < size; ++k)
        if (rows[r][k].column != column) rows_of[rows[r][k].column].push_back(other);
      if (std::size_t n = length(other)) queue.emplace(n, other);
    }
  }
  result.rows = std::move(rows);
  return result;
}

}  // namespace sigrel::exact
