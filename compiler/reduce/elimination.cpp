#include "compiler/reduce/elimination.h"

#include <algorithm>

#include "compiler/incidence/incidence.h"
#include "compiler/reduce/hidden_constraints.h"
#include "compiler/reduce/representatives.h"

namespace sigrel::reduce {
namespace {

/// The equations of the system that have these origins.
std::vector<std::uint32_t> equations_of(const system::System& system, const std::vector<Origin>& origins) {
  std::vector<std::uint32_t> result;
  if (origins.empty()) return result;
  incidence::EquationList list;
  list.append(system.equations);
  for (std::uint32_t e = 0; e < list.count(); ++e) {
    Origin at = list.origin(e);
    if (std::ranges::any_of(origins,
                            [&](Origin o) { return o.instance == at.instance && o.source == at.source; }))
      result.push_back(e);
  }
  return result;
}

Elimination eliminate_with(const system::System& system, Shapes& shapes,
                           const singularity::FloatingPotentials& floating, bool want_merges) {
  Aliases aliases(system, shapes);
  if (want_merges) aliases.note_merges();
  for (const singularity::FloatingPotential& level : floating.floating) aliases.take_as_zero(level.zero);
  aliases.eliminate();
  Elimination result;
  result.merges = aliases.merges();
  result.assembled = assemble(system, shapes, aliases, choose_representatives(system, aliases));
  if (!result.assembled.unsupported.empty()) return result;
  std::vector<std::uint32_t>& redundant = result.redundant.equations;
  redundant = equations_of(system, expose_constraints(result.assembled.dae));
  result.redundant.constant = aliases.of_fate(Fate::Constant);
  for (const auto& more : {aliases.of_fate(Fate::Redundant), result.redundant.constant})
    redundant.insert(redundant.end(), more.begin(), more.end());
  std::ranges::sort(redundant);
  return result;
}

}  // namespace

Elimination eliminate(const system::System& system, bool want_merges) {
  Shapes shapes(system.exprs);
  for (const EquationTable& table : system.equations.tables) shapes.add(table);
  for (const EquationTable& table : system.initial.tables) shapes.add(table);
  for (const EquationTable& table : system.assertions.tables) shapes.add(table);
  for (const EquationTable& table : system.events.conditions.tables) shapes.add(table);
  for (const EquationTable& table : system.events.values.tables) shapes.add(table);
  Elimination first = eliminate_with(system, shapes, {}, want_merges);
  if (first.redundant.equations.empty()) return first;
  first.floating = singularity::find_floating_potentials(system, first.assembled.dae, first.redundant);
  if (!first.floating.harmless()) return first;
  Elimination second = eliminate_with(system, shapes, first.floating, want_merges);
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
  const Elimination elimination = eliminate(system, true);
  const dae::Alias alias = dae.aliases[unknown];
  std::vector<bool> taken(system.unknowns, false);
  if (elimination.taken)
    for (const singularity::FloatingPotential& level : elimination.floating.floating)
      taken[level.zero] = true;
  // Merges make a forest over the unknowns: from this one to all that it is, until the end is met.
  std::vector<std::vector<std::uint32_t>> merges_of(system.unknowns);
  for (std::uint32_t m = 0; m < elimination.merges.size(); ++m) {
    merges_of[elimination.merges[m].a].push_back(m);
    if (elimination.merges[m].b) merges_of[*elimination.merges[m].b].push_back(m);
  }
  incidence::EquationList list;
  list.append(system.equations);
  struct Reached {
    std::uint32_t from, merge;
  };
  constexpr std::uint32_t kStart = 0xFFFFFFFFu;
  std::vector<std::optional<Reached>> reached(system.unknowns);
  std::vector<std::uint32_t> work{unknown};
  reached[unknown] = Reached{unknown, kStart};
  auto chain_to = [&](std::uint32_t end) {
    std::vector<Link> chain;
    for (std::uint32_t u = end; reached[u]->merge != kStart; u = reached[u]->from) {
      const Aliases::Merge& m = elimination.merges[reached[u]->merge];
      chain.push_back({list.origin(m.equation), reached[u]->from, u, m.opposite});
    }
    std::ranges::reverse(chain);
    return chain;
  };
  for (std::size_t head = 0; head < work.size(); ++head) {
    const std::uint32_t u = work[head];
    if (alias.kind == dae::Alias::Zero && taken[u]) {
      std::vector<Link> chain = chain_to(u);
      chain.push_back({std::nullopt, u, std::nullopt, false});
      return chain;
    }
    if (alias.kind != dae::Alias::Zero && dae.variables[alias.variable].unknown == u) return chain_to(u);
    for (std::uint32_t m : merges_of[u]) {
      const Aliases::Merge& merge = elimination.merges[m];
      if (!merge.b) {
        std::vector<Link> chain = chain_to(u);
        chain.push_back({list.origin(merge.equation), u, std::nullopt, false});
        return chain;
      }
      const std::uint32_t next = merge.a == u ? *merge.b : merge.a;
      if (reached[next]) continue;
      reached[next] = Reached{u, m};
      work.push_back(next);
    }
  }
  return {};
}

}  // namespace sigrel::reduce
