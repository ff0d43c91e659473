// Comparisons of quantities that change with time become zero crossings: between two events a comparison has
// one value, which the equations read from a parameter. So integrators and Newton's method see smooth
// equations only, and the runtime locates the instants at which these change, where the difference of the
// compared values crosses zero.
//
// Example: y = if x < 1 then a else b becomes y = if p then a else b with the zero crossing x - 1 for p.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Moves the comparisons out of the equations into `dae.zero_crossings`, and puts a parameter in the place of
/// each.
void hold_zero_crossings(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
