// Which zero crossings are known beforehand: those whose argument depends on time, parameters and discrete
// variables alone, directly or through variables that the schedules compute from these.
//
// Example: saw = 1000 * time - p and a zero crossing saw - 0.4: the row of the first is computed before the
// second, and both are evaluated on intervals (runtime/events/time_functions.h).
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"

namespace sigrel::order {

/// Fills Model::time_functions and Model::time_rows; the schedules `invariant`, `dynamic` and `compared`,
/// and the zero crossings, are complete.
void find_time_functions(const system::System& system, const dae::System& dae, plan::Plan& plan);

}  // namespace sigrel::order
