// Linear dependencies between the rows of a matrix over the prime field: which rows are combinations of
// others, and with which factors.
//
// Example: rows {0: 1, 1: -1} and {0: 2, 1: -2}, of which the first should be expressed by the other: one
// dependency, with the factors 1 and -1/2.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/exact/sparse_row.h"

namespace sigrel::exact {

struct Dependency {
  std::uint32_t row = 0;  // factor 1, and in no other dependency
  SparseRow factors;      // of all rows, `row` included: these multiples of the rows add up to nothing
};

/// The dependencies of a matrix given by its columns, whose entries are numbered by row. In `preferred`, the
/// rows in order of preference, the row of a dependency is the first one of its rows. No dependency where
/// elimination would compute more than `most_work` entries; a limited number where there are very many.
std::vector<Dependency> row_dependencies(std::vector<SparseRow> columns,
                                         std::span<const std::uint32_t> preferred, std::size_t most_work);

}  // namespace sigrel::exact
