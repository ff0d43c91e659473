#include "compiler/exact/row_dependencies.h"

#include <algorithm>

#include "compiler/exact/null_space.h"
#include "compiler/exact/sparse_elimination.h"

namespace sigrel::exact {
namespace {

constexpr std::size_t kMostDependencies = 256;

/// vector - factor * pivot, where the factor cancels the entry of the pivot's row.
void cancel(SparseRow& vector, const Dependency& pivot) {
  const Entry* entry = find(vector, pivot.row);
  if (!entry) return;
  const Field factor = -entry->value;
  SparseRow result;
  combine(vector, [](Field v) { return v; }, pivot.factors, [&](Field v) { return factor * v; }, result);
  vector.swap(result);
}

}  // namespace

std::vector<Dependency> row_dependencies(std::vector<SparseRow> columns,
                                         std::span<const std::uint32_t> preferred, std::size_t most_work) {
  const auto rows = static_cast<std::uint32_t>(preferred.size());
  const auto echelon = eliminate(std::move(columns), rows, most_work);
  if (!echelon || echelon->pivots.size() == rows) return {};
  std::vector<std::uint32_t> rank(rows);
  for (std::uint32_t k = 0; k < rows; ++k) rank[preferred[k]] = k;

  // Gauss and Jordan on the null vectors, in the order of preference.
  std::vector<Dependency> result;
  for (SparseRow& vector : null_space(*echelon, rows, kMostDependencies)) {
    for (const Dependency& d : result) cancel(vector, d);
    const std::uint32_t row =
        std::ranges::min_element(vector, {}, [&](const Entry& e) { return rank[e.column]; })->column;
    const Field inverse = find(vector, row)->value.inverse();
    for (Entry& e : vector) e.value = e.value * inverse;
    const Dependency found{row, std::move(vector)};
    for (Dependency& d : result) cancel(d.factors, found);
    result.push_back(found);
  }
  return result;
}

}  // namespace sigrel::exact
