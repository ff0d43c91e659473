// What is done with the dense blocks of frontal_factors.h. Rows are as long as multiples of kWidth, and what
// fills them up is zero. An element is computed in one order whatever the vector unit is, and nothing is
// contracted: all machines give the same numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace runtime {

constexpr std::size_t kWidth = 8;  // pivots of a panel, at most

struct Block {
  double* at;
  std::size_t distance;  // from one row to the next
};

/// Pivots that are eliminated together, and the factors of their rows and columns for `length` unknowns that
/// come later. The triangles among the pivots themselves are inverted: a solution multiplies by them, where
/// it would wait at every pivot.
struct Panel {
  std::uint32_t first, pivots, length;
  const std::uint32_t* later;  // unknowns
  double* lower;               // columns of L⁻¹ - I, kWidth numbers each; columns of L, `length` numbers each
  double* upper;               // columns of U⁻¹; rows of U
};

struct Largest {
  double lower = 1, upper = 1;  // entries of L and U
};

/// Factorises the square of the pivots and inverts its factors. False when a pivot is not larger than its
/// `least`.
bool invert(const Panel& panel, Block square, const double* least, Largest& largest);
/// What is left of the panel's rows and, as rows, columns becomes U and L, there and in the panel.
void eliminate(const Panel& panel, Block upper, Block lower, Largest& largest);
/// to = from - leftᵀ right, which have `depth` rows; from and to have `rows` and `columns`, a multiple of
/// kWidth, and may be the same.
void subtract_product(std::size_t depth, Block left, Block right, std::size_t rows, std::size_t columns,
                      Block from, Block to);
/// y becomes the solution with L, or with U.
void solve_lower(std::span<const Panel> panels, double* y);
void solve_upper(std::span<const Panel> panels, double* y);

}  // namespace runtime
