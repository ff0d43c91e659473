// The start of a run from the results of an earlier one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/session/pipeline.h"
#include "runtime/simulate.h"

namespace sigrel::session {

/// Values of variables from a file of results, CSV or MATLAB,, by name: "FILE" is its last row, "FILE@t" what it has at time t, between two rows
/// interpolated. NaN where the file has none; that it has all states is checked. A note says what the start is. Nullopt after an error.
std::optional<std::vector<double>> start_from_file(const Compiled& model, const std::string& request, Diagnostics& diagnostics);

/// The note that a block of the start was solved by continuation.
void note_continuation(const Compiled& model, const runtime::Continued& block, Diagnostics& diagnostics);

}  // namespace sigrel::session
