#include "compiler/graph/dummy_derivatives.h"

#include <algorithm>

#include "compiler/graph/augmenting_path.h"

namespace sigrel::graph {
namespace {

class Selection {
 public:
  Selection(const Differentiated& system, std::span<const long> priority, const RankDecision& decide)
      : system_(system),
        decide_(decide),
        equation_below_(inverse(system.equation_derivative)),
        variable_below_(inverse(system.variable_derivative)),
        priority_(system.variables(), 0),
        place_(system.variables(), kNone) {
    // A derivative may stand before its variable: chains are followed from their start.
    for (std::uint32_t start = 0; start < system.variables(); ++start) {
      if (variable_below_[start] != kNone) continue;
      long sum = 0;
      for (std::uint32_t v = start; v != kNone; v = system.variable_derivative[v]) {
        if (v < priority.size()) sum += priority[v];
        priority_[v] = sum;
      }
    }
  }

  DummyDerivatives run() {
    std::vector<bool> highest = system_.highest(), dummy(system_.variables(), false),
                      open(system_.variables(), false);
    // Equations that were differentiated later may still have partners; these are not highest derivatives.
    std::vector<std::uint32_t> row_of_column(system_.variables(), kNone);
    for (std::uint32_t v = 0; v < system_.variables(); ++v)
      if (highest[v]) row_of_column[v] = system_.matching.row_of_column[v];
    result_.blocks = blt(system_.graph, row_of_column);

    for (std::uint32_t b = 0; b < result_.blocks.count(); ++b) {
      std::vector<std::uint32_t> equations, variables;
      for (std::uint32_t e : result_.blocks.block(b)) {
        equations.push_back(e);
        variables.push_back(system_.matching.column_of_row[e]);
      }
      while (true) {
        std::erase_if(equations, [&](std::uint32_t e) { return equation_below_[e] == kNone; });
        if (equations.empty()) break;
        std::erase_if(variables, [&](std::uint32_t v) { return variable_below_[v] == kNone; });
        std::ranges::sort(equations);
        // The least preferred as states first: a dummy removes the state one derivative below.
        std::ranges::sort(variables, [&](std::uint32_t a, std::uint32_t c) {
          long pa = priority_[variable_below_[a]], pc = priority_[variable_below_[c]];
          return pa != pc ? pa < pc : a > c;
        });
        DummyDerivatives::Choice choice{b, equations, variables, {}, {}};
        std::optional<Decision> decision;
        if (decide_) decision = decide_(equations, variables);
        if (decision) {
          choice.dummies = std::move(decision->dummies);
          choice.open = std::move(decision->open);
        } else {
          choice.dummies = by_structure(equations, variables);
        }
        for (std::uint32_t v : choice.dummies) dummy[v] = true;
        for (std::uint32_t v : choice.open) open[v] = true;
        variables = choice.dummies;
        variables.insert(variables.end(), choice.open.begin(), choice.open.end());
        for (std::uint32_t& e : equations) e = equation_below_[e];
        for (std::uint32_t& v : variables) v = variable_below_[v];
        result_.choices.push_back(std::move(choice));
      }
    }
    for (std::uint32_t v = 0; v < system_.variables(); ++v) {
      if (dummy[v]) result_.dummies.push_back(v);
      std::uint32_t d = system_.variable_derivative[v];
      if (d != kNone && !dummy[d] && !open[d] && !system_.known[v]) result_.states.push_back(v);
    }
    return std::move(result_);
  }

 private:
  /// Sets of variables that can be matched with equations are the independent sets of a matroid: to take each
  /// variable that still fits, in order, is optimal.
  std::vector<std::uint32_t> by_structure(std::span<const std::uint32_t> equations,
                                          std::span<const std::uint32_t> variables) {
    for (std::uint32_t k = 0; k < variables.size(); ++k) place_[variables[k]] = k;
    Bipartite graph;
    graph.columns = static_cast<std::uint32_t>(variables.size());
    for (std::uint32_t e : equations) {
      for (std::uint32_t v : system_.graph.row(e))
        if (place_[v] != kNone) graph.targets.push_back(place_[v]);
      graph.end_row();
    }
    for (std::uint32_t v : variables) place_[v] = kNone;

    const Bipartite rows_of_variables = transpose(graph);
    Matching matching = Matching::empty(rows_of_variables.rows(), rows_of_variables.columns);
    // Columns that a failed search entered lead to no free column later either: they are left out from then
    // on.
    std::vector<bool> active(rows_of_variables.columns, true);
    AugmentingPath path;
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t k = 0; k < variables.size() && chosen.size() < equations.size(); ++k) {
      if (path.find(k, rows_of_variables, matching, active))
        chosen.push_back(variables[k]);
      else
        for (std::uint32_t column : path.columns()) active[column] = false;
    }
    return chosen;
  }

  const Differentiated& system_;
  const RankDecision& decide_;
  std::vector<std::uint32_t> equation_below_, variable_below_;
  std::vector<long> priority_;
  std::vector<std::uint32_t> place_;
  DummyDerivatives result_;
};

}  // namespace

DummyDerivatives dummy_derivatives(const Differentiated& system, std::span<const long> priority,
                                   const RankDecision& decide) {
  return Selection(system, priority, decide).run();
}

}  // namespace sigrel::graph
