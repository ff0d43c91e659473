// The equations of state sets (dae::StateSet), from which the runtime selects states.
//
// Example: candidates x' and y' for one state, with selectors p and q: the set has a state s with s = p x + q
// y and s' = p x' + q y'.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Adds the states of the sets of `dae`, their derivatives, selectors, and the equations of both. The
/// equations follow the other tables, so the numbers of sums increase.
void add_state_sets(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
