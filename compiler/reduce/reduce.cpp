#include "compiler/reduce/reduce.h"

#include "compiler/graph/matching.h"
#include "compiler/graph/pantelides.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/differentiate.h"
#include "compiler/reduce/elimination.h"
#include "compiler/reduce/events.h"
#include "compiler/reduce/states.h"
#include "compiler/reduce/steady_start.h"
#include "compiler/reduce/zero_crossings.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::reduce {
namespace {

/// Matches equations with the variables that are not states. Whether everything is matched.
bool match(dae::System& dae) {
  std::vector<std::uint32_t> column_of(dae.variables.size());
  std::uint32_t unknowns = 0;
  for (std::uint32_t v = 0; v < column_of.size(); ++v) {
    column_of[v] = dae.variables[v].state ? graph::kNone : v;
    unknowns += !dae.variables[v].state;
  }
  incidence::EquationList list;
  list.append(dae.equations);
  graph::Matching m = graph::maximum_matching(incidence::determining_incidence(
      dae.exprs, list, static_cast<std::uint32_t>(column_of.size()), column_of));
  dae.assign = std::move(m.row_of_column);
  return m.size() == list.count() && list.count() == unknowns;
}

/// The states depend on each other, or there are too many or too few equations.
void reduce_index(const system::System& system, const singularity::Redundant& redundant,
                  const singularity::FloatingPotentials& floating, dae::System& dae,
                  Diagnostics& diagnostics) {
  incidence::EquationList list;
  list.append(dae.equations);
  graph::Bipartite graph =
      incidence::determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(dae.variables.size()));
  std::vector<std::uint32_t> derivative;
  for (const dae::Variable& v : dae.variables) derivative.push_back(v.derivative);
  if (!redundant.equations.empty() ||
      graph::check_consistency(graph, derivative).verdict != graph::Consistency::Consistent)
    return singularity::report_singular(system, dae, redundant.equations, floating, diagnostics);

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
    singularity::report_unsupported_derivatives(system, eliminated.assembled.strange, diagnostics);
    return std::move(dae);
  }
  if (!eliminated.assembled.of_delays.empty()) {
    report_derivatives_of_delays(system, dae, eliminated.assembled.of_delays, diagnostics);
    return std::move(dae);
  }
  if (eliminated.taken) singularity::report_floating_potentials(system, eliminated.floating, diagnostics);
  hold_zero_crossings(system, dae);
  for (dae::Variable& v : dae.variables) v.state = v.derivative != dae::kNone;
  bool independent = match(dae);
  if (!independent || !eliminated.redundant.equations.empty())
    reduce_index(system, eliminated.redundant, eliminated.floating, dae, diagnostics);
  if (!diagnostics.has_errors()) check_delays(system, dae, diagnostics);
  if (!diagnostics.has_errors()) add_steady_start(system, dae);
  if (!diagnostics.has_errors()) take_assignments(system, dae, diagnostics);
  return std::move(dae);
}

}  // namespace sigrel::reduce
