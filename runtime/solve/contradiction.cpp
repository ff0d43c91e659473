#include "runtime/solve/contradiction.h"

#include <algorithm>
#include <cmath>

#include "runtime/linear/pivoted_qr.h"
#include "runtime/numbers.h"

namespace runtime {

namespace {

/// Adds the equations from which the variables of these follow. False: too many.
bool add_causes(EquationRows& equations, const Determinations& determinations, std::vector<BatchRow>& rows,
                std::vector<std::uint32_t>& variables) {
  std::vector<std::uint32_t> groups;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::vector<std::uint32_t> read = equations.variables(rows[k]);
    for (const std::uint32_t v : read) {
      const auto at = std::ranges::lower_bound(variables, v);
      if (at != variables.end() && *at == v) continue;
      variables.insert(at, v);
      const std::uint32_t group = determinations.group_of(v);
      if (group == kNone || std::ranges::find(groups, group) != groups.end()) continue;
      groups.push_back(group);
      for (const BatchRow& row : determinations.rows(group)) {
        const bool there = std::ranges::any_of(
            rows, [&](const BatchRow& r) { return equations.equation(r) == equations.equation(row); });
        if (!there) rows.push_back(row);
      }
      if (rows.size() > kMostContradicting) return false;
    }
  }
  return true;
}

}  // namespace

Contradiction find_contradiction(EquationRows& equations, std::span<const BatchRow> first,
                                 const Determinations& determinations, const Point& point) {
  Contradiction result;
  std::vector<BatchRow> rows(first.begin(), first.end());
  std::vector<std::uint32_t> variables;
  const bool few = add_causes(equations, determinations, rows, variables);
  result.causes = rows;
  if (!few) {
    result.rows.assign(first.begin(), first.end());
    return result;
  }
  DenseMatrix matrix(rows.size(), variables.size());
  std::vector<double> scale(rows.size(), 1.0), residuals(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& partials = equations.partials(rows[r], point);
    if (const double m = equations.magnitude(partials, point); m > 0 && std::isfinite(m)) scale[r] = 1 / m;
    for (const EquationRows::Partial& p : partials) {
      const auto column = std::ranges::lower_bound(variables, p.variable) - variables.begin();
      const double unit = std::max(std::abs(point.values[p.variable]), equations.nominal(p.variable));
      matrix(r, static_cast<std::size_t>(column)) = scale[r] * p.value * unit;
    }
    const double residual = scale[r] * equations.residual(rows[r], point);
    residuals[r] = std::isfinite(residual) ? residual : 0;
  }
  const bool finite = all_finite(matrix.values);
  const std::vector<double> factors = finite ? row_combination(matrix, residuals) : std::vector<double>{};
  for (std::size_t r = 0; r < factors.size(); ++r) {
    if (factors[r] == 0) continue;
    result.rows.push_back(rows[r]);
    result.factors.push_back(factors[r] * scale[r]);
    result.left_over += factors[r] * residuals[r];
  }
  double largest = 0;
  for (const double f : result.factors) largest = std::max(largest, std::abs(f));
  for (double& f : result.factors) f /= largest;
  if (largest > 0) result.left_over /= largest;
  if (result.rows.empty()) result.rows.assign(first.begin(), first.end());
  return result;
}

}  // namespace runtime
