// Rank of a sparse matrix of numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sigrel::reduce {

struct MatrixEntry {
  std::uint32_t row = 0, column = 0;
  double value = 0;
};

/// Columns that are linear combinations of the others, as few as possible; those with a small `weight` rather
/// than others. By a QR factorisation with column pivoting of scaled columns; of large matrices by Gaussian
/// elimination, where weights matter only by being below, at or above 1.
std::vector<std::uint32_t> dependent_columns(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                             std::uint32_t columns, std::span<const double> weights);

/// The shortest x with the least |A x - b|.
std::vector<double> least_squares(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                  std::uint32_t columns, std::span<const double> b);

}  // namespace sigrel::reduce
