// The reduce stage: aliases, zeros and what follows from them are eliminated; derivatives become variables.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::structure {

/// The reduced system, with a matching of its equations. When the equations are too many, too few, redundant, or of an
/// index above 1, that is reported and the result must not be used. Near-linear in the size of the system.
dae::System reduce(const system::System& system, Diagnostics& diagnostics);

}  // namespace sigrel::structure
