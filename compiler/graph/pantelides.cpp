#include "compiler/graph/pantelides.h"

#include <algorithm>

#include "compiler/graph/augmenting_path.h"

namespace sigrel::graph {
namespace {

/// The graph without the columns that `keep` excludes; columns keep their numbers.
Bipartite restrict(const Bipartite& graph, const std::vector<bool>& keep) {
  Bipartite result;
  result.columns = graph.columns;
  result.offsets.reserve(graph.offsets.size());
  result.targets.reserve(graph.targets.size());
  for (std::uint32_t r = 0; r < graph.rows(); ++r) {
    for (std::uint32_t c : graph.row(r))
      if (keep[c]) result.targets.push_back(c);
    result.end_row();
  }
  return result;
}

class Differentiation {
 public:
  Differentiation(Bipartite graph, std::vector<std::uint32_t> derivative, std::vector<bool> known) {
    system_.graph = std::move(graph);
    system_.variable_derivative = std::move(derivative);
    system_.known = std::move(known);
    system_.known.resize(system_.graph.columns, false);
    system_.equation_derivative.assign(system_.graph.rows(), kNone);
    active_ = system_.highest();
    in_row_.assign(system_.graph.columns, kNone);
  }

  Differentiated run(SearchOrder order) {
    Matching& matching = system_.matching;
    if (order == SearchOrder::Fast)
      matching = maximum_matching(restrict(system_.graph, active_));
    else
      matching = Matching::empty(system_.graph.rows(), system_.graph.columns);
    // No chain of derivatives of a consistent system is longer than its matched path through all equations
    // and pairs.
    const std::uint32_t originals = system_.graph.rows();
    std::uint64_t limit = originals + 1ull;
    for (std::uint32_t d : system_.variable_derivative) limit += d != kNone;
    AugmentingPath path;
    for (std::uint32_t k = 0; k < originals; ++k) {
      std::uint32_t equation = k;
      if (matching.column_of_row[k] != kNone) continue;
      for (std::uint64_t round = 0; !path.find(equation, system_.graph, matching, active_); ++round) {
        if (round == limit) {
          system_.endless = k;
          return std::move(system_);
        }
        differentiate(path.rows(), path.columns());
        equation = system_.equation_derivative[equation];
      }
    }
    return std::move(system_);
  }

 private:
  void differentiate(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
    std::vector<std::uint32_t> variables(columns.begin(), columns.end()), equations(rows.begin(), rows.end());
    std::ranges::sort(variables);
    std::ranges::sort(equations);
    for (std::uint32_t v : variables) new_derivative(v);
    for (std::uint32_t e : equations) differentiate(e);
    for (std::uint32_t v : variables)
      system_.matching.match(system_.equation_derivative[system_.matching.row_of_column[v]],
                             system_.variable_derivative[v]);
  }

  std::uint32_t new_derivative(std::uint32_t v) {
    std::uint32_t d = system_.graph.columns++;
    system_.variable_derivative[v] = d;
    system_.variable_derivative.push_back(kNone);
    system_.known.push_back(system_.known[v]);
    system_.matching.row_of_column.push_back(kNone);
    active_[v] = false;
    active_.push_back(!system_.known[v]);
    in_row_.push_back(kNone);
    return d;
  }

  void differentiate(std::uint32_t e) {
    Bipartite& graph = system_.graph;
    const std::uint32_t row = graph.rows(), begin = graph.offsets[e], end = graph.offsets[e + 1];
    auto add = [&](std::uint32_t v) {
      if (in_row_[v] == row) return;
      in_row_[v] = row;
      graph.targets.push_back(v);
    };
    for (std::uint32_t k = begin; k < end; ++k) add(graph.targets[k]);
    for (std::uint32_t k = begin; k < end; ++k) {
      std::uint32_t v = graph.targets[k];
      std::uint32_t d = system_.variable_derivative[v];
      add(d == kNone ? new_derivative(v) : d);
    }
    graph.end_row();
    system_.equation_derivative[e] = row;
    system_.equation_derivative.push_back(kNone);
    system_.matching.column_of_row.push_back(kNone);
  }

  Differentiated system_;
  std::vector<bool> active_;           // unknowns without a derivative
  std::vector<std::uint32_t> in_row_;  // per variable: the last new row that contains it
};

}  // namespace

std::vector<std::uint32_t> inverse(std::span<const std::uint32_t> association) {
  std::vector<std::uint32_t> result(association.size(), kNone);
  for (std::uint32_t k = 0; k < association.size(); ++k)
    if (association[k] != kNone) result[association[k]] = k;
  return result;
}

Bipartite extended_system(const Bipartite& graph, std::span<const std::uint32_t> derivative) {
  Bipartite result = graph;
  for (std::uint32_t v = 0; v < derivative.size(); ++v)
    if (derivative[v] != kNone) {
      result.targets.insert(result.targets.end(), {v, derivative[v]});
      result.end_row();
    }
  return result;
}

ConsistencyReport check_consistency(const Bipartite& graph, std::span<const std::uint32_t> derivative,
                                    const std::vector<bool>& known) {
  Bipartite extended = extended_system(graph, derivative);
  std::vector<bool> unknown(graph.columns, true);
  if (!known.empty()) {
    for (std::uint32_t v = 0; v < graph.columns; ++v) unknown[v] = !known[v];
    extended = restrict(extended, unknown);
  }
  // The pairs are matched first: pairs alone can always be matched, and matched rows stay matched. So the
  // rows that remain unmatched are equations of the system.
  Matching matching = Matching::empty(extended.rows(), extended.columns);
  for (std::uint32_t v = 0, row = graph.rows(); v < derivative.size(); ++v)
    if (derivative[v] != kNone) {
      if (unknown[derivative[v]]) matching.match(row, derivative[v]);
      ++row;
    }
  augment(extended, matching);

  ConsistencyReport report;
  for (std::uint32_t e = 0; e < graph.rows(); ++e)
    if (matching.column_of_row[e] == kNone) report.equations.push_back(e);
  for (std::uint32_t v = 0; v < graph.columns; ++v)
    if (unknown[v] && matching.row_of_column[v] == kNone) report.variables.push_back(v);
  auto explained = [](const std::vector<std::uint32_t>& lines) {
    return std::span(lines).first(std::min(lines.size(), ConsistencyReport::kExplained));
  };
  for (std::uint32_t e : explained(report.equations)) {
    HallSet set = too_many_rows(extended, matching, e);
    std::erase_if(set.rows, [&](std::uint32_t r) { return r >= graph.rows(); });
    report.competing_equations.push_back(std::move(set));
  }
  if (!report.variables.empty()) {
    Bipartite columns = transpose(extended);
    for (std::uint32_t v : explained(report.variables)) {
      HallSet set = too_many_columns(columns, matching, v);
      std::erase_if(set.rows, [&](std::uint32_t r) { return r >= graph.rows(); });
      report.competing_variables.push_back(std::move(set));
    }
  }
  bool over = !report.equations.empty(), under = !report.variables.empty();
  report.verdict = over && under ? Consistency::Singular
                   : over        ? Consistency::TooManyEquations
                   : under       ? Consistency::TooManyVariables
                                 : Consistency::Consistent;
  return report;
}

std::vector<bool> Differentiated::highest() const {
  std::vector<bool> result(variable_derivative.size());
  for (std::uint32_t v = 0; v < result.size(); ++v) result[v] = variable_derivative[v] == kNone && !known[v];
  return result;
}

Differentiated pantelides(Bipartite graph, std::vector<std::uint32_t> derivative, std::vector<bool> known,
                          SearchOrder order) {
  return Differentiation(std::move(graph), std::move(derivative), std::move(known)).run(order);
}

}  // namespace sigrel::graph
