// Which rows of a singular matrix depend on each other.
#pragma once
#include <span>
#include <vector>

#include "runtime/linear/sparse_pattern.h"

namespace runtime {

/// Matrices of more rows are not examined.
constexpr std::size_t kMostDependentRows = 200;

/// Factors of the rows, the largest of magnitude 1, with which they add up to zero; those that do not take
/// part are 0. Of several such combinations one with few rows. Empty: the matrix is regular, is not finite,
/// or has too many rows. LU decomposition with complete pivoting of the matrix with scaled rows and columns.
std::vector<double> dependent_rows(const SparsePattern& pattern, std::span<const double> values);

}  // namespace runtime
