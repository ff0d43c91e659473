#include "compiler/reduce/elimination.h"

#include <algorithm>

#include "compiler/incidence/incidence.h"
#include "compiler/reduce/hidden_constraints.h"
#include "compiler/reduce/representatives.h"

namespace sigrel::reduce {
namespace {

Elimination eliminate_with(const system::System& system, Shapes& shapes,
                           const singularity::FloatingPotentials& floating,
                           std::span<const std::uint32_t> kept, bool want_merges) {
  Aliases aliases(system, shapes);
  for (const std::uint32_t unknown : kept) aliases.keep(UnknownId{unknown});
  if (want_merges) aliases.note_merges();
  for (const singularity::FloatingPotential& potential : floating.floating)
    aliases.take_as_zero(potential.zero);
  aliases.eliminate();
  Elimination result;
  result.merges = aliases.merges();
  result.assembled = assemble(system, shapes, aliases, choose_representatives(system, aliases));
  if (!result.assembled.unsupported.empty()) return result;
  std::vector<std::uint32_t>& redundant = result.redundant.equations;
  redundant = equations_of(system, expose_constraints(result.assembled.dae));
  for (EquationId e : aliases.of_fate(Fate::Constant)) result.redundant.constant.push_back(e.value);
  for (EquationId e : aliases.of_fate(Fate::Redundant)) redundant.push_back(e.value);
  redundant.insert(redundant.end(), result.redundant.constant.begin(), result.redundant.constant.end());
  std::ranges::sort(redundant);
  return result;
}

}  // namespace

std::vector<std::uint32_t> equations_of(const system::System& system, const std::vector<Origin>& origins) {
  std::vector<std::uint32_t> result;
  if (origins.empty()) return result;
  incidence::EquationList list;
  list.append(system.equations);
  for (EquationId e : ids<EquationId>(0, list.count())) {
    Origin at = list.origin(e);
    if (std::ranges::any_of(origins,
                            [&](Origin o) { return o.instance == at.instance && o.source == at.source; }))
      result.push_back(e.value);
  }
  return result;
}

Elimination eliminate(const system::System& system, std::span<const std::uint32_t> kept, bool want_merges) {
  Shapes shapes(system.exprs);
  for (const EquationTable& table : system.equations.tables) shapes.add(table);
  for (const EquationTable& table : system.initial.tables) shapes.add(table);
  for (const EquationTable& table : system.assertions.tables) shapes.add(table);
  for (const EquationTable& table : system.events.conditions.tables) shapes.add(table);
  for (const EquationTable& table : system.events.values.tables) shapes.add(table);
  Elimination first = eliminate_with(system, shapes, {}, kept, want_merges);
  if (first.redundant.equations.empty()) return first;
  first.floating = singularity::find_floating_potentials(system, first.assembled.dae, first.redundant);
  if (!first.floating.harmless()) return first;
  Elimination second = eliminate_with(system, shapes, first.floating, kept, want_merges);
  if (second.redundant.equations.size() != first.floating.floating.size() ||
      !second.redundant.constant.empty())
    return first;
  second.redundant = {};
  second.floating = std::move(first.floating);
  second.taken = true;
  return second;
}

std::vector<Link> elimination_chain(const system::System& system, const dae::System& dae,
                                    std::uint32_t unknown) {
  const Elimination elimination = eliminate(system, {}, true);
  const dae::Alias alias = dae.aliases[unknown];
  IdVector<UnknownId, bool> taken(system.unknowns, false);
  if (elimination.taken)
    for (const singularity::FloatingPotential& potential : elimination.floating.floating)
      taken[potential.zero] = true;
  // The merges are a forest over the unknowns: breadth first from this one to its representative, or to zero.
  IdVector<UnknownId, std::vector<const Aliases::Merge*>> merges_of(system.unknowns);
  for (const Aliases::Merge& m : elimination.merges) {
    merges_of[m.a].push_back(&m);
    if (m.b) merges_of[*m.b].push_back(&m);
  }
  const incidence::EquationList list(system.equations);
  struct Reached {
    bool yes = false;
    UnknownId from;
    const Aliases::Merge* merge = nullptr;  // none at the start
  };
  const UnknownId start{unknown};
  IdVector<UnknownId, Reached> reached(system.unknowns);
  reached[start] = {true, start, nullptr};
  std::vector<UnknownId> work{start};
  auto chain_to = [&](UnknownId end) {
    std::vector<Link> chain;
    for (UnknownId u = end; reached[u].merge; u = reached[u].from) {
      const Aliases::Merge& m = *reached[u].merge;
      chain.push_back({list.origin(m.equation), reached[u].from.value, u.value, m.opposite});
    }
    std::ranges::reverse(chain);
    return chain;
  };
  auto chain_to_zero = [&](UnknownId end, std::optional<Origin> origin) {
    std::vector<Link> chain = chain_to(end);
    chain.push_back({origin, end.value, std::nullopt, false});
    return chain;
  };
  for (std::size_t head = 0; head < work.size(); ++head) {
    const UnknownId u = work[head];
    if (alias.kind == dae::Alias::Zero && taken[u]) return chain_to_zero(u, std::nullopt);
    if (alias.kind != dae::Alias::Zero && dae.variables[alias.variable].unknown == u.value)
      return chain_to(u);
    for (const Aliases::Merge* merge : merges_of[u]) {
      if (!merge->b) return chain_to_zero(u, list.origin(merge->equation));
      const UnknownId next = merge->a == u ? *merge->b : merge->a;
      if (reached[next].yes) continue;
      reached[next] = {true, u, merge};
      work.push_back(next);
    }
  }
  return {};
}

}  // namespace sigrel::reduce
