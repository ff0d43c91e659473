#include "compiler/exact/sparse_elimination.h"

#include <cstdlib>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace sigrel::exact {
namespace {

/// Cancels a pivot's column in other rows, over the field: row − (entry / pivot) · pivot row.
class FieldPivot {
 public:
  using Value = Field;
  explicit FieldPivot(Field pivot) : minus_inverse_(-pivot.inverse()) {}
  bool cancel(const SparseRow& row, Field entry, const SparseRow& pivot_row, SparseRow& result) const {
    const Field factor = entry * minus_inverse_;
    combine(row, std::identity{}, pivot_row, [&](Field v) { return factor * v; }, result);
    return true;
  }

 private:
  Field minus_inverse_;
};

/// The same over the integers: pivot · row − entry · pivot row, divided by the common factor of its
/// coefficients. False where a coefficient becomes too large.
class IntegerPivot {
 public:
  using Value = std::int64_t;
  explicit IntegerPivot(std::int64_t pivot) : pivot_(pivot) {}
  bool cancel(const IntegerRow& row, std::int64_t entry, const IntegerRow& pivot_row,
              IntegerRow& result) const {
    combine(
        row, [&](std::int64_t v) { return pivot_ * v; }, pivot_row,
        [&](std::int64_t v) { return -entry * v; }, result);
    std::int64_t factor = 0;
    for (const auto& e : result) factor = std::gcd(factor, e.value);
    for (auto& e : result) e.value /= factor;
    return std::ranges::all_of(result, [](const auto& e) { return std::abs(e.value) <= kLargestInteger; });
  }

 private:
  std::int64_t pivot_;
};

template <class Pivot>
Echelon<typename Pivot::Value> eliminated(std::vector<RowOver<typename Pivot::Value>> rows,
                                          std::uint32_t columns, std::size_t most_work) {
  using Value = typename Pivot::Value;
  Echelon<Value> result;
  // Entries of a row that are to be eliminated stand first.
  auto length = [&](std::uint32_t r) {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows[r], columns, {}, &RowEntry<Value>::column) -
                                    rows[r].begin());
  };
  // By column: the rows that contain it, and some that contained it before.
  std::vector<std::vector<std::uint32_t>> rows_of(columns);
  using Candidate = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::size_t n = length(r);
    for (std::size_t k = 0; k < n; ++k) rows_of[rows[r][k].column].push_back(r);
    if (n > 0) queue.emplace(n, r);
  }
  std::vector<bool> done(rows.size(), false);
  std::size_t work = 0;
  RowOver<Value> scratch;
  while (!queue.empty()) {
    const auto [size, r] = queue.top();
    queue.pop();
    if (done[r] || size != length(r)) continue;  // the row has another candidate with its present length
    done[r] = true;
    const RowEntry<Value>* pivot = &rows[r].front();
    for (std::size_t k = 1; k < size; ++k)
      if (rows_of[rows[r][k].column].size() < rows_of[pivot->column].size()) pivot = &rows[r][k];
    const std::uint32_t column = pivot->column;
    result.pivots.push_back({r, column});
    std::vector<std::uint32_t> users = std::move(rows_of[column]);
    if (users.size() < 2) continue;
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    const Pivot step(pivot->value);
    for (std::uint32_t other : users) {
      if (done[other]) continue;
      const RowEntry<Value>* entry = find(rows[other], column);
      if (!entry) continue;
      if (work > most_work || !step.cancel(rows[other], entry->value, rows[r], scratch) ||
          (work += scratch.size()) > most_work) {
        done[other] = true;
        result.given_up.push_back(other);
        continue;
      }
      rows[other].swap(scratch);
      for (std::size_t k = 0; k < size; ++k)
        if (rows[r][k].column != column) rows_of[rows[r][k].column].push_back(other);
      if (const std::size_t n = length(other)) queue.emplace(n, other);
    }
  }
  result.rows = std::move(rows);
  return result;
}

}  // namespace

std::optional<Echelon<Field>> eliminate(std::vector<SparseRow> rows, std::uint32_t columns,
                                        std::size_t most_work) {
  Echelon<Field> result = eliminated<FieldPivot>(std::move(rows), columns, most_work);
  if (!result.given_up.empty()) return std::nullopt;
  return result;
}

Echelon<std::int64_t> eliminate(std::vector<IntegerRow> rows, std::uint32_t columns, std::size_t most_work) {
  return eliminated<IntegerPivot>(std::move(rows), columns, most_work);
}

}  // namespace sigrel::exact
