// Sparse rows over a ring, and their linear combinations.
//
// Example: {0: 1, 2: 3} and {0: 1, 1: 5} with factors 1 and -1 combine to {1: -5, 2: 3}.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/exact/prime_field.h"

namespace sigrel::exact {

template <class Value>
struct RowEntry {
  std::uint32_t column;
  Value value;
};
/// Columns ascend, no value is zero.
template <class Value>
using RowOver = std::vector<RowEntry<Value>>;

using Entry = RowEntry<Field>;
using SparseRow = RowOver<Field>;
using IntegerRow = RowOver<std::int64_t>;

/// Makes a sparse row of entries in any order and with repeated columns: sorts and adds up.
template <class Value>
void tidy(RowOver<Value>& row) {
  std::ranges::sort(row, {}, &RowEntry<Value>::column);
  std::size_t size = 0;
  for (std::size_t k = 0; k < row.size();) {
    RowEntry<Value> sum = row[k++];
    while (k < row.size() && row[k].column == sum.column) sum.value += row[k++].value;
    if (sum.value != Value{}) row[size++] = sum;
  }
  row.resize(size);
}

/// The entry of a column, nullptr where it is zero.
template <class Value>
const RowEntry<Value>* find(const RowOver<Value>& row, std::uint32_t column) {
  auto at = std::ranges::lower_bound(row, column, {}, &RowEntry<Value>::column);
  return at == row.end() || at->column != column ? nullptr : &*at;
}

/// result = scale_x(x) + scale_y(y), where the functions multiply a value with the factor of its row.
template <class Value, class ScaleX, class ScaleY>
void combine(const RowOver<Value>& x, ScaleX scale_x, const RowOver<Value>& y, ScaleY scale_y,
             RowOver<Value>& result) {
  result.clear();
  for (auto a = x.begin(), b = y.begin(); a != x.end() || b != y.end();) {
    if (b == y.end() || (a != x.end() && a->column < b->column)) {
      result.push_back({a->column, scale_x(a->value)});
      ++a;
    } else if (a == x.end() || b->column < a->column) {
      result.push_back({b->column, scale_y(b->value)});
      ++b;
    } else {
      const Value sum = scale_x(a->value) + scale_y(b->value);
      if (sum != Value{}) result.push_back({a->column, sum});
      ++a, ++b;
    }
  }
}

}  // namespace sigrel::exact
