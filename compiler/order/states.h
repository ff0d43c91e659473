// States, constants and state sets of the model.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/order/schedule.h"
#include "runtime/model.h"

namespace sigrel::order {

/// Adds the states with their derivatives; those whose derivative is zero are constants of the simulation.
void add_states(const dae::System& dae, runtime::Model& model);

/// The derivatives of the states.
std::vector<std::uint32_t> rates(const runtime::Model& model);

/// Adds the sets of candidates among which the runtime chooses states, with batches of the equations that tie
/// them to each other. The states have been added.
void add_state_sets(const dae::System& dae, Scheduler& scheduler, runtime::Model& model);

}  // namespace sigrel::order
