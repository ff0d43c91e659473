// The matching of the system that the start solves: all equations, the initial equations, and `state = guess`
// where these leave freedom.
//
// Example: der x = -x without initial equations has two variables, x and der x, and one equation. x takes its
// guess.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/incidence/ids.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::order {

struct InitialMatching {
  /// By variable: the number of its equation, as plan::Plan::initial_assign has it. The equations after the
  /// hard ones are the guesses, in the order of `guessed`.
  std::vector<std::uint32_t> row_of_variable;
  std::vector<VariableId> guessed;  // states whose start is their guess
  /// Hard equations without a variable: each follows from others, or contradicts them.
  std::vector<EquationId> unmatched;
  /// Variables that the hard equations do not determine: any of these may be given.
  std::vector<VariableId> undetermined;
};

/// Matches the hard equations (the system's, which `dae.assign` matches, then the initial ones) with all
/// variables, states included, and then lets the states in `preference` order take their guesses as long as
/// they fit. Where initial equations make a variable zero, an equation does not determine the factors of that
/// variable, if there is another matching: from (1, 0) the constraint x vx + y vy = 0 determines vx, and vy
/// is free.
InitialMatching match_initial(ExprPool& pool, const system::System& system, const dae::System& dae,
                              const incidence::EquationList& hard, const std::vector<VariableId>& preference);

}  // namespace sigrel::order
