// What a branch guards has a value beyond its crossing, too. Between events the branch is held, so the
// integrator, which finds the crossing inside a step, evaluates it at points behind it:
//
//   y = if x > 0 then sqrt x else 0   ->  y = if x > 0 then g else 0
//
//   g = if x <= 0 && (x < 0 or x = 0 up to rounding) then 0 else sqrt x
//
// where the comparisons in `g` are not events: the first is the domain of the root, the others the crossing.
// On its side of the crossing, and where the sides stay equal, `g` is what was written, with an error where
// that has no value; behind it, where the result of a step is not used, it continues with the value at the
// end of the domain.
#pragma once
#include "compiler/ir/dae.h"

namespace sigrel::reduce {

/// Continues roots, powers, logarithms and inverse functions that comparisons of `if` guard in the equations:
/// those whose argument depends on all that the comparison depends on, but for states and the time. The
/// comparison may define a Bool in the condition. Conditions keep their form: each is one zero crossing
/// wherever it stands. To be called before zero crossings replace the comparisons.
void continue_guarded_branches(dae::System& dae);

}  // namespace sigrel::reduce
