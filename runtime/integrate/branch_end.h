// Whether the solution of a nonlinear algebraic loop ends where an integrator cannot go on.
//
// Before a fold an unknown of the loop moves like the root of the time that is left, and where states are
// integrated from it no error test lets a step reach the fold: the step size vanishes. What distinguishes
// this from a state that grows without bound is that all states are smooth there. So the states are
// extrapolated along their rates, over ever longer times, until the loop has no solution near the present
// one. If they have moved little by then, and the loop has such a solution for the states as long before, its
// solution ends.
#pragma once
#include <functional>
#include <optional>

#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

/// BranchEnds, with what is known of the loop. `value`: of a variable at this time.
Failure branch_end(const Model& model, std::uint32_t loop, double time,
                   const std::function<double(std::uint32_t)>& value);

/// `instance`: with values at `time`, where an integrator cannot go on; the unknowns of loops may be those of
/// somewhat earlier. They are left as they are. `range`: of the times of the run.
std::optional<Failure> find_branch_end(ModelInstance& instance, double time, double range);

}  // namespace runtime
