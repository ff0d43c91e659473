#include "compiler/order/order.h"

#include "compiler/incidence/incidence.h"
#include "compiler/order/discrete.h"
#include "compiler/order/dynamics.h"
#include "compiler/order/linearity.h"
#include "compiler/order/ordering.h"
#include "compiler/order/parameters.h"
#include "compiler/order/start.h"
#include "compiler/order/states.h"

namespace sigrel::order {
namespace {

/// Where a block leaves a choice of tearing variables, it takes those that have a guess, or are
/// preferred as states.
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
  hints.discrete.resize(model.parameters.size(), false);
  for (std::uint32_t k = 0; k < dae.discrete_parameters; ++k)
    hints.discrete[system.parameters.size() + k] = true;
  return hints;
}

/// An upper limit for the entries of Model::tables that batches of these equations take.
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

  // Parameters first: the equations refer to them by the numbers that they have in the system, and later
  // passes add their own behind these.
  set_parameters(system, dae, model);
  set_attributes(system, dae, model);
  if (policy == plan::StartPolicy::Continue) continue_from_guesses(model);

  // States and constants: they decide which blocks have to be computed at every step.
  model.discrete = discrete_variables(system, dae);
  add_states(dae, model);

  // Room for a batch of each equation in the schedules below, and another in that of the start. Memory that
  // is reserved and not used costs nothing.
  incidence::EquationList equations(dae.equations), start(dae.equations);
  start.append(dae.initial);
  model.tables.reserve(table_size(equations) + table_size(start) + 2 * model.states.size());
  model.equations.reserve(equations.count() + start.count() + model.states.size());

  // From the states to their derivatives, and on to everything else.
  Ordering ordering{.system = system, .dae = dae, .plan = plan, .diagnostics = diagnostics};
  ordering.hints = tearing_hints(system, dae, model);
  if (!schedule_dynamics(ordering, equations)) return plan;

  // The start last: its equations are those above and some more, so most of its batches share their tables.
  if (policy != plan::StartPolicy::Given) schedule_start(ordering, std::move(start), policy);
  if (!model.zero_crossings.empty() || model.events.triggers > 0) model.linearity = linearity(plan);
  return plan;
}

}  // namespace sigrel::order
