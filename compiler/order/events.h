// Zero crossings, triggers, assignments, `pre` and delays of a reduced system as batches and tables of the
// model.
#pragma once
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"

namespace sigrel::order {

/// Those of the constants that neither an event nor a delay changes.
std::vector<std::uint32_t> without_events(const system::System& system, const dae::System& dae,
                                          std::vector<std::uint32_t> constants);

/// The variables that conditions, values, `pre` and `delay` read.
std::vector<std::uint32_t> seen_by_events(const system::System& system, const dae::System& dae);

/// The variables that the zero crossings compare.
std::vector<std::uint32_t> compared_variables(const dae::System& dae);

/// Adds the zero crossings to the model of the plan.
void add_zero_crossings(const dae::System& dae, Kernels& kernels, plan::Plan& plan);

/// Adds triggers, assignments, clocks, `pre` and delays to the model of the plan.
void add_events(const system::System& system, const dae::System& dae, Kernels& kernels, plan::Plan& plan);

}  // namespace sigrel::order
