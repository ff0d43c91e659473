// Why a run stopped, in the words of the model: the runtime gives numbers of equations and variables.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "runtime/integrate/simulate.h"

namespace sigrel::session {

struct FailureContext {
  const system::System& system;
  const dae::System& dae;
  const plan::Plan& plan;
  std::string solver;        // as the user chose it
  std::string kept_results;  // the file with the results so far; empty: none
};

void report_failure(const FailureContext& context, const runtime::Outcome& outcome, Diagnostics& diagnostics);

/// Reports a model with delays where `what` is asked for, which has no past. Whether there are any.
bool refuse_delays(const system::System& system, const char* what, Diagnostics& diagnostics);

/// The note that the model itself ended the run.
void note_end(const system::System& system, std::uint32_t trigger, double time, Diagnostics& diagnostics);

}  // namespace sigrel::session
