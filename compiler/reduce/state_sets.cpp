#include "compiler/reduce/state_sets.h"

#include <map>

#include "compiler/incidence/incidence.h"

namespace sigrel::reduce {
namespace {

/// slot 0 = p0 slot 1 + p1 slot 2 + …: a state, or its derivative, as a selection of candidates.
EquationTable selection(ExprPool& pool, std::uint32_t candidates) {
  EquationTable table;
  table.slots = candidates + 1;
  table.params = candidates;
  table.residual = pool.slot(0);
  for (std::uint32_t k = 0; k < candidates; ++k)
    table.residual =
        pool.binary(Op::Sub, table.residual, pool.binary(Op::Mul, pool.param(k), pool.slot(k + 1)));
  return table;
}

/// Adds the states of a set and their derivatives to the variables.
void add_variables(dae::System& dae, std::uint32_t number) {
  dae::StateSet& set = dae.sets[number];
  const std::uint32_t unknown = dae.variables[set.candidates.front()].unknown;
  for (std::uint32_t& state : set.states) {
    state = static_cast<std::uint32_t>(dae.variables.size());
    dae.variables.push_back({.unknown = unknown, .state = true, .derivative = state + 1, .set = number});
    dae.variables.push_back({.unknown = unknown, .order = 1, .integral = state, .set = number});
  }
}

/// Adds two rows for each state of the set.
void add_rows(const dae::System& dae, const dae::StateSet& set, Origin origin, EquationTable& table) {
  std::uint32_t selector = set.first_selector;
  for (std::uint32_t state : set.states) {
    for (bool rate : {false, true}) {
      table.unknowns.push_back(rate ? dae.variables[state].derivative : state);
      for (std::uint32_t candidate : set.candidates)
        table.unknowns.push_back(rate ? candidate : dae.variables[candidate].integral);
      for (std::uint32_t k = 0; k < table.params; ++k) table.parameters.push_back(selector + k);
      table.origins.push_back(origin);
    }
    selector += table.params;
  }
}

/// Adds the tables, and renumbers the sums, which come after them.
void append(std::map<std::size_t, EquationTable> tables, dae::System& dae) {
  const auto before = static_cast<std::uint32_t>(dae.equations.count() - dae.equations.sums.rows());
  std::uint32_t rows = 0;
  for (auto& [candidates, table] : tables) {
    rows += static_cast<std::uint32_t>(table.rows());
    dae.equations.tables.push_back(std::move(table));
  }
  auto renumber = [&](std::vector<std::uint32_t>& equations) {
    for (std::uint32_t& e : equations)
      if (e != dae::kNone && e >= before) e += rows;
  };
  for (dae::StateSet& set : dae.sets) renumber(set.equations);
  renumber(dae.derivative_of);
  dae.derivative_of.insert(dae.derivative_of.begin() + before, rows, dae::kNone);
}

}  // namespace

void add_state_sets(const system::System& system, dae::System& dae) {
  if (dae.sets.empty()) return;
  const incidence::EquationList equations(dae.equations);
  std::map<std::size_t, EquationTable> tables;  // by number of candidates
  for (std::uint32_t number = 0; number < dae.sets.size(); ++number) {
    dae::StateSet& set = dae.sets[number];
    if (set.states.empty()) continue;
    set.first_selector = static_cast<std::uint32_t>(system.parameters.size()) + dae.discrete_parameters;
    const auto candidates = static_cast<std::uint32_t>(set.candidates.size());
    dae.discrete_parameters += static_cast<std::uint32_t>(set.states.size()) * candidates;
    add_variables(dae, number);
    auto [at, fresh] = tables.try_emplace(candidates);
    if (fresh) at->second = selection(dae.exprs, candidates);
    add_rows(dae, set, equations.origin(EquationId{set.equations.front()}), at->second);
  }
  append(std::move(tables), dae);
}

}  // namespace sigrel::reduce
