// Exact Gaussian elimination of sparse rows, over the prime field or over the integers.
//
// The next pivot row is the shortest, and its pivot is the column that the fewest rows contain, so that few
// entries fill in (Markowitz, The elimination form of the inverse and its application to linear programming,
// 1957). Near-linear on circuits and other chains, trees and hierarchies of small parts; a limit on the
// computed entries guards against systems that fill up.
//
// Over the integers there is no division: rows are cross-multiplied and freed from common factors. A row
// whose coefficients would exceed kLargestInteger is given up and keeps its value, which stays a valid
// equation.
//
// Example: rows {0: 1, 1: -1} {0: 1, 1: -1, 2: 5} with columns 0 and 1 to be eliminated: one pivot, and the
// second row becomes {2: 5}; over the integers {2: 1}.
#pragma once
#include <optional>

#include "compiler/exact/sparse_row.h"

namespace sigrel::exact {

/// The rows after elimination.
template <class Value>
struct Echelon {
  struct Pivot {
    std::uint32_t row, column;
  };
  std::vector<Pivot> pivots;              // in order; their number is the rank of the eliminated columns
  std::vector<RowOver<Value>> rows;       // a pivot row as it was used; of the others those that are not
                                          // given up contain no eliminated column
  std::vector<std::uint32_t> given_up{};  // in the order in which they were given up
};

/// Eliminates columns 0 … columns-1. Nothing where more than `most_work` entries would be computed.
std::optional<Echelon<Field>> eliminate(std::vector<SparseRow> rows, std::uint32_t columns,
                                        std::size_t most_work);

constexpr std::int64_t kLargestInteger = 1 << 20;
/// The same over the integers; the given coefficients are at most kLargestInteger. Where more than
/// `most_work` entries would be computed, the rows that are left are given up.
Echelon<std::int64_t> eliminate(std::vector<IntegerRow> rows, std::uint32_t columns, std::size_t most_work);

}  // namespace sigrel::exact
