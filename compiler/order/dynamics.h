// The schedules of the dynamic equations: from the states to their derivatives, and on to all other
// variables.
#pragma once
#include "compiler/incidence/incidence.h"
#include "compiler/order/ordering.h"

namespace sigrel::order {

/// Fills the schedules `invariant`, `dynamic`, `asserted`, `compared` and `observed` of the model from the
/// equations of the reduced system, and adds its assertions, zero crossings, events and state sets. False if
/// discrete variables are not given explicitly, which is reported.
bool schedule_dynamics(Ordering& ordering, const incidence::EquationList& equations);

}  // namespace sigrel::order
