#include "compiler/order/order.h"

#include <algorithm>
#include <tuple>

#include "compiler/incidence/incidence.h"
#include "compiler/order/assertions.h"
#include "compiler/order/discrete.h"
#include "compiler/order/events.h"
#include "compiler/order/guesses.h"
#include "compiler/order/initial.h"
#include "compiler/order/kernels.h"
#include "compiler/order/parameters.h"
#include "compiler/order/schedule.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::order {
namespace {

/// Variables in the order in which they may take their guesses: what is differentiated and has a guess of its
/// own first, then the states; for those of a set all of its candidates.
std::vector<std::uint32_t> guess_order(const dae::System& dae, const runtime::Model& model) {
  std::vector<bool> may_be_state(dae.variables.size(), false);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    may_be_state[v] = dae.variables[v].state && dae.variables[v].set == dae::kNone;
  for (const dae::StateSet& set : dae.sets)
    for (std::uint32_t rate : set.candidates) may_be_state[dae.variables[rate].integral] = true;
  std::vector<std::uint32_t> order;
  for (bool given : {true, false})
    for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
      bool guessed = model.start_of(v) != runtime::kNone && dae.variables[v].derivative != dae::kNone;
      if (guessed == given && (guessed || may_be_state[v])) order.push_back(v);
    }
  return order;
}

/// The sets of states, with runs of their equations.
void add_sets(const dae::System& dae, Scheduler& scheduler, runtime::Model& model) {
  std::vector<std::uint32_t> number(dae.variables.size(), dae::kNone);
  for (std::uint32_t s = 0; s < model.states.size(); ++s) number[model.states[s].variable] = s;
  for (const dae::StateSet& set : dae.sets) {
    runtime::StateSet to;
    std::tie(to.first_batch, to.batches) = scheduler.residuals(set.equations);
    to.first_variable = static_cast<std::uint32_t>(model.set_variables.size());
    to.eliminated = static_cast<std::uint32_t>(set.eliminated.size());
    to.candidates = static_cast<std::uint32_t>(set.candidates.size());
    model.set_variables.insert(model.set_variables.end(), set.eliminated.begin(), set.eliminated.end());
    model.set_variables.insert(model.set_variables.end(), set.candidates.begin(), set.candidates.end());
    for (std::uint32_t rate : set.candidates) model.set_variables.push_back(dae.variables[rate].integral);
    to.first_weight = static_cast<std::uint32_t>(model.set_weights.size());
    model.set_weights.insert(model.set_weights.end(), set.weights.begin(), set.weights.end());
    to.first_state = set.states.empty() ? 0 : number[set.states.front()];  // they follow each other
    to.states = static_cast<std::uint32_t>(set.states.size());
    to.first_selector = set.first_selector;
    model.sets.push_back(to);
  }
}

/// Blocks rather iterate on what has a guess, or is wanted as a state.
TearingHints tearing_hints(const system::System& system, const dae::System& dae,
                           const runtime::Model& model) {
  TearingHints hints;
  hints.preferred.resize(dae.variables.size());
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    hints.preferred[v] = model.start_of(v) != runtime::kNone;
  for (const system::Attribute& a : system.attributes)
    if (a.kind == system::AttributeKind::StatePreference && dae.aliases[a.unknown].kind != dae::Alias::Zero &&
        system.parameters[a.parameter].value > 0)
      hints.preferred[dae.aliases[a.unknown].variable] = true;
  hints.moving.resize(model.parameters.size(), false);
  for (std::uint32_t k = 0; k < dae.held; ++k) hints.moving[system.parameters.size() + k] = true;
  return hints;
}

/// What runs of these equations take in Model::tables, at most.
std::size_t table_size(const incidence::EquationList& list) {
  std::size_t size = 0;
  for (const incidence::EquationList::Section& s : list.sections())
    size += s.table ? s.table->unknowns.size() + s.table->parameters.size()
                    : s.sums->terms.size() + 3 * std::size_t{s.rows};
  return size;
}

}  // namespace

plan::Plan order(const system::System& system, const dae::System& dae, Diagnostics& diagnostics,
                 plan::StartPolicy policy) {
  plan::Plan plan;
  plan.exprs = dae.exprs;
  runtime::Model& model = plan.model;
  model.variables = static_cast<std::uint32_t>(dae.variables.size());
  set_parameters(system, dae, model);
  set_attributes(system, dae, model);
  model.discrete = discrete_variables(system, dae);
  const std::vector<bool> constant = dae::constants(dae);
  model.states.reserve(static_cast<std::size_t>(
      std::ranges::count_if(dae.variables, [](const dae::Variable& v) { return v.state; })));
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    std::uint32_t derivative = dae.variables[v].derivative;
    if (!dae.variables[v].state) continue;
    if (constant[v]) {
      model.constants.push_back(v);
      continue;
    }
    model.states.push_back({v, derivative});
  }
  incidence::EquationList equations, start;
  equations.append(dae.equations);
  start.append(dae.equations);
  start.append(dae.initial);
  // Room for a run of each equation and another of the start's; what is not used costs nothing.
  model.tables.reserve(table_size(equations) + table_size(start) + 2 * model.states.size());
  model.equations.reserve(equations.count() + start.count() + model.states.size());
  Kernels kernels(plan);
  TearingHints hints = tearing_hints(system, dae, model);

  // From the states to their derivatives, and on to everything else.
  KnownRuns known;
  {
    Scheduler scheduler(plan, kernels, known, equations, dae.assign, hints);
    if (!check_discrete(system, dae, model.discrete, plan.exprs, equations, scheduler.variable_of_row(),
                        scheduler.blocks(), diagnostics))
      return plan;
    std::vector<std::uint32_t> rates;
    rates.reserve(model.states.size());
    for (const runtime::State& state : model.states) rates.push_back(state.derivative);
    // What is in no schedule yet; each block comes into one, those of assertions and relations into
    // `observed` as well.
    const std::vector<bool> invariant =
        scheduler.invariant_blocks(without_events(system, dae, model.constants), rates);
    scheduler.schedule(invariant, model.invariant);
    std::vector<bool> selected = scheduler.needed_for(rates);
    for (std::size_t b = 0; b < selected.size(); ++b) selected[b] = selected[b] && !invariant[b];
    scheduler.schedule(selected, model.dynamic);
    for (std::size_t b = 0; b < selected.size(); ++b) selected[b] = selected[b] || invariant[b];
    auto beside = [&](const std::vector<std::uint32_t>& variables, std::vector<runtime::Step>& steps) {
      std::vector<bool> needed = scheduler.needed_for(variables);
      for (std::size_t b = 0; b < needed.size(); ++b) needed[b] = needed[b] && !selected[b];
      scheduler.schedule(needed, steps);
    };
    beside(asserted_variables(dae), model.asserted);
    add_assertions(dae, kernels, plan);
    std::vector<std::uint32_t> compared = compared_variables(dae);
    const std::vector<std::uint32_t> seen = seen_by_events(system, dae);
    compared.insert(compared.end(), seen.begin(), seen.end());
    beside(compared, model.compared);
    add_zero_crossings(dae, kernels, plan);
    add_events(system, dae, kernels, plan);
    selected.flip();
    scheduler.schedule(selected, model.observed);
    add_sets(dae, scheduler, model);
  }

  // The start: the same equations with the states unknown, the initial equations, and guesses.
  if (policy == plan::StartPolicy::Given) return plan;
  InitialMatching initial = match_initial(plan.exprs, system, dae, start, guess_order(dae, model));
  plan.guessed_states = initial.guessed;
  plan.initial_assign = std::move(initial.row_of_variable);
  plan.redundant_initial = initial.unmatched;
  if (policy == plan::StartPolicy::Strict && !initial.guessed.empty()) {
    report_missing_start(system, dae, initial, diagnostics);
    return plan;
  }
  EquationTable guesses;
  guesses.residual = plan.exprs.binary(Op::Sub, plan.exprs.slot(0), plan.exprs.param(0));
  guesses.slots = guesses.params = 1;
  std::uint32_t zero = runtime::kNone;
  for (std::uint32_t state : initial.guessed) {
    if (model.start_of(state) == runtime::kNone && zero == runtime::kNone) zero = add_parameter(model, {});
    guesses.unknowns.push_back(state);
    guesses.parameters.push_back(model.start_of(state) == runtime::kNone ? zero : model.start_of(state));
    guesses.origins.push_back({});
  }
  start.append(guesses);
  hints.moving.resize(model.parameters.size(), false);
  Scheduler scheduler(plan, kernels, known, start, plan.initial_assign, hints);
  if (!check_discrete(system, dae, model.discrete, plan.exprs, start, scheduler.variable_of_row(),
                      scheduler.blocks(), diagnostics))
    return plan;
  scheduler.schedule(std::vector<bool>(scheduler.blocks().count(), true), model.initial);
  auto [first, batches] = scheduler.residuals(initial.unmatched);
  for (std::uint32_t r = 0; r < batches; ++r) model.initial_checks.push_back(first + r);
  note_guesses(system, dae, plan, initial, diagnostics);
  warn_unused_guesses(system, dae, plan, scheduler, diagnostics);
  return plan;
}

}  // namespace sigrel::order
