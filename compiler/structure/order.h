// The order stage: from a reduced system to a schedule in the form that the runtime executes.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"

namespace sigrel::structure {

/// The plan of a system that `reduce` accepted. Initial equations that cannot all hold are reported, and the plan must not
/// be used then; states whose start is taken from guesses are reported in one note.
///
/// Equation numbers of the model: the equations of `dae`, then its initial equations, then one `state = guess` for each of
/// `guessed_states`. Parameters of the model: those of the system under the same numbers, then some of its own.
plan::Plan order(const system::System& system, const dae::System& dae, Diagnostics& diagnostics);

}  // namespace sigrel::structure
