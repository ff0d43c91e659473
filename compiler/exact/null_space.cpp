#include "compiler/exact/null_space.h"

namespace sigrel::exact {

std::vector<SparseRow> null_space(const Echelon<Field>& echelon, std::uint32_t columns, std::size_t most) {
  std::vector<bool> has_pivot(columns, false);
  for (const auto& pivot : echelon.pivots) has_pivot[pivot.column] = true;
  std::vector<SparseRow> result;
  std::vector<Field> value(columns);
  for (std::uint32_t free = 0; free < columns && result.size() < most; ++free) {
    if (has_pivot[free]) continue;
    std::ranges::fill(value, Field{});
    value[free] = Field(1);
    for (std::size_t k = echelon.pivots.size(); k-- > 0;) {  // a pivot row contains later pivots only
      const auto& pivot = echelon.pivots[k];
      Field sum, own;
      for (const Entry& e : echelon.rows[pivot.row]) {
        if (e.column >= columns) break;
        if (e.column == pivot.column)
          own = e.value;
        else if (!value[e.column].zero())
          sum += e.value * value[e.column];
      }
      if (!sum.zero()) value[pivot.column] = -sum * own.inverse();
    }
    SparseRow vector;
    for (std::uint32_t c = 0; c < columns; ++c)
      if (!value[c].zero()) vector.push_back({c, value[c]});
    result.push_back(std::move(vector));
  }
  return result;
}

}  // namespace sigrel::exact
