// The schedule of the start: all equations with the states unknown, the initial equations, and guesses for
// the freedom that these leave.
#pragma once
#include "compiler/incidence/incidence.h"
#include "compiler/order/ordering.h"

namespace sigrel::order {

/// Fills the schedule `initial` of the model and the start of the plan. `equations` has the equations of the
/// reduced system, then the initial ones. The guesses of states are reported in a note, or as missing initial
/// equations where the policy is Strict; then the plan is incomplete.
void schedule_start(Ordering& ordering, incidence::EquationList equations, plan::StartPolicy policy);

}  // namespace sigrel::order
