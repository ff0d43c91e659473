// The order stage: from a reduced system to a schedule in the form that the runtime executes.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"

namespace sigrel::order {

/// The plan of a system that `reduce` accepted. States whose start is taken from guesses are reported in one
/// note, or with StartPolicy::Strict as an error, and the plan must not be used then. Initial equations that
/// are too many are checked by the start; see report_overdetermined_start. With StartPolicy::Given the states
/// are given with the run: the plan has no initial schedule, its initial equations are not looked at, and
/// nothing is reported about guesses.
///
/// Equation numbers of the model: the equations of `dae`, then its initial equations, then one `state =
/// guess` for each of `guessed_states`. Parameters of the model: those of the system under the same numbers,
/// then some of its own.
plan::Plan order(const system::System& system, const dae::System& dae, Diagnostics& diagnostics,
                 plan::StartPolicy start = plan::StartPolicy::Guesses);

}  // namespace sigrel::order
