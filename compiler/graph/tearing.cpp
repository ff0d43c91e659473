#include "compiler/graph/tearing.h"

#include <algorithm>
#include <limits>

namespace sigrel::graph {

Tearing::Tearing(const Bipartite& graph, const Bipartite& columns)
    : graph_(graph),
      columns_(columns),
      unknown_(graph.columns, false),
      candidate_(graph.columns, false),
      equation_of_variable_(graph.columns, kNone),
      variable_of_equation_(graph.rows(), kNone),
      occurrences_(graph.columns, 0),
      contained_(graph.columns, 0),
      ahead_(graph.columns, 0),
      behind_(graph.columns, 0) {}

void Tearing::assign(std::uint32_t equation, std::uint32_t variable) {
  equation_of_variable_[variable] = equation;
  variable_of_equation_[equation] = variable;
  assigned_.push_back(variable);
}

/// `contained_` marks the unknowns of the equation.
bool Tearing::closes_cycle(std::uint32_t equation, std::uint32_t variable) {
  ++search_mark_;
  forward_.assign(1, {variable, 0});
  backward_.clear();
  ahead_[variable] = search_mark_;
  // The variables of the equation are the first frame of the search backwards.
  std::uint32_t own = 0;
  auto row = graph_.row(equation);
  auto enter = [&](std::uint32_t v) {
    if (!unknown_[v] || equation_of_variable_[v] == kNone || behind_[v] == search_mark_) return;
    behind_[v] = search_mark_;
    backward_.push_back({v, 0});
  };
  for (std::uint64_t step = 0;; ++step) {
    if (step >= kSearchAlways) {
      if (allowance_ == 0) return true;
      --allowance_;
    }
    // One edge forward: to a variable solved by an equation that contains the reached one.
    Frame& f = forward_.back();
    auto users = columns_.row(f.variable);
    if (f.next == users.size()) {
      forward_.pop_back();
      if (forward_.empty()) return false;
    } else {
      std::uint32_t v = variable_of_equation_[users[f.next++]];
      if (v != kNone && ahead_[v] != search_mark_) {
        if (contained_[v] == row_mark_) return true;
        ahead_[v] = search_mark_;
        forward_.push_back({v, 0});
      }
    }
    // One edge backward: to a variable in the equation that solves the reached one.
    if (backward_.empty()) {
      if (own == row.size()) return false;
      if (row[own] != variable) enter(row[own]);
      ++own;
      continue;
    }
    Frame& b = backward_.back();
    auto inputs = graph_.row(equation_of_variable_[b.variable]);
    if (b.next == inputs.size()) {
      backward_.pop_back();
    } else {
      std::uint32_t v = inputs[b.next++];
      if (v == variable) return true;
      if (v != b.variable) enter(v);
    }
  }
}

void Tearing::solve_for_group(std::span<const std::uint32_t> equations, const Solvable& solvable,
                              TearingOrder order) {
  for (std::uint32_t e : equations) {
    if (variable_of_equation_[e] != kNone) continue;
    choices_.clear();
    ++row_mark_;
    for (std::uint32_t v : graph_.row(e)) {
      if (contained_[v] == row_mark_) continue;
      if (unknown_[v]) contained_[v] = row_mark_;
      if (candidate_[v] && equation_of_variable_[v] == kNone) choices_.push_back(v);
    }
    if (order == TearingOrder::FewestFirst)
      std::ranges::stable_sort(choices_, {}, [&](std::uint32_t v) { return occurrences_[v]; });
    for (std::uint32_t v : choices_)
      if (solvable(e, v) && !closes_cycle(e, v)) {
        assign(e, v);
        break;
      }
  }
}

/// Depth first from each solved variable, in the order in which they were; of the inputs of an equation the
/// last comes first.
void Tearing::sort_into(Torn& result) {
  ++search_mark_;
  auto& entered = ahead_;
  auto& done = behind_;
  std::vector<std::uint32_t> open;
  for (std::uint32_t start : assigned_) {
    open.push_back(start);
    while (!open.empty()) {
      std::uint32_t v = open.back(), e = equation_of_variable_[v];
      if (entered[v] == search_mark_) {
        open.pop_back();
        if (done[v] == search_mark_) continue;  // it was reached twice
        done[v] = search_mark_;
        result.solved_equations.push_back(e);
        result.solved_variables.push_back(v);
        continue;
      }
      entered[v] = search_mark_;
      for (std::uint32_t input : graph_.row(e))
        if (unknown_[input] && equation_of_variable_[input] != kNone && entered[input] != search_mark_)
          open.push_back(input);
    }
  }
}

Torn Tearing::tear(const System& system, const Solvable& solvable, TearingOrder order) {
  for (std::size_t k = 0; k < system.fixed_equations.size(); ++k) {
    unknown_[system.fixed_variables[k]] = true;
    assign(system.fixed_equations[k], system.fixed_variables[k]);
  }
  for (const auto& group : system.variables)
    for (std::uint32_t v : group) unknown_[v] = true;

  std::vector<std::uint32_t> sorted;
  std::span<const std::uint32_t> equations = system.equations;
  allowance_ = std::numeric_limits<std::uint64_t>::max();
  if (order == TearingOrder::FewestFirst) {
    std::uint64_t edges = 0;
    for (std::uint32_t e : equations) edges += graph_.row(e).size();
    allowance_ = std::max<std::uint64_t>(kSearchPerEdge * edges, 1000000);
    std::vector<std::uint32_t> unknowns(equations.size(), 0), index(equations.size());
    for (std::uint32_t k = 0; k < equations.size(); ++k) {
      index[k] = k;
      for (std::uint32_t v : graph_.row(equations[k]))
        if (unknown_[v]) {
          ++unknowns[k];
          ++occurrences_[v];
        }
    }
    std::ranges::stable_sort(index, {}, [&](std::uint32_t k) { return unknowns[k]; });
    for (std::uint32_t k : index) sorted.push_back(equations[k]);
    equations = sorted;
  }
  for (const auto& group : system.variables) {
    for (std::uint32_t v : group) candidate_[v] = true;
    solve_for_group(equations, solvable, order);
    for (std::uint32_t v : group) candidate_[v] = false;
  }

  Torn result;
  sort_into(result);
  for (std::uint32_t e : system.equations)
    if (variable_of_equation_[e] == kNone) result.residual_equations.push_back(e);
  for (const auto& group : system.variables)
    for (std::uint32_t v : group)
      if (equation_of_variable_[v] == kNone) result.torn.push_back(v);

  for (std::uint32_t v : assigned_) {
    variable_of_equation_[equation_of_variable_[v]] = kNone;
    equation_of_variable_[v] = kNone;
    unknown_[v] = false;
    occurrences_[v] = 0;
  }
  assigned_.clear();
  for (const auto& group : system.variables)
    for (std::uint32_t v : group) {
      unknown_[v] = false;
      occurrences_[v] = 0;
    }
  return result;
}

}  // namespace sigrel::graph
