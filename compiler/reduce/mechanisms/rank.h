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

/// Which columns are to be independent rather than others.
enum class Preference : std::uint8_t { Independent, None, Dependent };

/// Columns that are linear combinations of the others, as few as possible. One that is to be independent is
/// among them only if it depends on others of that kind, one without preference only if it depends on these
/// and on others without. By orthogonalisation with column pivoting; of large matrices by Gaussian
/// elimination. What is left of a column counts as zero relative to the largest column, in large
/// matrices relative to what it was, so columns are to have comparable scales.
std::vector<std::uint32_t> dependent_columns(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                             std::uint32_t columns, std::span<const Preference> preferences);

/// The columns, in this order, that are linear combinations of earlier ones. First only columns count as
/// independent of which a part of at least 1e-3 is, then those of which more is left than `threshold` times
/// the largest column. For small matrices.
std::vector<std::uint32_t> dependent_on_earlier(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                                std::span<const std::uint32_t> order, double threshold);

inline constexpr double kZeroPivot = 1e-7;

/// An x with the least |A x - b|: of small matrices the shortest one, of large ones one with few unknowns.
/// `zero`: pivots that count as zero, relative to the largest one, and of large matrices as they are.
std::vector<double> least_squares(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                  std::uint32_t columns, std::span<const double> b, double zero = kZeroPivot);

}  // namespace sigrel::reduce
