// Constraints between states that follow from several equations together: exact elimination of linear
// equations with integer coefficients (ModiaBase, LinearIntegerEquations; Otter and Elmqvist, Transformation
// of differential algebraic array equations to index one form, 2017, section 5). Incidence alone does not
// show them.
//
// Example: two inductors in series with two resistors in parallel between them, i1 = j + k and j + k = i2.
// Each equation contains two unknowns that the other could determine, so a matching exists; but their
// difference, i1 = i2, contains no unknown, and it replaces one of them.
//
// An unknown that only one of these equations contains cannot cancel: that equation is left out, and then
// others, until each unknown is in two at least. In most models nothing or little remains, and only that is
// eliminated.
//
// An equation that elimination reduces to nothing is redundant: it follows from the others.
#pragma once
#include <vector>

#include "compiler/ir/dae.h"

namespace sigrel::reduce {

/// Replaces equations by the constraints between states to which they reduce, and removes redundant
/// equations, whose origins are returned. To be called before states are chosen: an unknown is a variable
/// that has no derivative. Linear in the size of the system, except for the equations that are eliminated.
std::vector<Origin> expose_constraints(dae::System& dae);

}  // namespace sigrel::reduce
