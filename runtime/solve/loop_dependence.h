// What dependent equations of a linear algebraic loop leave: a constraint between known variables, and
// unknowns of which only a combination is determined.
//
//   x' + y' = a,  x' + y' = -y     the difference 0 = a + y constrains y; x' and y' are not determined
#pragma once
#include <cstdint>
#include <span>

#include "runtime/failure.h"
#include "runtime/solve/equation_rows.h"

namespace runtime {

/// Sets `constrained` and `combined` of a failure: `factors` of the rows, 0 for those that take no part, add
/// them up to an equation without the unknowns.
void describe_leftovers(EquationRows& equations, std::span<const BatchRow> rows,
                        std::span<const double> factors, std::span<const std::uint32_t> unknowns,
                        const Point& point, Failure& failure);

}  // namespace runtime
