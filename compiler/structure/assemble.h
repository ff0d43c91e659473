// The reduced equations: every kept row of the system goes to the table of its specialised shape, over
// variables.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/structure/aliases.h"
#include "compiler/structure/representatives.h"

namespace sigrel::structure {

/// A derivative that the initial equations or assertions contain and the equations do not.
struct StrangeDerivative {
  std::uint32_t unknown = 0;
  std::uint32_t order = 0;
  Origin origin;
};

struct Assembled {
  dae::System dae;  // without `assign`
  std::vector<StrangeDerivative> strange;
  std::vector<StrangeDerivative> of_delays;  // derivatives of what `delay` gives
};

/// Tables of the system's initial equations follow those of its equations in `shapes`, then those of its
/// assertions and events.
Assembled assemble(const system::System& system, Shapes& shapes, Aliases& aliases,
                   const Representatives& representatives);

}  // namespace sigrel::structure
