#include "compiler/structure/order.h"

#include <fmt/format.h>

#include <tuple>

#include "compiler/structure/assertions.h"
#include "compiler/structure/blame.h"
#include "compiler/structure/discrete.h"
#include "compiler/structure/incidence.h"
#include "compiler/structure/initial.h"
#include "compiler/structure/kernels.h"
#include "compiler/structure/parameters.h"
#include "compiler/structure/schedule.h"
#include "compiler/structure/source_terms.h"

namespace sigrel::structure {
namespace {

/// Variables in the order in which they may take their guesses: what is differentiated and has a guess of its own first, then
/// the states; for those of a set all of its candidates.
std::vector<std::uint32_t> guess_order(const dae::System& dae, const runtime::Model& model) {
  std::vector<bool> may_be_state(dae.variables.size(), false);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) may_be_state[v] = dae.variables[v].state && dae.variables[v].set == dae::kNone;
  for (const dae::StateSet& set : dae.sets)
    for (std::uint32_t rate : set.candidates) may_be_state[dae.variables[rate].integral] = true;
  std::vector<std::uint32_t> order;
  for (bool given : {true, false})
    for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
      bool guessed = model.start[v] != runtime::kNone && dae.variables[v].derivative != dae::kNone;
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
    std::tie(to.first_run, to.runs) = scheduler.residuals(set.equations);
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

void note_guesses(const system::System& system, const dae::System& dae, const plan::Plan& plan, Diagnostics& diagnostics) {
  const auto& guessed = plan.guessed_states;
  if (guessed.empty()) return;
  std::string text = fmt::format("the start of `{}`", dae::variable_name(system, dae, guessed.front()));
  if (guessed.size() == 2) text += fmt::format(" and `{}`", dae::variable_name(system, dae, guessed.back()));
  if (guessed.size() > 2) text += fmt::format(" and {} other states", guessed.size() - 1);
  text += guessed.size() == 1 ? " is taken from its guess" : " is taken from guesses";
  Span place = SourceTerms(system).declaration(dae.variables[guessed.front()].unknown, system::kRoot);
  Diagnostic& note = diagnostics.report(Code::InitialFromGuesses, place, std::move(text));
  bool any_default = false;
  for (std::uint32_t v : guessed) any_default = any_default || plan.model.start[v] == runtime::kNone;
  if (any_default) note.note("a state without a guess starts from 0.0");
  note.help("give the start in an `initially` block");
}

}  // namespace

plan::Plan order(const system::System& system, const dae::System& dae, Diagnostics& diagnostics) {
  plan::Plan plan;
  plan.exprs = dae.exprs;
  runtime::Model& model = plan.model;
  model.variables = static_cast<std::uint32_t>(dae.variables.size());
  set_parameters(system, dae, model);
  set_attributes(system, dae, model);
  model.discrete = discrete_variables(system, dae);
  std::vector<std::uint32_t> rates;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    std::uint32_t derivative = dae.variables[v].derivative;
    if (!dae.variables[v].state) continue;
    model.states.push_back({v, derivative});
    rates.push_back(derivative);
  }
  Kernels kernels(plan);

  // From the states to their derivatives, and on to everything else.
  EquationList equations;
  equations.append(dae.equations);
  {
    Scheduler scheduler(plan, kernels, equations, dae.assign);
    if (!check_discrete(system, dae, model.discrete, plan.exprs, equations, scheduler.variable_of_row(), scheduler.blocks(), diagnostics))
      return plan;
    std::vector<bool> selected = scheduler.needed_for(rates);
    scheduler.schedule(selected, model.dynamic);
    std::vector<bool> asserted = scheduler.needed_for(asserted_variables(dae));
    for (std::size_t b = 0; b < asserted.size(); ++b) asserted[b] = asserted[b] && !selected[b];
    scheduler.schedule(asserted, model.asserted);
    add_assertions(dae, kernels, plan);
    selected.flip();
    scheduler.schedule(selected, model.observed);
    add_sets(dae, scheduler, model);
  }

  // The start: the same equations with the states unknown, the initial equations, and guesses.
  EquationList start = equations;
  start.append(dae.initial);
  InitialMatching initial = match_initial(plan.exprs, dae, start, guess_order(dae, model));
  if (!initial.unmatched.empty()) {
    report_overdetermined_start(system, dae, initial.column_of_row, initial.unmatched, diagnostics);
    return plan;
  }
  plan.guessed_states = initial.guessed;
  EquationTable guesses;
  guesses.residual = plan.exprs.binary(Op::Sub, plan.exprs.slot(0), plan.exprs.param(0));
  guesses.slots = guesses.params = 1;
  std::uint32_t zero = runtime::kNone;
  for (std::uint32_t state : initial.guessed) {
    if (model.start[state] == runtime::kNone && zero == runtime::kNone) zero = add_parameter(model, {});
    guesses.unknowns.push_back(state);
    guesses.parameters.push_back(model.start[state] == runtime::kNone ? zero : model.start[state]);
    guesses.origins.push_back({});
  }
  start.append(guesses);
  {
    Scheduler scheduler(plan, kernels, start, std::move(initial.row_of_variable));
    if (!check_discrete(system, dae, model.discrete, plan.exprs, start, scheduler.variable_of_row(), scheduler.blocks(), diagnostics))
      return plan;
    scheduler.schedule(std::vector<bool>(scheduler.blocks().count(), true), model.initial);
  }
  note_guesses(system, dae, plan, diagnostics);
  return plan;
}

}  // namespace sigrel::structure
