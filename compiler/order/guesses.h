// Diagnostics about guesses: states that start from them, and guesses without effect.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "compiler/order/initial.h"
#include "compiler/order/schedule.h"

namespace sigrel::order {

/// One note for all states that start from guesses.
void note_guesses(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                  const InitialMatching& initial, Diagnostics& diagnostics);

/// The same as an error, for `--strict-initial`.
void report_missing_start(const system::System& system, const dae::System& dae,
                          const InitialMatching& initial, Diagnostics& diagnostics);

/// Warns about guesses that are not used. A guess is used where a state starts from it, and in a block of the
/// start that is solved by iteration. A place in the source that gives several variables a guess is reported
/// when none of them uses it. `propagated`: of propagate_guesses.
void warn_unused_guesses(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                         const Scheduler& start, const std::vector<VariableId>& propagated,
                         Diagnostics& diagnostics);

}  // namespace sigrel::order
