// A plan with tables for its kernels, and the reference for what running them gives.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::testing {

/// One call of a kernel over random places: slot columns hold distinct variables where the kernel writes.
struct Call {
  std::size_t stride = 0, begin = 0, end = 0;
  double time = 0.75;
  std::vector<double> values, parameters, out;
  std::vector<std::uint32_t> table;

  /// `rows` rows in a table of `stride_` rows, evaluated in [begin_, end_).
  Call(const plan::Kernel& kernel, std::mt19937& random, std::size_t stride_, std::size_t begin_,
       std::size_t end_);
  /// Calls it on copies of the data; values and out afterwards.
  struct Result {
    std::vector<double> values, out;
  };
  Result run(const runtime::Kernel& kernel) const;
  /// By sigrel::apply, row by row.
  Result reference(const ExprPool& exprs, const plan::Kernel& kernel) const;
};

/// All operations, or all that are not functions of libm; biased to the common ones.
ExprId random_expression(ExprPool& exprs, std::mt19937& random, std::size_t operations, std::uint32_t slots,
                         std::uint32_t params, bool library = true);

/// Equal, both not a number, or within `ulp` units in the last place (of numbers near zero: of the smallest
/// normal number).
bool close(double a, double b, std::uint64_t ulp);

}  // namespace sigrel::testing
