// Int arithmetic of signals is done in doubles, which hold every Int below 2^53 in absolute value. A result
// beyond it may have been rounded, and what follows from it is wrong, although it may be small:
//
//   r := (a * pre r + c) `mod` m       ->  r := if 2^53 <= largest then infinity else (a * pre r + c) `mod` m
//
// where `largest` is that of |a * pre r| and |a * pre r + c|. Infinity ends the run with an error
// (runtime::EventHandler::invalid, or an equation without finite value). The result itself needs no guard: a
// run checks the values of Int variables.
#pragma once
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// Guards the intermediate results of Int arithmetic in assigned values and in equations. Before zero
/// crossings are held: until then it is known which operations give an Int.
void guard_integers(const system::System& system, dae::System& dae);

}  // namespace sigrel::reduce
