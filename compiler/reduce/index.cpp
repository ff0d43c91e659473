#include "compiler/reduce/index.h"

#include "compiler/graph/matching.h"
#include "compiler/graph/pantelides.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/differentiate.h"
#include "compiler/reduce/states.h"
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
  const incidence::EquationList list(dae.equations);
  graph::Matching m = graph::maximum_matching(incidence::determining_incidence(
      dae.exprs, list, static_cast<std::uint32_t>(column_of.size()), column_of));
  dae.assign = std::move(m.row_of_column);
  return m.size() == list.count() && list.count() == unknowns;
}

}  // namespace

bool match_with_all_states(dae::System& dae) {
  for (dae::Variable& v : dae.variables) v.state = v.derivative != dae::kNone;
  return match(dae);
}

void reduce_index(const system::System& system, const Elimination& eliminated, dae::System& dae,
                  Diagnostics& diagnostics) {
  // A consistent system is one whose equations can be matched at all, derivatives counting as their
  // variables: on others Pantelides' algorithm would not end.
  const incidence::EquationList list(dae.equations);
  graph::Bipartite graph =
      incidence::determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(dae.variables.size()));
  std::vector<std::uint32_t> derivative;
  for (const dae::Variable& v : dae.variables) derivative.push_back(v.derivative);
  if (!eliminated.redundant.equations.empty() ||
      graph::check_consistency(graph, derivative).verdict != graph::Consistency::Consistent)
    return singularity::report_singular(system, dae, eliminated.redundant.equations, eliminated.floating,
                                        diagnostics);

  // The incidence decides what is differentiated; only then are the expressions differentiated.
  graph::Differentiated result = graph::pantelides(std::move(graph), std::move(derivative));
  if (result.endless) broken(system, dae, "the differentiation of a consistent system does not end");
  const Numbering numbering = differentiate(system, result, dae, diagnostics);
  if (diagnostics.has_errors()) return;

  // The states are chosen by the coefficients of the differentiated equations.
  for (dae::Variable& v : dae.variables) v.state = false;
  select_states(system, result, numbering, dae, diagnostics);
  if (diagnostics.has_errors()) return;
  if (!match(dae)) broken(system, dae, "the equations do not determine the variables that are not states");
}

}  // namespace sigrel::reduce
