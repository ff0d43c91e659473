// Constraints between states that no equation states alone: exact elimination of linear equations with whole
// coefficients (ModiaBase, LinearIntegerEquations; Otter and Elmqvist 2017, section 5). Structure cannot see
// them.
//
// Example: two inductors in series with two resistors in parallel between them, i1 = j + k and j + k = i2.
// Each equation contains two unknowns that the other could determine, so that a matching exists; but their
// difference, i1 = i2, has none, and it takes the place of one of them.
//
// An unknown that only one of these equations contains cannot cancel: that equation is left out, and then
// others, until each unknown is in two at least. What remains is little or nothing, and only that is
// eliminated.
//
// An equation that the elimination leaves nothing of follows from the others.
#pragma once
#include <vector>

#include "compiler/ir/dae.h"

namespace sigrel::reduce {

/// Replaces equations by what they say of states alone, where others take all their unknowns away, and takes
/// out those that say nothing new, whose origins are returned. Before derivatives are known to be states: an
/// unknown is a variable that has no derivative. Linear in the size of the system but for what remains.
std::vector<Origin> expose_constraints(dae::System& dae);

}  // namespace sigrel::reduce
