// Int arithmetic of signals is done in doubles, which hold every Int below 2^53 in absolute value. A result
// beyond it may have been rounded, and what follows from it is wrong, although it may be small:
//
//   r := (a * pre r + c) `mod` m    ->  r := if largest < 2^53 then (a * pre r + c) `mod` m else infinity
//
// where `largest` is that of |a * pre r| and |a * pre r + c|; where that is infinite itself, by a division by
// zero, r is not a number. Both end the run with an error (runtime::Assignments::invalid, a condition or an
// equation without finite value). The result itself needs no guard: a run checks the values of Int variables.
//
// A Bool has no value if a comparison in it has none, but for what `&&`, `||` and `if` leave out:
//
//   n /= 0 && 6 `div` n > 2         ->  if (if n /= 0 then largest else 0) < 2^53 then … else infinity
//
// So it is with a comparison of Reals that follow from Ints, as `sqrt (real n) < 2.0` for a negative n, in an
// assigned value, a condition or an assertion.
#pragma once
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Guards the intermediate results of Int arithmetic in assigned values, conditions and equations. Before
/// the reduction, which rewrites expressions: until then it is known which operations give an Int, and in
/// which order.
void guard_values(system::System& system);

}  // namespace sigrel::reduce
