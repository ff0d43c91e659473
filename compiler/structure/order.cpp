#include "compiler/structure/order.h"

#include <fmt/format.h>

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

/// States in the order in which they may take their guesses: those with a guess of their own first.
std::vector<std::uint32_t> guess_order(const runtime::Model& model) {
  std::vector<std::uint32_t> order;
  for (bool given : {true, false})
    for (const runtime::State& s : model.states)
      if ((model.start[s.variable] != runtime::kNone) == given) order.push_back(s.variable);
  return order;
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
  set_parameters(system, model);
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
  }

  // The start: the same equations with the states unknown, the initial equations, and guesses.
  EquationList start = equations;
  start.append(dae.initial);
  InitialMatching initial = match_initial(plan.exprs, dae, start, guess_order(model));
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
