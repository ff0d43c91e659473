#include "runtime/solve/loop_dependence.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/solve/rectangular_system.h"

namespace runtime {

namespace {

constexpr double kRounding = 1e-9;  // of the terms of a sum: it is zero

struct Sum {
  std::uint32_t variable;
  double value, terms;  // and the sum of the magnitudes
};

}  // namespace

void describe_leftovers(EquationRows& equations, std::span<const BatchRow> rows,
                        std::span<const double> factors, std::span<const std::uint32_t> unknowns,
                        const Point& point, Failure& failure) {
  std::vector<std::uint32_t> columns(unknowns.begin(), unknowns.end());
  std::ranges::sort(columns);
  std::vector<Sum> sums;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (factors[r] == 0) continue;
    for (const EquationRows::Partial& p : equations.partials(rows[r], point))
      if (!std::ranges::binary_search(columns, p.variable))
        sums.push_back({p.variable, factors[r] * p.value, std::abs(factors[r] * p.value)});
  }
  std::ranges::stable_sort(sums, {}, &Sum::variable);
  for (std::size_t k = 0; k < sums.size();) {
    Sum sum = sums[k];
    for (++k; k < sums.size() && sums[k].variable == sum.variable; ++k)
      sum.value += sums[k].value, sum.terms += sums[k].terms;
    if (std::abs(sum.value) > kRounding * sum.terms && failure.constrained.size() < kFailureDetails)
      failure.constrained.push_back(sum.variable);
  }
  RectangularSystem system(equations, {rows.begin(), rows.end()}, columns);
  const std::vector<bool> determined = system.determined(point);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (!determined[k] && failure.combined.size() < kFailureDetails) failure.combined.push_back(columns[k]);
}

}  // namespace runtime
