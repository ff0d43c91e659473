// The start of a run from the results of an earlier one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/session/pipeline.h"
#include "runtime/integrate/simulate.h"

namespace sigrel::session {

/// Lets the experiment begin with values of variables from a file of results, CSV or MATLAB, by name: "FILE"
/// is its last row, "FILE@t" what it has at time t, between two rows interpolated (what changes at events
/// only is as the row before has it). That the file has all states is checked. Where it is of the very start
/// time, the run continues that one. A note says what the start is. False after an error.
bool start_from_file(const Compiled& model, const std::string& request, runtime::Experiment& experiment,
                     Diagnostics& diagnostics);

/// The note that a block of the start was solved by continuation.
void note_continuation(const Compiled& model, const runtime::Continued& block, Diagnostics& diagnostics);

}  // namespace sigrel::session
