// Angular velocities and accelerations, three numbers each, in place of the nine second derivatives of a
// rotation.
//
// Index reduction differentiates the equations between rotations, b = a T, twice, element by element. The
// same is said by w_b = w_a + a w_T and its derivative, for angular velocities in the axes of the world,
// where w_T is that of T (turns.h); and the second derivatives of the elements of b are those of
//   b'' = cross al_b b + cross w_b b',   d'' = cross al_b d + cross w_b d'   for d = b r,
// so the loop that determines the accelerations of a mechanism has three unknowns where it had nine
// (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 2.8).
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Adds angular velocities and accelerations to an index-1 system, and replaces what reads second derivatives
/// of rotations. Rotations that do not follow from the world by turns of a known form keep theirs.
void add_angular_velocities(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
