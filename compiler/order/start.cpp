#include "compiler/order/start.h"

#include <algorithm>
#include <utility>

#include "compiler/order/discrete.h"
#include "compiler/order/guesses.h"
#include "compiler/order/initial.h"
#include "compiler/order/parameters.h"
#include "compiler/order/propagate_guesses.h"

namespace sigrel::order {
namespace {

/// Variables in the order in which they may take their guesses: first those that are differentiated and have
/// a guess of their own, then the states; for those of a set all of its candidates. Before them come those of
/// which it is known that the loops of a mechanism leave them free: the equations of others may depend on
/// each other, although their structure does not say so. So their velocities come before those without a
/// guess.
std::vector<VariableId> guess_order(const system::System& system, const dae::System& dae,
                                    const runtime::Model& model, bool continues) {
  IdVector<VariableId, bool> may_be_state(dae.variables.size(), false);
  for (VariableId v : ids<VariableId>(0, may_be_state.size()))
    may_be_state[v] = dae.variables[v.value].state && dae.variables[v.value].set == dae::kNone;
  for (const dae::StateSet& set : dae.sets)
    for (std::uint32_t rate : set.candidates) may_be_state[VariableId{dae.variables[rate].integral}] = true;
  enum Class : std::uint8_t { Independent, Guessed, Velocity, Other };
  IdVector<VariableId, Class> classes(dae.variables.size(), Other);
  std::vector<VariableId> order;
  for (VariableId v : ids<VariableId>(0, may_be_state.size())) {
    const bool guessed = !continues && model.start_of(v.value) != runtime::kNone &&
                         dae.variables[v.value].derivative != dae::kNone;
    if (guessed) classes[v] = Guessed;
    if (guessed || may_be_state[v]) order.push_back(v);
  }
  for (const system::Attribute& a : system.attributes) {
    if (a.kind != system::AttributeKind::Independent || dae.aliases[a.unknown].kind == dae::Alias::Zero)
      continue;
    const std::uint32_t position = dae.aliases[a.unknown].variable;
    classes[VariableId{position}] = Independent;
    const std::uint32_t velocity = dae.variables[position].derivative;
    if (velocity != dae::kNone && classes[VariableId{velocity}] == Other)
      classes[VariableId{velocity}] = Velocity;
  }
  std::ranges::stable_sort(order, {}, [&](VariableId v) { return classes[v]; });
  return order;
}

/// Of a run that continues: the order in which variables keep their values. Discrete variables and `pre` come
/// first, and those last that an initial equation of an entered mode begins with: `v = 0.5 * pre w` gives v.
std::vector<VariableId> kept_order(const dae::System& dae, std::vector<VariableId> order) {
  std::vector<bool> given(dae.variables.size(), false);
  for (const EquationTable& table : dae.initial.tables) {
    const Node& root = dae.exprs[table.residual];
    const Node& left = root.op == Op::Sub ? dae.exprs[ExprId{root.a}] : root;
    if (left.op != Op::Slot) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) given[table.unknowns_of(row)[left.a]] = true;
  }
  const std::vector<bool> constant = dae::constants(dae);
  std::ranges::stable_sort(order, {}, [&](VariableId v) {
    return given[v.value] ? 2 : constant[v.value] ? 0 : 1;
  });
  return order;
}

/// One equation `state = guess` for each of the states; without a guess the state starts from zero.
EquationTable guess_equations(const std::vector<VariableId>& states, plan::Plan& plan) {
  EquationTable guesses;
  guesses.residual = plan.exprs.binary(Op::Sub, plan.exprs.slot(0), plan.exprs.param(0));
  guesses.slots = guesses.params = 1;
  std::uint32_t zero = runtime::kNone;
  for (VariableId state : states) {
    std::uint32_t guess = plan.model.start_of(state.value);
    if (guess == runtime::kNone) {
      if (zero == runtime::kNone) zero = add_parameter(plan.model, {});
      guess = zero;
    }
    guesses.unknowns.push_back(state.value);
    guesses.parameters.push_back(guess);
    guesses.origins.push_back({});
  }
  return guesses;
}

}  // namespace

void schedule_start(Ordering& o, incidence::EquationList equations, plan::StartPolicy policy) {
  plan::Plan& plan = o.plan;
  const bool continues = policy == plan::StartPolicy::Continue;
  std::vector<VariableId> preference = guess_order(o.system, o.dae, plan.model, continues);
  if (continues) preference = kept_order(o.dae, std::move(preference));
  InitialMatching initial = match_initial(plan.exprs, o.system, o.dae, equations, preference);
  for (VariableId state : initial.guessed) plan.guessed_states.push_back(state.value);
  plan.initial_assign = std::move(initial.row_of_variable);
  for (EquationId equation : initial.unmatched) plan.redundant_initial.push_back(equation.value);
  if (policy == plan::StartPolicy::Strict && !initial.guessed.empty())
    return report_missing_start(o.system, o.dae, initial, o.diagnostics);

  const EquationTable guesses = guess_equations(initial.guessed, plan);
  plan.model.first_initial_equation = static_cast<std::uint32_t>(o.dae.equations.count());
  plan.model.first_guess = equations.count();
  for (const dae::Variable& v : o.dae.variables) plan.model.derivative_of.push_back(v.derivative);
  equations.append(guesses);
  o.hints.discrete.resize(plan.model.parameters.size(), false);
  Scheduler scheduler(plan, o.kernels, o.known, o.loops, equations, plan.initial_assign, o.hints);
  if (!check_discrete(o.system, o.dae, plan.model.discrete, plan.exprs, equations, scheduler, o.diagnostics))
    return;
  scheduler.keep_residuals();
  scheduler.schedule(IdVector<BlockId, bool>(scheduler.block_count(), true), plan.model.initial);
  const std::vector<VariableId> propagated = propagate_guesses(o, equations, scheduler);
  // Initial equations that do not fit are evaluated after the start: they hold, or contradict the others.
  const auto [first, batches] = scheduler.residuals(initial.unmatched);
  for (std::uint32_t k = 0; k < batches; ++k) plan.model.initial_checks.push_back(first + k);
  if (policy == plan::StartPolicy::Continue) return;
  note_guesses(o.system, o.dae, plan, initial, o.diagnostics);
  warn_unused_guesses(o.system, o.dae, plan, scheduler, propagated, o.diagnostics);
}

}  // namespace sigrel::order
