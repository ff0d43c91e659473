#include "compiler/singularity/under_determined.h"

#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "compiler/incidence/incidence.h"

namespace sigrel::singularity {
namespace {

/// By variable: the one that it is a derivative of, or itself.
std::vector<std::uint32_t> bases(const dae::System& dae) {
  std::vector<std::uint32_t> base(dae.variables.size());
  for (std::uint32_t v = 0; v < base.size(); ++v) {
    const std::uint32_t integral = dae.variables[v].integral;
    base[v] = integral == dae::kNone ? v : base[integral];
  }
  return base;
}

}  // namespace

UnderDeterminedPart under_determined_part(const dae::System& dae) {
  incidence::EquationList list;
  list.append(dae.equations);
  const std::vector<std::uint32_t> base = bases(dae);
  std::vector<VariableId> variables;  // by column
  std::vector<std::uint32_t> column(base.size());
  for (std::uint32_t v = 0; v < base.size(); ++v) {
    if (base[v] == v) variables.push_back(VariableId{v});
    column[v] = base[v] == v ? static_cast<std::uint32_t>(variables.size()) - 1 : column[base[v]];
  }
  ExprPool pool = dae.exprs;
  const graph::Bipartite graph =
      incidence::determining_incidence(pool, list, static_cast<std::uint32_t>(variables.size()), column);
  const graph::Matching matching = graph::maximum_matching(graph);
  UnderDeterminedPart result;
  result.missing = variables.size() - matching.size();
  if (result.missing == 0) return result;
  const graph::Parts parts = graph::dulmage_mendelsohn(graph, matching);
  for (std::uint32_t r = 0; r < parts.rows.size(); ++r)
    if (parts.rows[r] == graph::Part::Under) result.equations.push_back(EquationId{r});
  for (std::uint32_t c = 0; c < parts.columns.size(); ++c)
    if (parts.columns[c] == graph::Part::Under) result.variables.push_back(variables[c]);
  return result;
}

std::vector<bool> undetermined_unknowns(const dae::System& dae, const UnderDeterminedPart& part) {
  const std::vector<std::uint32_t> base = bases(dae);
  std::vector<bool> in_part(base.size(), false), result(dae.aliases.size(), false);
  for (const VariableId v : part.variables) in_part[v.value] = true;
  for (std::size_t u = 0; u < result.size(); ++u)
    result[u] = dae.aliases[u].kind != dae::Alias::Zero && in_part[base[dae.aliases[u].variable]];
  return result;
}

}  // namespace sigrel::singularity
