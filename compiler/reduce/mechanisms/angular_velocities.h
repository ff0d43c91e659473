// Angular velocities and accelerations, three numbers each, in place of the nine second derivatives of a
// rotation.
//
// Index reduction differentiates the equations between rotations, b = a T, twice, element by element. Of the
// relative rotation T the angular velocity w_T is known (relative_rotations.h), so these are equivalent to
//   w_b = w_a + a w_T,   alpha_b = alpha_a + a w_T' + w_a x w_b
// with angular velocities w and accelerations alpha resolved in the axes of the world. What reads second
// derivatives of elements reads b'' = alpha_b x b + w_b x b' in their place, column by column. So the loop
// that determines the accelerations of a mechanism has three unknowns where it had nine. The equations
// between rotations keep b''; nothing else reads it (Featherstone, Rigid Body Dynamics Algorithms, 2008,
// section 2.8).
//
// Example: for `b.rot = a.rot * turn e phi` of a hinge, w_b = w_a + a e phi' and alpha_b = alpha_a + a e
// phi'' + w_a x w_b; and d = b r of a rod, of which d'' = b'' r, becomes d'' = (alpha_b x b + w_b x b') r.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Adds angular velocities and accelerations to an index-1 system, and replaces what reads second derivatives
/// of rotations, except in sum equations, of which few have any. Rotations that do not follow from the world
/// by relative rotations of a known form keep their nine second derivatives. Needs the flat equations of the
/// system.
void add_angular_velocities(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
