#include "compiler/reduce/index.h"

#include <optional>

#include "compiler/graph/matching.h"
#include "compiler/graph/pantelides.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/differentiate.h"
#include "compiler/reduce/linear_combinations.h"
#include "compiler/reduce/states.h"
#include "compiler/reduce/system_jacobian.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::reduce {
namespace {

/// Each round lowers the number of degrees of freedom that the incidence shows, usually the first to the true
/// one. After so many rounds the rest is left to the start of a run, which finds the dependent equations.
constexpr int kMostRounds = 200;

/// The equations over the variables that are not states, and a maximum matching of these.
struct Matched {
  graph::Bipartite graph;
  graph::Matching matching;
  std::vector<std::uint32_t> core;
  bool complete;
};

Matched match(dae::System& dae, const incidence::EquationList& equations) {
  std::vector<std::uint32_t> column_of(dae.variables.size());
  std::uint32_t unknowns = 0;
  for (std::uint32_t v = 0; v < column_of.size(); ++v) {
    column_of[v] = dae.variables[v].state ? graph::kNone : v;
    unknowns += !dae.variables[v].state;
  }
  Matched result;
  result.graph = incidence::determining_incidence(dae.exprs, equations,
                                                  static_cast<std::uint32_t>(column_of.size()), column_of);
  result.matching = graph::maximum_matching(result.graph, &result.core);
  result.complete = result.matching.size() == equations.count() && equations.count() == unknowns;
  dae.assign = result.matching.row_of_column;
  return result;
}

/// Replaces equations by combinations until their incidence tells which of them must be differentiated.
/// Nothing after an error.
std::optional<graph::Differentiated> equations_to_differentiate(const system::System& system,
                                                                const Elimination& eliminated,
                                                                dae::System& dae, Diagnostics& diagnostics) {
  for (int round = 0;; ++round) {
    // A consistent system is one whose equations can be matched at all, derivatives counting as their
    // variables: on others Pantelides' algorithm would not end.
    const incidence::EquationList list(dae.equations);
    graph::Bipartite graph =
        incidence::determining_incidence(dae.exprs, list, static_cast<std::uint32_t>(dae.variables.size()));
    std::vector<std::uint32_t> derivative;
    for (const dae::Variable& v : dae.variables) derivative.push_back(v.derivative);
    if (!eliminated.redundant.equations.empty() ||
        graph::check_consistency(graph, derivative).verdict != graph::Consistency::Consistent) {
      singularity::report_singular(system, dae, eliminated.redundant.equations, eliminated.floating,
                                   diagnostics);
      return std::nullopt;
    }
    graph::Differentiated result = graph::pantelides(std::move(graph), std::move(derivative));
    if (result.endless) broken(system, dae, "the differentiation of a consistent system does not end");
    if (round == kMostRounds) return result;
    const Offsets offsets = offsets_of(dae, list, result);
    const Combined combined =
        combine(system, dae, list, offsets, dependent_equations(system, dae, list, offsets, result));
    if (!combined.dependent.empty()) {
      singularity::report_dependent(system, dae, equations_of(system, combined.dependent), diagnostics);
      return std::nullopt;
    }
    if (!combined.changed) return result;
  }
}

}  // namespace

bool match_equations(dae::System& dae) { return match(dae, incidence::EquationList(dae.equations)).complete; }

bool match_with_all_states(const system::System& system, dae::System& dae) {
  for (dae::Variable& v : dae.variables) v.state = v.derivative != dae::kNone;
  const incidence::EquationList list(dae.equations);
  const Matched m = match(dae, list);
  return m.complete && dependent_equations(system, dae, list, offsets_without_differentiation(dae), m.graph,
                                           m.matching, m.core)
                           .found.empty();
}

void reduce_index(const system::System& system, const Elimination& eliminated, dae::System& dae,
                  Diagnostics& diagnostics) {
  // The incidence decides what is differentiated; only then are the expressions differentiated.
  const auto result = equations_to_differentiate(system, eliminated, dae, diagnostics);
  if (!result) return;
  const Numbering numbering = differentiate(system, *result, dae, diagnostics);
  if (diagnostics.has_errors()) return;

  // The states are chosen by the coefficients of the differentiated equations.
  for (dae::Variable& v : dae.variables) v.state = false;
  select_states(system, *result, numbering, dae, diagnostics);
  if (diagnostics.has_errors()) return;
  if (!match_equations(dae))
    broken(system, dae, "the equations do not determine the variables that are not states");
}

}  // namespace sigrel::reduce
