// The reduce stage: aliases, zeros and what follows from them are eliminated; derivatives become variables;
// constraints between states that only a combination of equations shows are exposed (hidden_constraints.h for
// equations with integer coefficients, linear_combinations.h for all); equations are differentiated until
// they determine the highest derivatives, and states are chosen.
#pragma once
#include <cstdint>
#include <span>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// The reduced system, with a matching of its equations. When the equations are too many, too few or
/// redundant, or cannot be differentiated, that is reported and the result must not be used. Near-linear in
/// the size of the system. `kept`: unknowns that remain variables of their own, whatever they are equal to.
dae::System reduce(const system::System& system, Diagnostics& diagnostics,
                   std::span<const std::uint32_t> kept = {});

}  // namespace sigrel::reduce
