// Rows of sparse factors that have their columns in common, as those of a grid's separators have: they are worked on together, a column
// gathered once for all of them. Such groups are the supernodes of Demmel, Eisenstat, Gilbert, Li and Liu, A supernodal approach to sparse
// partial pivoting, SIAM J. Matrix Anal. Appl. 20 (1999).
#pragma once
#include <cstddef>
#include <cstdint>

namespace runtime {

/// Row a of a group: `values[starts[a]]` and what follows; only the first entries, common to all rows, are meant here.
struct CommonRows {
  const double* values;
  const std::uint32_t* starts;
  std::size_t rows, columns;
};

/// out[c] = Σ_a factors[a] row_a[c]
void combine(const CommonRows& rows, const double* factors, double* out);
/// out[a] = Σ_c row_a[c] x[c]
void multiply(const CommonRows& rows, const double* x, double* out);

}  // namespace runtime
