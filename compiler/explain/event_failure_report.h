// Reports why an instant has no end or no result: conditions that contradict each other, events without end,
// assignments that disagree or have no value, clocks with invalid settings.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/explain/failure_report.h"

namespace sigrel::explain {

/// Whether the failure is one of events.
bool is_event_failure(const runtime::Failure& failure);
void report_event_failure(const FailureContext& context, const runtime::Outcome& outcome,
                          Diagnostics& diagnostics);

}  // namespace sigrel::explain
