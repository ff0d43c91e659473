// Differentiated equations as tables: Pantelides' algorithm decides on integers which equations are
// differentiated, and their expressions are differentiated here.
//
// The total derivative of a shape is taken once; every row of the table that is differentiated becomes a row
// of the new one. Its slots are those old slots that still occur, and the derivatives of old slots. Where two
// of them are one variable in a row, that row goes to the table of the shape in which they are one slot.
//
// Example: x x + y y - p = 0 gives 2 x x' + 2 y y' = 0 over x, y, x', y'; again, over x, y, x', y', x', y',
// x'', y'', it has two slots for x' and two for y', which become one each: 2 x' x' + 2 x x'' + 2 y' y' +
// 2 y y'' = 0.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/graph/pantelides.h"
#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// The variables and equations of the reduced system that the columns and rows of the graph stand for.
struct Numbering {
  std::vector<VariableId> variable_of;  // by column
  std::vector<EquationId> equation_of;  // by row
};

/// Adds the derivatives in `graph` to the variables and equations of `dae`, whose equations and variables are
/// the first rows and columns of `graph`. A C function without a derivative that would need one is
/// reported; the result must not be used then.
Numbering differentiate(const system::System& system, const graph::Differentiated& graph, dae::System& dae,
                        Diagnostics& diagnostics);

}  // namespace sigrel::reduce
