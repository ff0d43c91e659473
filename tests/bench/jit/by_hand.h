// The right-hand side of an RC ladder, der(u[i]) = ((u[i-1] - u[i]) / R1 - (u[i] - u[i+1]) / R2) / C, as one
// writes it in C.
#pragma once
#include <cstddef>
#include <cstdint>

/// u has n + 2 entries. Neighbours by index, resistances and capacitances of each stage.
void ladder_direct(std::size_t n, const double* u, const double* r1, const double* r2, const double* c,
                   double* du);

/// Through the same table as a run has: columns du, left, own, right, c, r1, r2.
void ladder_by_table(std::size_t n, const std::uint32_t* table, double* values, const double* parameters);
