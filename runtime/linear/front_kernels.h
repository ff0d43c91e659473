// Kernels on the dense blocks of frontal_factors.h. Rows are padded with zeros to multiples of kWidth. The
// order of operations on an element does not depend on the vector unit, and nothing is contracted to fused
// multiply-add: all machines give the same numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace runtime {

constexpr std::size_t kWidth = 8;  // largest number of pivots of a panel

struct Block {
  double* at;
  std::size_t distance;  // from one row to the next
};

/// Pivots that are eliminated together, and the factors of their rows and columns for `length` later
/// unknowns. The triangles of the pivots are inverted: a solution then multiplies by them instead of waiting
/// for every pivot.
struct Panel {
  std::uint32_t first, pivots, length;
  const std::uint32_t* later;  // unknowns
  double* lower;               // columns of L⁻¹ - I, kWidth numbers each; columns of L, `length` numbers each
  double* upper;               // columns of U⁻¹; rows of U
};

struct Largest {
  double lower = 1, upper = 1;  // entries of L and U
};

/// Factorises the square block of the pivots and inverts its factors. False: a pivot is not larger than its
/// entry of `least`.
bool invert(const Panel& panel, Block square, const double* least, Largest& largest);
/// Turns the rest of the panel's rows, and of its columns (stored as rows), into U and L, in place and in the
/// panel.
void eliminate(const Panel& panel, Block upper, Block lower, Largest& largest);
/// to = from - leftᵀ right. `left` and `right` have `depth` rows; `from` and `to`, which may be the same,
/// have `rows` rows and `columns` columns, a multiple of kWidth.
void subtract_product(std::size_t depth, Block left, Block right, std::size_t rows, std::size_t columns,
                      Block from, Block to);
/// Solves with L, or with U, in place.
void solve_lower(std::span<const Panel> panels, double* y);
void solve_upper(std::span<const Panel> panels, double* y);

}  // namespace runtime
