// The factors of a linear dependency between rows of expressions: Gaussian elimination of expressions, with
// their values at a random point of the prime field to tell which of them are zero.
//
// Example: of the rows (c, -c) and (-d, d) the second has the factor 1 and the first d / c.
// The elimination is free of divisions: the coefficients of products stay integers.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/exact/prime_field.h"
#include "compiler/ir/expr.h"

namespace sigrel::reduce {

/// An expression and its value at the random point.
struct Valued {
  ExprId expr;
  exact::Field value;
};

struct SymbolicDependency {
  std::vector<ExprId> factors;  // by row; that of the chosen row is an integer
  std::size_t divisors = 0;     // expressions of parameters that the factors divide by
};

/// The combination of all rows, with a number as the factor of row `chosen`, that is zero: nothing where it
/// does not exist, or divides by expressions that vary in time. Cubic in the number of rows.
std::optional<SymbolicDependency> symbolic_dependency(ExprPool& pool,
                                                      const std::vector<std::vector<Valued>>& rows,
                                                      std::size_t chosen);

}  // namespace sigrel::reduce
