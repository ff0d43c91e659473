// Comparisons of what changes with time are events: between two events each of them has one value, which the
// equations read from a parameter. So an integrator and Newton's method only ever see smooth equations, and
// the run knows the instants at which they become others: where the difference of the compared values passes
// zero.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Moves the comparisons out of the equations into `dae.relations`; a parameter of its own stands for each.
void hold_zero_crossings(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
