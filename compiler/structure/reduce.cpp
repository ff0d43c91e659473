#include "compiler/structure/reduce.h"

#include "compiler/structure/blame.h"
#include "compiler/structure/differentiate.h"
#include "compiler/structure/elimination.h"
#include "compiler/structure/events.h"
#include "compiler/structure/graph/matching.h"
#include "compiler/structure/graph/pantelides.h"
#include "compiler/structure/incidence.h"
#include "compiler/structure/relations.h"
#include "compiler/structure/states.h"
#include "compiler/structure/steady_start.h"

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
  graph::Matching m = graph::maximum_matching(
      determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(column_of.size()), column_of));
  dae.assign = std::move(m.row_of_column);
  return m.size() == list.count() && list.count() == unknowns;
}

/// The states depend on each other, or there are too many or too few equations.
void reduce_index(const system::System& system, const Redundant& redundant, const Levels& levels,
                  dae::System& dae, Diagnostics& diagnostics) {
  EquationList list;
  list.append(dae.equations);
  graph::Bipartite graph =
      determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(dae.variables.size()));
  std::vector<std::uint32_t> derivative;
  for (const dae::Variable& v : dae.variables) derivative.push_back(v.derivative);
  if (!redundant.equations.empty() ||
      graph::check_consistency(graph, derivative).verdict != graph::Consistency::Consistent)
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

}  // namespace

dae::System reduce(const system::System& system, Diagnostics& diagnostics) {
  Elimination eliminated = eliminate(system);
  dae::System& dae = eliminated.assembled.dae;
  if (!eliminated.assembled.strange.empty()) {
    report_strange_derivatives(system, eliminated.assembled.strange, diagnostics);
    return std::move(dae);
  }
  if (!eliminated.assembled.of_delays.empty()) {
    report_derivatives_of_delays(system, dae, eliminated.assembled.of_delays, diagnostics);
    return std::move(dae);
  }
  if (eliminated.taken) report_arbitrary(system, eliminated.levels, diagnostics);
  hold_relations(system, dae);
  for (dae::Variable& v : dae.variables) v.state = v.derivative != dae::kNone;
  bool independent = match(dae);
  if (!independent || !eliminated.redundant.equations.empty())
    reduce_index(system, eliminated.redundant, eliminated.levels, dae, diagnostics);
  if (!diagnostics.has_errors()) check_delays(system, dae, diagnostics);
  if (!diagnostics.has_errors()) add_steady_start(system, dae);
  if (!diagnostics.has_errors()) take_assignments(system, dae, diagnostics);
  return std::move(dae);
}

}  // namespace sigrel::structure
