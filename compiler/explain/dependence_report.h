// Reports linear equations that depend on each other and what they leave: a constraint between states, or
// potentials that float.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/explain/failure_report.h"
#include "runtime/failure.h"

namespace sigrel::explain {

/// Equations that add up to a constraint between states, whose derivatives are then determined only in
/// combination, or that a condition makes one. nullptr: they do not.
Diagnostic* report_constrained_states(const FailureContext& context, const runtime::Failure& failure,
                                      Diagnostics& diagnostics);

/// Equations of which one follows from the others while conditions that they contain hold: unknowns float.
/// nullptr: they do not.
Diagnostic* report_floating(const FailureContext& context, const runtime::Failure& failure,
                            Diagnostics& diagnostics);

/// Balances of forces in a mechanism that add up to one without an acceleration: it moves without mass.
/// nullptr: they do not.
Diagnostic* report_massless(const FailureContext& context, const runtime::Failure& failure,
                            Diagnostics& diagnostics);

}  // namespace sigrel::explain
