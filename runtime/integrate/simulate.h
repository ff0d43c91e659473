// Simulates a model: initial values, integration, results. The entry point of the runtime.
#pragma once
#include "runtime/integrate/experiment.h"
#include "runtime/model.h"
#include "runtime/results/output.h"

namespace runtime {

/// Rows are passed to the sinks of `output` at `steps + 1` equally spaced times, the last one exactly at the
/// stop time.
Outcome simulate(const Model& model, const Experiment& experiment, const Output& output,
                 const Control& control = {});

}  // namespace runtime
