// Index reduction: equations are differentiated until they determine the highest derivatives, and the states
// are chosen among the variables (Pantelides 1988; Mattsson and Söderlind 1993).
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/elimination.h"

namespace sigrel::reduce {

/// Matches the equations with the variables that are not states, in `dae.assign`. Whether all are matched.
bool match_equations(dae::System& dae);

/// Makes every variable that has a derivative a state, and matches the equations with all other variables.
/// Whether the system has index 1 or less: everything is matched, and the equations are independent for
/// almost all values. Otherwise `dae.assign` must not be used.
bool match_with_all_states(const system::System& system, dae::System& dae);

/// Replaces equations by linear combinations without highest derivatives where there are such, differentiates
/// equations, adds their derivatives to `dae`, chooses the states and matches the equations
/// with the other variables. Systems that no differentiation can make solvable are reported: too many or too
/// few equations, redundant ones, or functions without a derivative.
void reduce_index(const system::System& system, const Elimination& eliminated, dae::System& dae,
                  Diagnostics& diagnostics);

}  // namespace sigrel::reduce
