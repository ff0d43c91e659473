// The null space of an eliminated matrix, by back substitution.
//
// Example: row {0: 1, 1: -2} over columns 0, 1 and 2 with its pivot in column 0: the null vectors are
// {0: 2, 1: 1} and {2: 1}.
#pragma once
#include "compiler/exact/sparse_elimination.h"

namespace sigrel::exact {

/// A basis of the vectors x over columns 0 … columns-1, those that were eliminated, for which the rows give
/// zero: one vector per column without a pivot, ascending. That column is 1, the other columns without a
/// pivot are 0. At most `most` vectors, each in time of the pivot rows' entries.
std::vector<SparseRow> null_space(const Echelon<Field>& echelon, std::uint32_t columns, std::size_t most);

}  // namespace sigrel::exact
