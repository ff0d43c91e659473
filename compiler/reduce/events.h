// Events on their way to the run. Discrete variables and `pre` are constants of the run for the equations
// (`der n = 0`), so what is left to do is to find the variables that `:=` changes, and to hand over
// conditions and values as runs.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/assemble.h"

namespace sigrel::reduce {

/// Finds what is assigned, once the states are chosen; reports targets that are no states, and those with two
/// sources.
void take_assignments(const system::System& system, dae::System& dae, Diagnostics& diagnostics);

/// Reports equations for which what `delay` gives had to be differentiated.
void check_delays(const system::System& system, const dae::System& dae, Diagnostics& diagnostics);
/// The same of the text: derivatives of what `delay` gives.
void report_derivatives_of_delays(const system::System& system, const dae::System& dae,
                                  const std::vector<singularity::UnsupportedDerivative>& found,
                                  Diagnostics& diagnostics);

}  // namespace sigrel::reduce
