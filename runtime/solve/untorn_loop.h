// An algebraic loop without tearing. Tearing divides by the coefficients of the variables that it solves for;
// where these are small, rounding errors grow along the chain of inner variables until no digit of the result
// is left, although the loop as a whole is well conditioned (Elmqvist and Otter, Methods for tearing systems
// of equations in object-oriented modeling, ESM 1994, section 5). All equations in all variables, with
// pivots chosen by size, have no such chain. In nonlinear loops the chain also leads far away from a
// solution: with a + a^3 = b - 20 and exp (5 b) in another equation, a guess a = 0 means exp 100, and the
// residual as a function of `a` alone is too steep, or overflows, where Newton's method passes.
#pragma once
#include "runtime/model.h"

namespace runtime {

/// Whether the loop is torn, and its equations can be evaluated as residuals.
bool can_untear(const Model& model, const AlgebraicLoop& loop);

/// A model whose only loop is this one, with all of its equations as residual equations and all of its
/// variables as unknowns. Variables, parameters and kernels have the numbers that they have in `model`.
Model untorn_loop(const Model& model, const AlgebraicLoop& loop);

}  // namespace runtime
