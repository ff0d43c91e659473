// Comparisons of what changes with time are events: between two events each of them has one value, which the
// equations read from a parameter. So an integrator and Newton's method only ever see smooth equations, and
// the run knows the instants at which they become others: where the difference of the compared values passes
// zero.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/structure/kernels.h"

namespace sigrel::structure {

/// Moves the comparisons out of the equations into `dae.relations`; a parameter of its own stands for each.
void hold_relations(const system::System& system, dae::System& dae);

/// The variables that the relations compare.
std::vector<std::uint32_t> compared_variables(const dae::System& dae);

/// Adds the relations to the model of the plan.
void add_relations(const dae::System& dae, Kernels& kernels, plan::Plan& plan);

}  // namespace sigrel::structure
