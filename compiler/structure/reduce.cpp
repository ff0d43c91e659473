#include "compiler/structure/reduce.h"

#include "compiler/structure/aliases.h"
#include "compiler/structure/assemble.h"
#include "compiler/structure/blame.h"
#include "compiler/structure/graph/matching.h"
#include "compiler/structure/incidence.h"
#include "compiler/structure/representatives.h"

namespace sigrel::structure {
namespace {

/// Matches equations with the variables that are not states. Whether everything is matched.
bool match(dae::System& dae) {
  std::vector<std::uint32_t> column_of(dae.variables.size(), graph::kNone), variable_of;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (dae.variables[v].derivative == dae::kNone) {
      column_of[v] = static_cast<std::uint32_t>(variable_of.size());
      variable_of.push_back(v);
    }
  EquationList list;
  list.append(dae.equations);
  auto columns = static_cast<std::uint32_t>(variable_of.size());
  graph::Matching m = graph::maximum_matching(determining_incidence(dae.exprs, list, columns, column_of));
  dae.assign.assign(dae.variables.size(), dae::kNone);
  for (std::uint32_t c = 0; c < columns; ++c) dae.assign[variable_of[c]] = m.row_of_column[c];
  return m.size() == list.count() && m.size() == columns;
}

}  // namespace

dae::System reduce(const system::System& system, Diagnostics& diagnostics) {
  Shapes shapes(system.exprs);
  for (const EquationTable& table : system.equations.tables) shapes.add(table);
  for (const EquationTable& table : system.initial.tables) shapes.add(table);
  for (const EquationTable& table : system.assertions.tables) shapes.add(table);

  Aliases aliases(system, shapes);
  aliases.eliminate();
  Representatives representatives = choose_representatives(system, aliases);
  Assembled assembled = assemble(system, shapes, aliases, representatives);
  if (!assembled.strange.empty()) {
    report_strange_derivatives(system, assembled.strange, diagnostics);
    return std::move(assembled.dae);
  }
  bool complete = match(assembled.dae);
  std::vector<std::uint32_t> redundant = aliases.redundant();
  if (!complete || !redundant.empty()) report_singular(system, assembled.dae, redundant, diagnostics);
  return std::move(assembled.dae);
}

}  // namespace sigrel::structure
