// Guesses for unknowns that have none, from guesses of variables that equations tie to them.
//
// Newton's method starts from the values of the tearing variables, which the compiler selects. With
//
//   xi = 2 xg,  xg^3 + xg = c,  guess xi = 4.0
//
// it iterates on xg, while xi follows after the loop. So the first equation, solved for xg, gives it the
// guess 2. An equation propagates guesses when it is linear in the one variable that has no value yet; the
// others are guessed, or computed before the loop. Its coefficient may be a signal, as in `xi = k xg`: where
// that is zero, there is no guess. It becomes a Guess step of the initial schedule,
// before the loop.
#pragma once
#include <vector>

#include "compiler/incidence/incidence.h"
#include "compiler/order/ordering.h"

namespace sigrel::order {

/// Inserts the steps. The variables of which the guesses are used by them.
std::vector<VariableId> propagate_guesses(Ordering& ordering, const incidence::EquationList& equations,
                                          Scheduler& scheduler);

}  // namespace sigrel::order
