// Reports why all equations of the start at once have no solution, or not one alone
// (runtime/solve/consistent_start.h).
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/explain/failure_report.h"
#include "runtime/failure.h"

namespace sigrel::explain {

/// Failure::StartContradicts with a combination of equations.
void report_contradicting_start(const FailureContext& context, const runtime::Failure& failure,
                                Diagnostics& diagnostics);

/// Failure::StartUndetermined.
void report_undetermined_start(const FailureContext& context, const runtime::Failure& failure,
                               Diagnostics& diagnostics);

}  // namespace sigrel::explain
