#include "compiler/reduce/state_priority.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/name_order.h"

namespace sigrel::reduce {

IdVector<VariableId, VariableId> integrated_variables(const dae::System& dae) {
  IdVector<VariableId, VariableId> base(dae.variables.size());
  for (VariableId v : ids<VariableId>(0, base.size())) {  // an integral comes before its derivative
    const std::uint32_t integral = dae.variables[v.value].integral;
    base[v] = integral == dae::kNone ? v : base[VariableId{integral}];
  }
  return base;
}

IdVector<VariableId, int> state_preferences(const system::System& system, const dae::System& dae) {
  IdVector<VariableId, const system::Attribute*> best(dae.variables.size(), nullptr);
  for (const system::Attribute& a : system.attributes) {
    if (a.kind != system::AttributeKind::StatePreference || dae.aliases[a.unknown].kind == dae::Alias::Zero)
      continue;
    const system::Attribute*& b = best[VariableId{dae.aliases[a.unknown].variable}];
    if (!b || a.unknown < b->unknown) b = &a;
  }
  IdVector<VariableId, int> result(dae.variables.size(), 0);
  for (VariableId v : ids<VariableId>(0, best.size()))
    if (best[v]) result[v] = static_cast<int>(system.parameters[best[v]->parameter].value);
  return result;
}

std::vector<long> state_priorities(const system::System& system, const dae::System& dae,
                                   const graph::Differentiated& graph, const Numbering& numbering) {
  const std::size_t variables = dae.variables.size();
  const IdVector<VariableId, VariableId> base = integrated_variables(dae);
  const IdVector<VariableId, int> preference = state_preferences(system, dae);
  IdVector<VariableId, bool> differentiated(variables), has_start(variables), takes_part(variables);
  const std::vector<std::uint32_t> below = graph::inverse(graph.equation_derivative);
  for (std::uint32_t e = 0; e < graph.equations(); ++e) {
    const bool original = below[e] == graph::kNone;
    for (std::uint32_t column : graph.graph.row(e)) {
      const VariableId v = numbering.variable_of[column];
      if (original && dae.variables[v.value].order > 0) differentiated[base[v]] = true;
      if (!original) takes_part[base[v]] = true;
    }
  }
  for (const EquationTable& table : dae.initial.tables)
    for (std::uint32_t v : table.unknowns) has_start[VariableId{v}] = true;
  for (const system::Attribute& a : system.attributes)
    if (a.kind == system::AttributeKind::Guess && dae.aliases[a.unknown].kind != dae::Alias::Zero)
      has_start[VariableId{dae.aliases[a.unknown].variable}] = true;

  struct Candidate {
    std::uint32_t place;  // in the order of names
    VariableId variable;
    std::uint32_t column;
  };
  const std::vector<std::uint32_t> places = system::places_by_name(system);
  std::vector<Candidate> candidates;
  for (std::uint32_t column = 0; column < graph.variables(); ++column)
    if (const VariableId v = numbering.variable_of[column]; takes_part[v] && base[v] == v)
      candidates.push_back({places[dae.variables[v.value].unknown], v, column});
  std::ranges::sort(candidates, {}, [](const Candidate& c) { return std::pair(c.place, c.variable); });
  const auto count = static_cast<long>(candidates.size());
  std::vector<long> priority(graph.variables(), 0);
  for (long rank = 0; rank < count; ++rank) {
    const Candidate& c = candidates[static_cast<std::size_t>(rank)];
    const bool source = system::unknown_info(system, dae.variables[c.variable.value].unknown).kind ==
                        system::UnknownKind::Source;
    const long merit =
        8L * preference[c.variable] + 4 * differentiated[c.variable] + 2 * has_start[c.variable] + source;
    priority[c.column] = merit * count + (count - 1 - rank);
  }
  // A speed comes before the derivative of a coordinate, to which it may be equal.
  for (std::uint32_t column = 0; column < graph.variables(); ++column)
    if (dae.variables[numbering.variable_of[column].value].order > 0) priority[column] = -4L * count;
  return priority;
}

}  // namespace sigrel::reduce
