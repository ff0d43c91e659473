// Gaussian elimination of sparse rows over the field: the shortest row next, its rarest column for a pivot,
// so that little fills up (Markowitz 1957). Near-linear on circuits and other chains, trees and hierarchies
// of small parts.
//
// Example: rows {0: 1, 1: -1} {0: 1, 1: -1, 2: 5} with columns 0 and 1 to be eliminated: one pivot, and what
// is left is {2: 5}.
#pragma once
#include <optional>
#include <vector>

#include "compiler/exact/prime_field.h"

namespace sigrel::exact {

struct Entry {
  std::uint32_t column;
  Field value;
};
using SparseRow = std::vector<Entry>;  // ascending columns, no zeros

/// Entries in any order, columns repeated: as a sparse row.
void tidy(SparseRow& row);

struct Eliminated {
  struct Pivot {
    std::uint32_t row, column;
  };
  std::vector<Pivot> pivots;    // in order; as many as the columns have rank
  std::vector<SparseRow> rows;  // of a pivot: as it was used; the others contain none of the columns
};

/// Eliminates columns 0 … columns-1. Nothing where more than `most_work` entries would be computed.
std::optional<Eliminated> eliminate(std::vector<SparseRow> rows, std::uint32_t columns,
                                    std::size_t most_work);

}  // namespace sigrel::exact
