// Assignments of event handlers. For the equations, discrete variables and `pre` are constants between events
// (`der n = 0`), so the reduced system needs only the variables that `:=` changes; conditions and values are
// tables of their own (assemble.h).
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Fills `dae.assignments`, once the states are chosen. Reports targets that are not states, and targets that
/// one handler assigns twice.
void take_assignments(const system::System& system, dae::System& dae, Diagnostics& diagnostics);

}  // namespace sigrel::reduce
