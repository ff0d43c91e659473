// The permutation of rows that makes the product of the diagonal entries of a sparse matrix as large as
// possible. Large diagonal entries can be pivots without further exchanges, and rows and columns that belong
// together, such as the sum of the currents at a node and its potential, meet on the diagonal, so that the
// pattern is nearly symmetric and an order of elimination for symmetric matrices suits it.
//
// Shortest augmenting paths in the costs log (largest entry of the column / entry): Duff and Koster, On
// algorithms for permuting large entries to the diagonal of a sparse matrix, SIAM J. Matrix Anal. Appl. 22
// (2001), section 4.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace runtime {

struct SparsePattern;

/// By column: the position, in the pattern, of the entry that is on the diagonal. Rows are scaled by
/// `row_scale`. An entry of zero is taken only where no other will do. Nothing if the pattern is structurally
/// singular, or if the search takes too long: more than a fixed number of visits for each entry.
std::optional<std::vector<std::int64_t>> weighted_matching(const SparsePattern& pattern,
                                                           std::span<const double> values,
                                                           std::span<const double> row_scale);

}  // namespace runtime
