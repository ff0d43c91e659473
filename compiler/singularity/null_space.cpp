#include "compiler/singularity/null_space.h"

#include <algorithm>
#include <queue>

#include "compiler/exact/random_point.h"
#include "compiler/graph/bipartite.h"
#include "compiler/incidence/incidence.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::singularity {
namespace {

using namespace exact::modular;

struct Entry {
  std::uint32_t column;
  std::uint64_t value;
};
using SparseRow = std::vector<Entry>;  // ascending columns

void tidy(SparseRow& row) {
  std::ranges::sort(row, {}, &Entry::column);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size();) {
    Entry sum = row[k++];
    while (k < row.size() && row[k].column == sum.column) sum.value = plus(sum.value, row[k++].value);
    if (sum.value != 0) row[kept++] = sum;
  }
  row.resize(kept);
}

/// row += factor * other
SparseRow combined(const SparseRow& row, std::uint64_t factor, const SparseRow& other) {
  SparseRow result;
  result.reserve(row.size() + other.size());
  auto a = row.begin();
  for (auto b = other.begin(); a != row.end() || b != other.end();) {
    if (b == other.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
    } else if (a == row.end() || b->column < a->column) {
      result.push_back({b->column, times(factor, b->value)});
      ++b;
    } else {
      std::uint64_t v = plus(a->value, times(factor, b->value));
      if (v != 0) result.push_back({a->column, v});
      ++a, ++b;
    }
  }
  return result;
}

std::vector<SparseRow> matrix(const dae::System& dae, std::span<const std::uint32_t> equations,
                              std::span<const std::uint32_t> variables) {
  std::vector<std::uint32_t> column(dae.variables.size(), graph::kNone);
  for (std::uint32_t c = 0; c < variables.size(); ++c) column[variables[c]] = c;
  std::vector<std::uint64_t> scale(dae.variables.size(), 1);
  const std::uint64_t s = drawn(5, 0);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {  // a derivative is s times its integral
    if (dae.variables[v].integral == dae::kNone) continue;
    column[v] = column[dae.variables[v].integral];
    scale[v] = times(s, scale[dae.variables[v].integral]);
  }
  incidence::EquationList list;
  list.append(dae.equations);
  ExprPool pool = dae.exprs;
  std::vector<std::vector<ExprId>> partials(list.sections().size());
  for (std::size_t k = 0; k < partials.size(); ++k)
    if (const EquationTable* t = list.sections()[k].table)
      partials[k] = symbolic::gradient(pool, t->residual, t->slots);
  std::vector<std::optional<exact::PointEvaluator>> evaluators(partials.size());
  std::vector<SparseRow> rows;
  for (std::uint32_t e : equations) {
    std::uint32_t number = list.section_of(e);
    const incidence::EquationList::Section& section = list.sections()[number];
    SparseRow row;
    if (section.table) {
      if (!evaluators[number]) evaluators[number].emplace(pool, partials[number]);
      auto slots = section.table->unknowns_of(e - section.first);
      auto values = evaluators[number]->row(slots, section.table->parameters_of(e - section.first));
      for (std::size_t k = 0; k < slots.size(); ++k)
        if (column[slots[k]] != graph::kNone)
          row.push_back({column[slots[k]], times(values[k], scale[slots[k]])});
    } else {
      for (Term t : section.sums->terms_of(e - section.first))
        if (column[t.unknown()] != graph::kNone)
          row.push_back({column[t.unknown()], t.negative() ? kPrime - 1 : 1});
    }
    tidy(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::optional<std::vector<NullVector>> null_vectors(const dae::System& dae,
                                                    std::span<const std::uint32_t> equations,
                                                    std::span<const std::uint32_t> variables) {
  constexpr std::size_t kMostWork = 50'000'000, kMostVectors = 256;
  std::vector<SparseRow> rows = matrix(dae, equations, variables);
  const auto columns = static_cast<std::uint32_t>(variables.size());
  // The shortest row next, its rarest column for a pivot: little fills up (Markowitz 1957).
  std::vector<std::vector<std::uint32_t>> rows_of(columns);
  using Candidate = std::pair<std::size_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    for (const Entry& e : rows[r]) rows_of[e.column].push_back(r);
    if (!rows[r].empty()) queue.emplace(rows[r].size(), r);
  }
  std::vector<bool> done(rows.size(), false);
  std::vector<std::uint32_t> pivot_row(columns, graph::kNone), order;
  std::size_t work = 0;
  while (!queue.empty()) {
    auto [size, r] = queue.top();
    queue.pop();
    if (done[r] || rows[r].empty() || size != rows[r].size()) continue;
    done[r] = true;
    const Entry* pivot = &rows[r].front();
    for (const Entry& e : rows[r])
      if (rows_of[e.column].size() < rows_of[pivot->column].size()) pivot = &e;
    const std::uint32_t column = pivot->column;
    const std::uint64_t scale = inverse(pivot->value);
    pivot_row[column] = r;
    order.push_back(column);
    std::vector<std::uint32_t> users = std::move(rows_of[column]);
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    for (std::uint32_t other : users) {
      if (done[other]) continue;
      auto at = std::ranges::lower_bound(rows[other], column, {}, &Entry::column);
      if (at == rows[other].end() || at->column != column) continue;
      rows[other] = combined(rows[other], minus(times(at->value, scale)), rows[r]);
      work += rows[other].size();
      if (work > kMostWork) return std::nullopt;
      for (const Entry& e : rows[r])
        if (e.column != column) rows_of[e.column].push_back(other);
      if (!rows[other].empty()) queue.emplace(rows[other].size(), other);
    }
  }
  // One vector per free column: that one is 1, the other free ones are 0, the pivots follow, last first.
  std::vector<NullVector> result;
  std::vector<std::uint64_t> value(columns);
  for (std::uint32_t free = 0; free < columns && result.size() < kMostVectors; ++free) {
    if (pivot_row[free] != graph::kNone) continue;
    std::ranges::fill(value, 0);
    value[free] = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      std::uint64_t sum = 0, own = 1;
      for (const Entry& e : rows[pivot_row[order[k]]]) {
        if (e.column == order[k])
          own = e.value;
        else if (value[e.column] != 0)
          sum = plus(sum, times(e.value, value[e.column]));
      }
      value[order[k]] = times(minus(sum), inverse(own));
    }
    NullVector vector;
    vector.level = true;
    std::uint64_t first = 0;
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (value[c] == 0) continue;
      vector.opposite.push_back(!vector.variables.empty() && value[c] != first);
      if (vector.variables.empty()) first = value[c];
      vector.variables.push_back(variables[c]);
      vector.level = vector.level && (value[c] == 1 || value[c] == kPrime - 1);
    }
    result.push_back(std::move(vector));
  }
  return result;
}

}  // namespace sigrel::singularity
