// Which variables are integrated: the choice of states where equations were differentiated.
//
// graph/dummy_derivatives.h says what there is to choose: of a set of derivatives, as many as there are
// differentiated equations become algebraic unknowns (dummies), and the equations' Jacobian with respect to
// these must be regular. Its entries decide: columns are eliminated exactly, modulo a prime (random_point.h),
// and those with a pivot made of numbers and parameters alone become dummies first, because such a choice is
// good for ever. What is left varies with the solution: unless all of it must be dummies anyway, it becomes a
// set of states, of which the runtime chooses (dae::StateSet). `state = Never` and `Always` come before all
// that; `Avoid` and `Prefer` decide among what is equally good.
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
