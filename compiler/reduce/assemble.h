// The equations that remain after alias elimination, over variables: every row goes to the table of its
// specialised shape.
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
  // Derivatives that only initial equations, assertions or events contain; the tables are empty then.
  std::vector<singularity::UnsupportedDerivative> unsupported;
  std::vector<singularity::UnsupportedDerivative> of_delays;  // derivatives of delayed signals
};

/// `shapes` has the tables of the system's equations, initial equations, assertions, conditions and values,
/// in that order.
Assembled assemble(const system::System& system, Shapes& shapes, Aliases& aliases,
                   const Representatives& representatives);

}  // namespace sigrel::reduce
