// The positions in which the loops of a mechanism close, for the parameters of a run.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/integrate/experiment.h"

namespace sigrel::session {

/// Adds them to the overrides of an experiment that changes parameters and starts by itself (reassembly.h).
/// False: a loop cannot be closed, which is reported.
bool find_loop_positions(const pipeline::Compiled& model, runtime::Experiment& experiment,
                         Diagnostics& diagnostics);

}  // namespace sigrel::session
