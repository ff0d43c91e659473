// Whether the algebraic loops of a start have other solutions than the one that was found.
//
// A start takes the solution to which Newton's method leads. Where the loop has others and nobody gave a
// guess, nothing in the model chose it. A loop is searched for another solution by deflation: the residuals F
// are multiplied by m(x) = 1 + 1/|x - x*|^2, which has a pole at the known solution x*, so that Newton's
// method for m F converges to another one or to none. Its step is that for F, s, times a factor:
//
//   d = s / (1 - (grad m . s) / m)
//
// Farrell, Birkisson and Funke, Deflation techniques for finding distinct solutions of nonlinear partial
// differential equations, SIAM J. Sci. Comput. 37 (2015), section 3.
//
//   x^2 = 4 with x* = 2: from x = -1, s = -1.5 and grad m . s / m = -0.1, so d = -1.36, towards -2.
//
// A solution that is found is one. That none is found says nothing. The work is limited: small loops, a few
// of them, and a few dozen iterations each.
#pragma once
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

/// Other solutions of the nonlinear loops of `schedule` of which no variable has a guess; the current values
/// are a solution, and are not changed.
std::vector<OtherSolution> other_solutions(ModelInstance& instance, double time,
                                           std::span<const Step> schedule);

}  // namespace runtime
