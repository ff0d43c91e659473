// Which variables are integrated: the choice of states where equations were differentiated.
//
// graph/dummy_derivatives.h describes the choice: of a set of derivatives, as many as there are
// differentiated equations become algebraic unknowns (dummies), and the equations' Jacobian with respect to
// these must be regular. Its columns are eliminated exactly, over the prime field (exact/random_point.h).
// Columns with a pivot made of numbers and parameters alone become dummies first, because such a choice stays
// regular. The other pivots vary with the solution: unless all of these columns must be dummies anyway, they
// become a state set, from which the runtime chooses (dae::StateSet). `state = Never` and `Always` have
// priority over all that; `Avoid` and `Prefer` decide between choices that are equally good.
#pragma once
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/graph/pantelides.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/differentiate.h"

namespace sigrel::reduce {

/// Marks the states of `dae`, and adds sets with their equations. Differentiated equations that depend on
/// each other, for whatever values, are reported.
void select_states(const system::System& system, const graph::Differentiated& graph,
                   const Numbering& numbering, dae::System& dae, Diagnostics& diagnostics);

}  // namespace sigrel::reduce
