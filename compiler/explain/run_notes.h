// What a run reports besides failures, at the source location that it concerns.
#pragma once
#include <span>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/integrate/simulate.h"

namespace sigrel::explain {

/// Reports an error if the model has delays, which `analysis` does not support. Returns whether
/// it has.
bool refuse_analysis(const system::System& system, const char* analysis, Diagnostics& diagnostics);

/// Notes that a `terminate` of the model ended the run.
void note_end(const system::System& system, std::uint32_t trigger, double time, Diagnostics& diagnostics);

/// Notes that a block of the initial system was solved by continuation.
void note_continuation(const pipeline::Compiled& model, const runtime::Continued& block,
                       Diagnostics& diagnostics);

/// Notes that algebraic loops of the start have other solutions, and no guess that chooses.
void note_other_solutions(const pipeline::Compiled& model, std::span<const runtime::OtherSolution> loops,
                          Diagnostics& diagnostics);

/// Warns of guesses whose values are not finite numbers: they are ignored. `parameters`: values.
void warn_of_guesses_without_value(const pipeline::Compiled& model, std::span<const double> parameters,
                                   Diagnostics& diagnostics);

/// Notes which states took their guesses in a start that was solved as a whole, if that is not what the
/// compiler had noted, and warns of guesses that no start has.
void note_guessed_start(const pipeline::Compiled& model, const runtime::GuessedStart& start,
                        Diagnostics& diagnostics);

/// Notes that the run began in these modes, as the start contradicts itself in the initial ones. `origin`: of
/// one of the switches.
void note_start_in_other_modes(const system::System& system, Origin origin, const std::string& modes,
                               Diagnostics& diagnostics);

/// Warns that the solution of an algebraic loop jumps between rows.
void warn_of_jumps(const pipeline::Compiled& model, std::span<const runtime::BranchJump> jumps,
                   Diagnostics& diagnostics);

/// Warns that quantised states do not jump with this variable, to which constraints tie them.
void warn_of_tied_states(const pipeline::Compiled& model, std::uint32_t variable, Diagnostics& diagnostics);

/// Notes handlers of a run that were not executed, as their conditions were true from its start to its end.
void note_constant_conditions(const system::System& system, std::span<const std::uint32_t> triggers,
                              bool continues, Diagnostics& diagnostics);

/// Notes that the run has changed its integrator.
void note_solver_change(const runtime::SolverChange& change, Diagnostics& diagnostics);

/// Notes the states that stayed so small that the absolute tolerance hides them, unless another variable of
/// the same declaration is large: the far end of a rod that the heat has not reached.
void note_hidden_states(const pipeline::Compiled& model, std::span<const runtime::StateScale> scales,
                        double tolerance, Diagnostics& diagnostics);

}  // namespace sigrel::explain
