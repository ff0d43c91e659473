#include "compiler/reduce/steady_start.h"

#include <algorithm>
#include <vector>

namespace sigrel::reduce {
namespace {

/// By instance: the first of `system.steady` that it is a part of, or kNone.
std::vector<std::uint32_t> steady_of(const system::System& system) {
  std::vector<std::uint32_t> of(system.instances.size(), dae::kNone);
  for (std::uint32_t k = 0; k < system.steady.size(); ++k)
    of[system.steady[k].instance] = std::min(of[system.steady[k].instance], k);
  for (std::uint32_t i = 1; i < of.size(); ++i)  // parents come before their parts
    of[i] = std::min(of[i], of[system.instances[i].parent]);
  return of;
}

/// Calls visit(variable, origin) for variables that the source differentiates, and for their derivatives.
template <class Visit>
void each_differentiated(const system::System& system, const dae::System& dae, Visit visit) {
  for (const EquationTable& table : system.equations.tables) {
    std::vector<std::uint32_t> slots;
    for (ExprId id : topological(system.exprs, std::span(&table.residual, 1)))
      if (const Node& node = system.exprs[id]; node.op == Op::Der) slots.push_back(node.a);
    if (slots.empty()) continue;
    for (std::size_t row = 0; row < table.rows(); ++row)
      for (std::uint32_t slot : slots) {
        const dae::Alias& alias = dae.aliases[table.unknowns_of(row)[slot]];
        if (alias.kind == dae::Alias::Zero) continue;
        for (std::uint32_t v = alias.variable; v != dae::kNone; v = dae.variables[v].derivative)
          visit(v, table.origins[row]);
      }
  }
}

}  // namespace

void add_steady_start(const system::System& system, dae::System& dae) {
  if (system.steady.empty()) return;
  const std::vector<std::uint32_t> of = steady_of(system);
  const std::vector<bool> constant = dae::constants(dae);
  std::vector<std::uint32_t> steady(dae.variables.size(), dae::kNone);  // by variable: of `system.steady`
  each_differentiated(system, dae, [&](std::uint32_t v, Origin origin) {
    steady[v] = std::min(steady[v], of[origin.instance]);
  });
  for (const dae::StateSet& set : dae.sets)  // a state of a set is one of its candidates
    for (std::uint32_t rate : set.candidates)
      for (std::uint32_t state : set.states)
        steady[state] = std::min(steady[state], steady[dae.variables[rate].integral]);

  EquationTable table;
  table.residual = dae.exprs.slot(0);
  table.slots = 1;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    if (!dae.variables[v].state || constant[v] || steady[v] == dae::kNone) continue;
    table.unknowns.push_back(dae.variables[v].derivative);
    table.origins.push_back(system.steady[steady[v]]);
  }
  if (table.rows() > 0) dae.initial.tables.push_back(std::move(table));
}

}  // namespace sigrel::reduce
