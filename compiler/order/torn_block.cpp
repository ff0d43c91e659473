#include "compiler/order/torn_block.h"

#include <algorithm>
#include <cmath>

#include "compiler/order/parameters.h"

namespace sigrel::order {
namespace {

// Relative to the other coefficients of its row: with a smaller one too many digits would cancel.
constexpr double kSmallestPivot = 1e-6;

}  // namespace

BlockTearing::BlockTearing(plan::Plan& plan, Kernels& kernels, const incidence::EquationList& equations,
                           const graph::Bipartite& graph,
                           const IdVector<SectionId, ShapeId>& shape_of_section, const TearingHints& hints)
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

incidence::Coefficients& BlockTearing::coefficients(SectionId section) {
  std::optional<incidence::Coefficients>& found = coefficients_[section];
  if (!found) found.emplace(plan_.exprs, *equations_.sections()[section].table);
  return *found;
}

bool BlockTearing::solvable(EquationId equation, VariableId variable) {
  const auto variables = variables_of(equation);
  if (std::ranges::count(variables, variable) != 1) return false;
  const SectionId number = equations_.section_of(equation);
  const incidence::EquationList::Section& section = equations_.sections()[number];
  if (!section.table) return true;
  incidence::Coefficients& c = coefficients(number);
  const auto slot = static_cast<std::uint32_t>(std::ranges::find(variables, variable) - variables.begin());
  if (!c.of(slot).fixed()) return false;
  auto parameters = section.table->parameters_of(section.row_of(equation));
  if (std::ranges::any_of(parameters, [&](std::uint32_t p) { return hints_.discrete[p]; })) return false;
  const double pivot = std::fabs(c.value(slot, parameters, parameters_));
  if (!(pivot > 0) || !std::isfinite(pivot)) return false;
  for (std::uint32_t k = 0; k < variables.size(); ++k)
    if (k != slot && in_block(variables[k]) && c.of(k).fixed() &&
        std::fabs(c.value(k, parameters, parameters_)) * kSmallestPivot > pivot)
      return false;
  return kernels_.is_solvable(shape_of_section_[number], slot);
}

runtime::AlgebraicLoop::Kind BlockTearing::kind_of(std::span<const EquationId> equations) {
  auto kind = runtime::AlgebraicLoop::Fixed;
  for (EquationId equation : equations) {
    const SectionId section = equations_.section_of(equation);
    if (!equations_.sections()[section].table) continue;
    incidence::Coefficients& c = coefficients(section);
    const auto variables = variables_of(equation);
    for (std::uint32_t k = 0; k < variables.size(); ++k) {
      if (!in_block(variables[k])) continue;
      const incidence::Coefficient& coefficient = c.of(k);
      if (!coefficient.linear) return runtime::AlgebraicLoop::Nonlinear;
      for (std::uint32_t other : coefficient.slots)
        if (in_block(variables[other])) return runtime::AlgebraicLoop::Nonlinear;
      if (!coefficient.fixed()) kind = runtime::AlgebraicLoop::Linear;
    }
  }
  return kind;
}

/// Follows the solved equations of the tearing, and makes tearing variables of those variables for which the
/// limits are exceeded.
void BlockTearing::shorten(const graph::Torn& torn, std::size_t size, TornBlock& block) {
  const std::size_t most = size <= kSmallBlock ? size : kMostUnknowns;
  // Tearing variables: those on which a variable depends, and these of all variables end to end.
  std::vector<VariableId> reached, all;
  auto tear = [&](VariableId variable) {
    level_[variable] = 0;
    first_[variable] = static_cast<std::uint32_t>(all.size());
    all.push_back(variable);
    last_[variable] = static_cast<std::uint32_t>(all.size());
    block.tearing_variables.push_back(variable);
  };
  for (std::uint32_t row : torn.residual_equations) block.residual_equations.push_back(EquationId{row});
  for (std::uint32_t column : torn.torn) tear(VariableId{column});
  for (std::size_t k = 0; k < torn.solved_equations.size(); ++k) {
    const EquationId equation{torn.solved_equations[k]};
    const VariableId variable{torn.solved_variables[k]};
    std::uint32_t level = 0;
    reached.clear();
    for (VariableId input : variables_of(equation)) {
      if (input == variable || !in_block(input)) continue;
      level = std::max(level, level_[input]);
      reached.insert(reached.end(), all.begin() + first_[input], all.begin() + last_[input]);
    }
    std::ranges::sort(reached);
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    if (level >= kLongestWay || reached.size() > most) {
      block.residual_equations.push_back(equation);
      tear(variable);
      continue;
    }
    level_[variable] = level + 1;
    first_[variable] = static_cast<std::uint32_t>(all.size());
    all.insert(all.end(), reached.begin(), reached.end());
    last_[variable] = static_cast<std::uint32_t>(all.size());
    block.inner.push_back({equation, variable, level});
  }
  std::ranges::sort(block.residual_equations);
  std::ranges::sort(block.tearing_variables);
}

TornBlock BlockTearing::tear(std::span<const EquationId> equations, std::span<const VariableId> variables) {
  TornBlock block;
  ++clock_;
  for (VariableId v : variables) mark_[v] = clock_;
  // Sorted by their incidence, so that the order in which equations are written does not matter.
  std::vector<EquationId> sorted(equations.begin(), equations.end());
  std::ranges::sort(sorted, [&](EquationId a, EquationId b) {
    auto x = graph_.row(a.value), y = graph_.row(b.value);
    auto order = std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    return order != 0 ? order < 0 : a < b;
  });
  block.kind = kind_of(sorted);
  // Rows and columns for the algorithms on graphs.
  std::vector<std::uint32_t> rows, columns;
  for (EquationId e : sorted) rows.push_back(e.value);
  for (VariableId v : variables) columns.push_back(v.value);
  std::ranges::sort(columns);
  auto solves = [&](std::uint32_t row, std::uint32_t column) {
    return solvable(EquationId{row}, VariableId{column});
  };
  graph::Torn torn;
  if (rows.size() > kSmallBlock) {
    torn = sparse_.tear(rows, columns, solves, hints_.preferred);
  } else {
    std::vector<std::uint32_t> groups[2];
    for (std::uint32_t v : columns) groups[hints_.preferred[v] ? 1 : 0].push_back(v);
    torn = tearing_.tear({rows, groups}, solves);
  }
  shorten(torn, rows.size(), block);
  return block;
}

}  // namespace sigrel::order
