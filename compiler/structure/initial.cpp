#include "compiler/structure/initial.h"

#include "compiler/structure/graph/dulmage_mendelsohn.h"
#include "compiler/structure/graph/matching.h"

namespace sigrel::structure {

InitialMatching match_initial(ExprPool& pool, const dae::System& dae, const EquationList& hard,
                              const std::vector<std::uint32_t>& preference) {
  auto variables = static_cast<std::uint32_t>(dae.variables.size());
  graph::Bipartite g = determining_incidence(pool, hard, variables);
  graph::Matching m = graph::Matching::empty(hard.count(), variables);
  // What gives one variable, gives that one: where there are too many equations it is not `x = 1`, `y = 0` that is checked but
  // `x^2 + y^2 = 1`, which might be hard to solve there.
  for (auto e = static_cast<std::uint32_t>(dae.equations.count()); e < hard.count(); ++e)
    if (auto columns = g.row(e); columns.size() == 1 && m.row_of_column[columns[0]] == graph::kNone) m.match(e, columns[0]);
  // The matching of the dynamic system leaves exactly the states free: a start that little needs to be added to.
  for (std::uint32_t v = 0; v < variables; ++v)
    if (dae.assign[v] != dae::kNone && m.row_of_column[v] == graph::kNone) m.match(dae.assign[v], v);
  graph::augment(g, m);

  InitialMatching result;
  for (std::uint32_t e = 0; e < hard.count(); ++e)
    if (m.column_of_row[e] == graph::kNone) result.unmatched.push_back(e);
  if (m.size() < variables) {
    graph::Parts parts = graph::dulmage_mendelsohn(g, m);
    for (std::uint32_t v = 0; v < variables; ++v)
      if (parts.columns[v] == graph::Part::Under) result.undetermined.push_back(v);
  }
  graph::ColumnRelease columns(g, m);
  for (std::uint32_t state : preference)
    if (columns.release(state)) {
      m.row_of_column[state] = hard.count() + static_cast<std::uint32_t>(result.guessed.size());
      result.guessed.push_back(state);
    }
  result.row_of_variable = std::move(m.row_of_column);
  result.column_of_row = std::move(m.column_of_row);
  return result;
}

}  // namespace sigrel::structure
