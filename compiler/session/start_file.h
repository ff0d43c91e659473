// Initial values from the results of an earlier run.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/integrate/simulate.h"

namespace sigrel::session {

/// "FILE@t" as the file and the time; "FILE" has none.
std::pair<std::string, std::optional<double>> split_start_request(const std::string& request);

/// Takes the initial values of the experiment from a result file, CSV or MATLAB, by name: "FILE" is its last
/// row, "FILE@t" its values at time t, interpolated between rows (discrete variables keep the value of the
/// preceding row). All states must be in the file. If its time is the start time, the run continues the
/// earlier one. Adds a note. False after an error.
bool start_from_file(const pipeline::Compiled& model, const std::string& request,
                     runtime::Experiment& experiment, Diagnostics& diagnostics);

}  // namespace sigrel::session
