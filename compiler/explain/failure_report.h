// Reports why a run failed: the runtime gives numbers of equations and variables, the diagnostics name them.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "runtime/integrate/simulate.h"

namespace sigrel::explain {

struct FailureContext {
  const system::System& system;
  const dae::System& dae;
  const plan::Plan& plan;
  std::string solver;        // as given by the user or the model
  std::string kept_results;  // the file with the results up to the failure; empty: none
};

void report_failure(const FailureContext& context, const runtime::Outcome& outcome, Diagnostics& diagnostics);

}  // namespace sigrel::explain
