// `initially steady` for a relation and its parts, as an initial equation for each of their states.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Adds `0 = der(s)` to the initial equations for every state s that an equation of the instances in
/// `system.steady`, or of their parts, differentiates. Constants do not change anyway. To be called
/// when the states have been chosen.
void add_steady_start(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
