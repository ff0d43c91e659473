#include "compiler/order/events.h"

#include <algorithm>

#include "compiler/ir/library.h"
#include "compiler/order/assertions.h"

namespace sigrel::order {

std::vector<std::uint32_t> without_events(const system::System& system, const dae::System& dae,
                                          std::vector<std::uint32_t> constants) {
  std::vector<bool> changed(dae.variables.size(), false);
  for (const dae::Assignment& a : dae.assignments) changed[a.variable] = true;
  for (const system::Previous& p : system.events.previous)
    if (dae.aliases[p.unknown].kind != dae::Alias::Zero) changed[dae.aliases[p.unknown].variable] = true;
  for (const system::Delay& d : system.delays)
    if (dae.aliases[d.unknown].kind != dae::Alias::Zero) changed[dae.aliases[d.unknown].variable] = true;
  std::erase_if(constants, [&](std::uint32_t v) { return changed[v]; });
  return constants;
}

std::vector<std::uint32_t> seen_by_events(const system::System& system, const dae::System& dae) {
  std::vector<std::uint32_t> result;
  for (const Equations* equations : {&dae.conditions, &dae.values})
    for (const EquationTable& table : equations->tables)
      result.insert(result.end(), table.unknowns.begin(), table.unknowns.end());
  for (const system::Previous& p : system.events.previous)
    if (dae.aliases[p.of].kind != dae::Alias::Zero) result.push_back(dae.aliases[p.of].variable);
  for (const system::Delay& d : system.delays)
    if (dae.aliases[d.of].kind != dae::Alias::Zero) result.push_back(dae.aliases[d.of].variable);
  return result;
}

void add_events(const system::System& system, const dae::System& dae, Kernels& kernels, plan::Plan& plan) {
  runtime::Events& events = plan.model.events;
  auto is_integer = [&](std::uint32_t v) {
    const std::uint32_t unknown = dae.variables[v].unknown;
    return system::unknown_info(system, unknown).type == system::SignalType::Int;
  };
  events.triggers = static_cast<std::uint32_t>(system.events.triggers.size());
  for (std::uint32_t t = 0; t < events.triggers; ++t) {
    const system::Trigger& trigger = system.events.triggers[t];
    if (trigger.kind == system::Trigger::Terminate) events.terminating.push_back(t);
    if (trigger.kind == system::Trigger::Transition) events.transitions.push_back(t);
    if (trigger.initial) events.initial.push_back(t);
    if (trigger.terminal) events.terminal.push_back(t);
    if (trigger.preceding) events.alternatives.push_back({t, *trigger.preceding});
  }
  for (const EquationTable& table : dae.conditions.tables) {
    if (table.rows() == 0) continue;
    events.conditions.push_back(add_rows(table, 0, kernels, plan));
    events.condition_triggers.insert(events.condition_triggers.end(), table.tags.begin(), table.tags.end());
  }
  for (const EquationTable& table : dae.values.tables) {
    if (table.rows() == 0) continue;
    const std::uint32_t batch = add_rows(table, 0, kernels, plan);
    events.values.push_back(batch);
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      const dae::Assignment& a = dae.assignments[table.tags[row]];
      events.assignments.push_back({a.trigger, a.variable, {batch, row}, a.negated, is_integer(a.variable)});
    }
  }
  for (const system::Clock& c : system.events.clocks)
    events.clocks.push_back({c.trigger, c.period, c.offset, c.start, c.stop, c.first_jitter, c.jitters});
  events.jitters = system.events.jitters;
  for (const system::Previous& p : system.events.previous) {
    const dae::Alias own = dae.aliases[p.unknown], of = dae.aliases[p.of];
    if (own.kind == dae::Alias::Zero) continue;
    events.previous.push_back({own.variable, of.kind == dae::Alias::Zero ? runtime::kNone : of.variable,
                               (own.kind == dae::Alias::Negated) != (of.kind == dae::Alias::Negated)});
  }
  for (const system::Delay& d : system.delays) {
    const dae::Alias own = dae.aliases[d.unknown], of = dae.aliases[d.of];
    if (own.kind == dae::Alias::Zero) continue;
    plan.model.delays.push_back(
        {own.variable, of.kind == dae::Alias::Zero ? runtime::kNone : of.variable, d.length,
         (own.kind == dae::Alias::Negated) != (of.kind == dae::Alias::Negated), d.piecewise_constant});
  }
}

std::vector<std::uint32_t> compared_variables(const dae::System& dae) {
  std::vector<std::uint32_t> result;
  for (const dae::ZeroCrossing& r : dae.zero_crossings)
    result.insert(result.end(), r.differences.unknowns.begin(), r.differences.unknowns.end());
  return result;
}

namespace {

/// The tables of one argument, for zero crossings at their knots.
void add_piece_tables(const Library& library, runtime::Model& model) {
  for (const LookupTable& table : library.tables) {
    runtime::PieceTable& piece = model.piece_tables.emplace_back();
    if (!table.y.empty()) continue;
    piece = {model.knots.size(), table.x.size(), model.coefficients.size()};
    model.knots.insert(model.knots.end(), table.x.begin(), table.x.end());
    model.coefficients.insert(model.coefficients.end(), table.coefficients.begin(), table.coefficients.end());
  }
}

}  // namespace

void add_zero_crossings(const dae::System& dae, Kernels& kernels, plan::Plan& plan) {
  std::uint32_t number = 0;
  if (std::ranges::find(dae.zero_crossings, runtime::ZeroCrossing::Table, &dae::ZeroCrossing::kind) !=
      dae.zero_crossings.end())
    add_piece_tables(*dae.exprs.library, plan.model);
  for (const dae::ZeroCrossing& r : dae.zero_crossings) {
    const auto rows = static_cast<std::uint32_t>(r.differences.rows());
    if (rows > 0)
      plan.model.zero_crossings.push_back(
          {add_rows(r.differences, number, kernels, plan), r.first, r.strict, r.kind});
    number += rows;
  }
}

}  // namespace sigrel::order
