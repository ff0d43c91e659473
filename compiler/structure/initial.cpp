#include "compiler/structure/initial.h"

#include "compiler/structure/graph/matching.h"

namespace sigrel::structure {

InitialMatching match_initial(ExprPool& pool, const dae::System& dae, const EquationList& hard,
                              const std::vector<std::uint32_t>& preference) {
  auto variables = static_cast<std::uint32_t>(dae.variables.size());
  graph::Bipartite g = determining_incidence(pool, hard, variables);
  // The matching of the dynamic system leaves exactly the states free: a start that little needs to be added to.
  graph::Matching m = graph::Matching::empty(hard.count(), variables);
  for (std::uint32_t v = 0; v < variables; ++v)
    if (dae.assign[v] != dae::kNone) m.match(dae.assign[v], v);
  graph::augment(g, m);

  InitialMatching result;
  for (std::uint32_t e = 0; e < hard.count(); ++e)
    if (m.column_of_row[e] == graph::kNone) result.unmatched.push_back(e);
  if (result.unmatched.empty()) {
    graph::ColumnRelease columns(g, m);
    for (std::uint32_t state : preference)
      if (columns.release(state)) {
        m.row_of_column[state] = hard.count() + static_cast<std::uint32_t>(result.guessed.size());
        result.guessed.push_back(state);
      }
  }
  result.row_of_variable = std::move(m.row_of_column);
  result.column_of_row = std::move(m.column_of_row);
  return result;
}

}  // namespace sigrel::structure
