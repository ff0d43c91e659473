// Loops over the elements of vectors, for the vector unit (simd_dispatch.h). A sum runs over eight lanes that
// are added in a fixed order, and nothing is contracted: all machines give the same numbers.
//
// All arrays have `n` elements; the result may be one of the operands, and they do not overlap otherwise.
#pragma once
#include <sundials/sundials_types.h>

#include <cstddef>

namespace runtime::vector_kernels {

using Index = sunindextype;
constexpr std::size_t kLanes = 8;

void linear_sum(Index n, double a, const double* x, double b, const double* y, double* z);  // z = a x + b y
void sum(Index n, const double* x, const double* y, double* z);                             // z = x + y
void difference(Index n, const double* x, const double* y, double* z);                      // z = x - y
void product(Index n, const double* x, const double* y, double* z);   // z = x y, by elements
void quotient(Index n, const double* x, const double* y, double* z);  // z = x / y, by elements
void fill(Index n, double c, double* z);                              // z = c
void scale(Index n, double c, const double* x, double* z);            // z = c x
void absolute(Index n, const double* x, double* z);                   // z = |x|
void reciprocal(Index n, const double* x, double* z);                 // z = 1 / x
void add_constant(Index n, const double* x, double b, double* z);     // z = x + b

/// z = Σ c_k x_k, of two, three or four vectors; terms are added in this order.
void combine2(Index n, const double* c, const double* const* x, double* z);
void combine3(Index n, const double* c, const double* const* x, double* z);
void combine4(Index n, const double* c, const double* const* x, double* z);

/// Whether low <= x <= high for all elements.
bool all_within(Index n, const double* x, const double* low, const double* high);

/// Adds (x w)² to kLanes sums, element i to lane i mod kLanes; `total` adds up the lanes.
void weighted_squares(Index n, const double* x, const double* w, double* sums);
inline double total(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace runtime::vector_kernels
