#include "compiler/order/torn_block.h"

#include <algorithm>
#include <cmath>

#include "compiler/order/parameters.h"

namespace sigrel::order {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
// Relative to the other coefficients of its row: with a smaller one too many digits would cancel.
constexpr double kSmallestPivot = 1e-6;

}  // namespace

BlockTearing::BlockTearing(plan::Plan& plan, Kernels& kernels, const incidence::EquationList& equations,
                           const graph::Bipartite& graph, const std::vector<ShapeId>& shape_of_section,
                           const TearingHints& hints)
    : plan_(plan),
      kernels_(kernels),
      equations_(equations),
      graph_(graph),
      columns_(graph::transpose(graph)),
      shape_of_section_(shape_of_section),
      hints_(hints),
      tearing_(graph, columns_),
      sparse_(graph, columns_),
      coefficients_(equations.sections().size()),
      parameters_(parameter_values(plan.model)),
      mark_(graph.columns, 0),
      level_(graph.columns, 0),
      first_(graph.columns, 0),
      last_(graph.columns, 0) {}

incidence::Coefficients& BlockTearing::coefficients(std::uint32_t section) {
  std::optional<incidence::Coefficients>& found = coefficients_[section];
  if (!found) found.emplace(plan_.exprs, *equations_.sections()[section].table);
  return *found;
}

/// Variables of the block have the present mark.
bool BlockTearing::solvable(std::uint32_t row, std::uint32_t variable) {
  auto variables = graph_.row(row);
  if (std::ranges::count(variables, variable) != 1) return false;
  const std::uint32_t section = equations_.section_of(row);
  const EquationTable* table = equations_.sections()[section].table;
  if (!table) return true;
  incidence::Coefficients& c = coefficients(section);
  const auto slot = static_cast<std::uint32_t>(std::ranges::find(variables, variable) - variables.begin());
  if (!c.of(slot).fixed()) return false;
  auto parameters = table->parameters_of(row - equations_.sections()[section].first);
  if (std::ranges::any_of(parameters, [&](std::uint32_t p) { return hints_.moving[p]; })) return false;
  const double pivot = std::fabs(c.value(slot, parameters, parameters_));
  if (!(pivot > 0) || !std::isfinite(pivot)) return false;
  for (std::uint32_t k = 0; k < variables.size(); ++k)
    if (k != slot && mark_[variables[k]] == clock_ && c.of(k).fixed() &&
        std::fabs(c.value(k, parameters, parameters_)) * kSmallestPivot > pivot)
      return false;
  return kernels_.solve(shape_of_section_[section], slot).has_value();
}

runtime::AlgebraicLoop::Kind BlockTearing::kind_of(std::span<const std::uint32_t> rows) {
  auto kind = runtime::AlgebraicLoop::Fixed;
  for (std::uint32_t row : rows) {
    const std::uint32_t section = equations_.section_of(row);
    if (!equations_.sections()[section].table) continue;
    incidence::Coefficients& c = coefficients(section);
    auto variables = graph_.row(row);
    for (std::uint32_t k = 0; k < variables.size(); ++k) {
      if (mark_[variables[k]] != clock_) continue;
      const incidence::Coefficient& coefficient = c.of(k);
      if (!coefficient.linear) return runtime::AlgebraicLoop::Nonlinear;
      for (std::uint32_t other : coefficient.slots)
        if (mark_[variables[other]] == clock_) return runtime::AlgebraicLoop::Nonlinear;
      if (!coefficient.fixed()) kind = runtime::AlgebraicLoop::Linear;
    }
  }
  return kind;
}

/// Follows the solved equations of the tearing, and makes tearing variables of those variables for which the
/// limits are exceeded.
void BlockTearing::shorten(const graph::Torn& torn, std::size_t size, TornBlock& block) {
  const std::size_t most = size <= kSmall ? size : kMostUnknowns;
  std::vector<std::uint32_t> reached,
      all;  // tearing variables on which a variable depends; those of all variables end to end
  auto unknown = [&](std::uint32_t variable) {
    level_[variable] = 0;
    first_[variable] = static_cast<std::uint32_t>(all.size());
    all.push_back(variable);
    last_[variable] = static_cast<std::uint32_t>(all.size());
    block.unknowns.push_back(variable);
  };
  block.residual_equations = torn.residual_equations;
  for (std::uint32_t variable : torn.torn) unknown(variable);
  for (std::size_t k = 0; k < torn.solved_equations.size(); ++k) {
    const std::uint32_t row = torn.solved_equations[k], variable = torn.solved_variables[k];
    std::uint32_t level = 0;
    reached.clear();
    for (std::uint32_t input : graph_.row(row)) {
      if (input == variable || mark_[input] != clock_) continue;
      level = std::max(level, level_[input]);
      reached.insert(reached.end(), all.begin() + first_[input], all.begin() + last_[input]);
    }
    std::ranges::sort(reached);
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    if (level >= kLongestWay || reached.size() > most) {
      block.residual_equations.push_back(row);
      unknown(variable);
      continue;
    }
    level_[variable] = level + 1;
    first_[variable] = static_cast<std::uint32_t>(all.size());
    all.insert(all.end(), reached.begin(), reached.end());
    last_[variable] = static_cast<std::uint32_t>(all.size());
    block.inner.push_back({EquationId{row}, VariableId{variable}, level});
  }
  std::ranges::sort(block.residual_equations);
  std::ranges::sort(block.unknowns);
}

TornBlock BlockTearing::tear(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> variables) {
  TornBlock block;
  ++clock_;
  std::vector<std::uint32_t> sorted(rows.begin(), rows.end()), unknowns(variables.begin(), variables.end());
  // Sorted by their incidence, so that the order in which equations are written does not matter.
  std::ranges::sort(sorted, [&](std::uint32_t a, std::uint32_t b) {
    auto x = graph_.row(a), y = graph_.row(b);
    auto order = std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    return order != 0 ? order < 0 : a < b;
  });
  std::ranges::sort(unknowns);
  for (std::uint32_t v : unknowns) mark_[v] = clock_;
  block.kind = kind_of(sorted);
  auto solves = [&](std::uint32_t row, std::uint32_t v) { return solvable(row, v); };
  graph::Torn torn;
  if (rows.size() > kSmall) {
    torn = sparse_.tear(sorted, unknowns, solves, hints_.preferred);
  } else {
    std::vector<std::uint32_t> groups[2];
    for (std::uint32_t v : unknowns) groups[hints_.preferred[v] ? 1 : 0].push_back(v);
    torn = tearing_.tear({sorted, groups}, solves);
  }
  shorten(torn, rows.size(), block);
  return block;
}

}  // namespace sigrel::order
