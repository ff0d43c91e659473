// Delayed signals have no derivatives: their past is a list of values. An equation that needs one is an
// error, whether the model contains the derivative or index reduction does.
#pragma once
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::reduce {

/// Reports derivatives of delayed signals that the model contains.
void report_derivatives_of_delays(const system::System& system, const dae::System& dae,
                                  const std::vector<singularity::UnsupportedDerivative>& found,
                                  Diagnostics& diagnostics);

/// Reports the first differentiated equation that contains the derivative of a delayed signal.
void check_delays(const system::System& system, const dae::System& dae, Diagnostics& diagnostics);

}  // namespace sigrel::reduce
