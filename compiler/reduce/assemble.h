// The reduced equations: every kept row of the system goes to the table of its specialised shape, over
// variables.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/aliases.h"
#include "compiler/reduce/representatives.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel::reduce {

struct Assembled {
  dae::System dae;  // without `assign`
  std::vector<singularity::UnsupportedDerivative> strange;
  std::vector<singularity::UnsupportedDerivative> of_delays;  // derivatives of what `delay` gives
};

/// Tables of the system's initial equations follow those of its equations in `shapes`, then those of its
/// assertions and events.
Assembled assemble(const system::System& system, Shapes& shapes, Aliases& aliases,
                   const Representatives& representatives);

}  // namespace sigrel::reduce
