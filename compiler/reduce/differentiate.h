// Differentiated equations as tables: what Pantelides' algorithm asks for on integers is made of expressions
// here.
//
// The total derivative of a shape is taken once; every row of the table that is differentiated becomes a row
// of the new one. Its slots are those old slots that still occur, and the derivatives of old slots. Where two
// of them are one variable in a row, that row goes to the table of the shape in which they are one slot.
//
// Example: x x + y y - p = 0 gives 2 x x' + 2 y y' = 0 over x, y, x', y'; again, over x, y, x', y', x', y',
// x'', y'', it has two slots for x' and two for y', and 2 x' x' + 2 x x'' + 2 y' y' + 2 y y'' = 0 is the
// table that is kept.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/graph/pantelides.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// How the numbers of the graph are found in the reduced system.
struct Numbering {
  std::vector<std::uint32_t> variable_of;  // by column
  std::vector<std::uint32_t> equation_of;  // by row
};

/// Adds the derivatives in `graph` to the variables and equations of `dae`, whose equations and variables are
/// the first rows and columns of `graph`. A function of C that has no derivative and needs one is reported;
/// the result must not be used then.
Numbering differentiate(const system::System& system, const graph::Differentiated& graph, dae::System& dae,
                        Diagnostics& diagnostics);

}  // namespace sigrel::reduce
