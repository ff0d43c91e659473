#include "compiler/structure/reduce.h"

#include <algorithm>

#include "compiler/structure/aliases.h"
#include "compiler/structure/assemble.h"
#include "compiler/structure/blame.h"
#include "compiler/structure/differentiate.h"
#include "compiler/structure/graph/matching.h"
#include "compiler/structure/graph/pantelides.h"
#include "compiler/structure/hidden_constraints.h"
#include "compiler/structure/incidence.h"
#include "compiler/structure/levels.h"
#include "compiler/structure/representatives.h"
#include "compiler/structure/states.h"

namespace sigrel::structure {
namespace {

/// Matches equations with the variables that are not states. Whether everything is matched.
bool match(dae::System& dae) {
  std::vector<std::uint32_t> column_of(dae.variables.size());
  std::uint32_t unknowns = 0;
  for (std::uint32_t v = 0; v < column_of.size(); ++v) {
    column_of[v] = dae.variables[v].state ? graph::kNone : v;
    unknowns += !dae.variables[v].state;
  }
  EquationList list;
  list.append(dae.equations);
  graph::Matching m = graph::maximum_matching(determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(column_of.size()), column_of));
  dae.assign = std::move(m.row_of_column);
  return m.size() == list.count() && list.count() == unknowns;
}

/// The states depend on each other, or there are too many or too few equations.
void reduce_index(const system::System& system, const Redundant& redundant, const Levels& levels, dae::System& dae, Diagnostics& diagnostics) {
  EquationList list;
  list.append(dae.equations);
  graph::Bipartite graph = determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(dae.variables.size()));
  std::vector<std::uint32_t> derivative;
  for (const dae::Variable& v : dae.variables) derivative.push_back(v.derivative);
  if (!redundant.equations.empty() || graph::check_consistency(graph, derivative).verdict != graph::Consistency::Consistent)
    return report_singular(system, dae, redundant.equations, levels, diagnostics);

  graph::Differentiated result = graph::pantelides(std::move(graph), std::move(derivative));
  if (result.endless) broken(system, dae, "a consistent system is differentiated for ever");
  Numbering numbering = differentiate(system, result, dae, diagnostics);
  if (diagnostics.has_errors()) return;
  for (dae::Variable& v : dae.variables) v.state = false;
  select_states(system, result, numbering, dae, diagnostics);
  if (diagnostics.has_errors()) return;
  if (!match(dae)) broken(system, dae, "the equations do not determine what follows from the states");
}

/// The equations of the system that have these origins.
std::vector<std::uint32_t> equations_of(const system::System& system, const std::vector<Origin>& origins) {
  std::vector<std::uint32_t> result;
  if (origins.empty()) return result;
  EquationList list;
  list.append(system.equations);
  for (std::uint32_t e = 0; e < list.count(); ++e) {
    Origin at = list.origin(e);
    if (std::ranges::any_of(origins, [&](Origin o) { return o.instance == at.instance && o.source == at.source; })) result.push_back(e);
  }
  return result;
}

/// Without aliases, zeros and redundant equations.
struct Eliminated {
  Assembled assembled;
  Redundant redundant;
};

Eliminated eliminate(const system::System& system, Shapes& shapes, const Levels& levels) {
  Aliases aliases(system, shapes);
  for (const Level& level : levels.levels) aliases.take_as_zero(level.zero);
  aliases.eliminate();
  Eliminated result{assemble(system, shapes, aliases, choose_representatives(system, aliases)), {}};
  if (!result.assembled.strange.empty()) return result;
  std::vector<std::uint32_t>& redundant = result.redundant.equations;
  redundant = equations_of(system, expose_constraints(result.assembled.dae));
  result.redundant.constant = aliases.of_fate(Fate::Constant);
  for (const auto& more : {aliases.of_fate(Fate::Redundant), result.redundant.constant}) redundant.insert(redundant.end(), more.begin(), more.end());
  std::ranges::sort(redundant);
  return result;
}

}  // namespace

dae::System reduce(const system::System& system, Diagnostics& diagnostics) {
  Shapes shapes(system.exprs);
  for (const EquationTable& table : system.equations.tables) shapes.add(table);
  for (const EquationTable& table : system.initial.tables) shapes.add(table);
  for (const EquationTable& table : system.assertions.tables) shapes.add(table);

  Eliminated eliminated = eliminate(system, shapes, {});
  if (!eliminated.assembled.strange.empty()) {
    report_strange_derivatives(system, eliminated.assembled.strange, diagnostics);
    return std::move(eliminated.assembled.dae);
  }
  Levels levels;
  if (!eliminated.redundant.equations.empty()) levels = find_levels(system, eliminated.assembled.dae, eliminated.redundant);
  if (levels.harmless) {
    Eliminated with_reference = eliminate(system, shapes, levels);
    const Redundant& redundant = with_reference.redundant;
    if (redundant.equations.size() == levels.levels.size() && redundant.constant.empty()) {
      report_arbitrary(system, levels, diagnostics);
      eliminated = std::move(with_reference);
      eliminated.redundant = {};
      levels = {};
    }
  }
  dae::System& dae = eliminated.assembled.dae;
  for (dae::Variable& v : dae.variables) v.state = v.derivative != dae::kNone;
  bool independent = match(dae);
  if (!independent || !eliminated.redundant.equations.empty()) reduce_index(system, eliminated.redundant, levels, dae, diagnostics);
  return std::move(dae);
}

}  // namespace sigrel::structure
