#include "compiler/reduce/reduce.h"

#include "compiler/reduce/delays.h"
#include "compiler/reduce/elimination.h"
#include "compiler/reduce/events.h"
#include "compiler/reduce/guarded_branches.h"
#include "compiler/reduce/index.h"
#include "compiler/reduce/steady_start.h"
#include "compiler/reduce/zero_crossings.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::reduce {

dae::System reduce(const system::System& system, Diagnostics& diagnostics,
                   std::span<const std::uint32_t> kept) {
  const auto failed = [&] { return diagnostics.has_errors(); };

  // Aliases, zeros and redundant equations first: most equations of a model are connections, and every later
  // pass sees the few that remain, over representatives and with each derivative as a variable.
  Elimination eliminated = eliminate(system, kept);
  dae::System& dae = eliminated.assembled.dae;

  // Derivatives that cannot be variables; with the first kind `dae` is incomplete.
  singularity::report_unsupported_derivatives(system, eliminated.assembled.unsupported, diagnostics);
  if (failed()) return std::move(dae);
  report_derivatives_of_delays(system, dae, eliminated.assembled.of_delays, diagnostics);
  if (failed()) return std::move(dae);

  // Warnings, before errors of later passes.
  if (eliminated.taken) singularity::report_floating_potentials(system, eliminated.floating, diagnostics);

  // While comparisons are still in their equations.
  continue_guarded_branches(dae);

  // Before equations are differentiated: between events a comparison is constant, so it must be a parameter
  // by then.
  ZeroCrossingPass zero_crossings(system, dae);
  zero_crossings.hold_in_equations();

  // The index, if it is not 1 as in most models, or if the incidence hides it. Redundant equations are
  // reported there.
  const bool solvable = match_with_all_states(system, dae);
  if (!solvable || !eliminated.redundant.equations.empty())
    reduce_index(system, eliminated, dae, diagnostics);
  if (failed()) return std::move(dae);

  // Needs the differentiated equations: delayed signals have no derivative.
  check_delays(system, dae, diagnostics);
  if (failed()) return std::move(dae);

  // These need the states: a steady start sets their derivatives to zero, events assign to states only, and
  // `pre` of a state that no event assigns is the state itself.
  add_steady_start(system, dae);
  take_assignments(system, dae, diagnostics);
  zero_crossings.hold_in_values();
  return std::move(dae);
}

}  // namespace sigrel::reduce
