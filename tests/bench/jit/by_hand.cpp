#include "by_hand.h"

void ladder_direct(std::size_t n, const double* __restrict u, const double* __restrict r1,
                   const double* __restrict r2, const double* __restrict c, double* __restrict du) {
  for (std::size_t i = 0; i < n; ++i)
    du[i] = ((u[i] - u[i + 1]) / r1[i] - (u[i + 1] - u[i + 2]) / r2[i]) / c[i];
}

void ladder_by_table(std::size_t n, const std::uint32_t* table, double* values, const double* parameters) {
  const std::uint32_t *du = table, *left = du + n, *own = left + n, *right = own + n, *c = right + n,
                      *r1 = c + n, *r2 = r1 + n;
  for (std::size_t i = 0; i < n; ++i)
    values[du[i]] = ((values[left[i]] - values[own[i]]) / parameters[r1[i]] -
                     (values[own[i]] - values[right[i]]) / parameters[r2[i]]) /
                    parameters[c[i]];
}
