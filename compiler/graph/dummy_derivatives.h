// Which derivatives of a differentiated system become algebraic unknowns (dummies), so that it has as many
// equations as unknowns again and the states that are left are independent. Mattsson and Söderlind, Index
// reduction in differential-algebraic equations using dummy derivatives, SIAM J. Sci. Comput. 14 (1993),
// section 3.
//
// Block by block of the highest derivatives: the equations h that are derivatives of others must determine as
// many of the block's variables z, which become dummies. Then the same one differentiation below: h and the
// dummies are replaced by the equations and variables whose derivatives they are, until no equation is a
// derivative. Every differentiated equation makes one dummy. A variable is a state when it has a derivative
// that is not a dummy.
//
// Example (the pendulum of pantelides.h, 1-based): the block {3,4,7,8,9} for w' z' T x'' y'' contains the
// derivatives 7, 8 and 9, in x'' y'' w' z'. Three of these become dummies: y'', x'', z' (the later variables,
// when nothing is preferred). With one differentiation less only equation 6 is a derivative, in x' y': y' is
// the last dummy. States: x and w.
//
// By default the incidence alone decides which choice is possible; the choice may be singular at some point
// of a solution (the pendulum above at y = 0). With a RankDecision the coefficients decide. It may also leave
// a choice open, to be made at run time: all of its candidates take part in the choice one differentiation
// below, and none of them is a dummy or makes a state.
#pragma once
#include <functional>

#include "compiler/graph/blt.h"
#include "compiler/graph/pantelides.h"

namespace sigrel::graph {

/// Chooses as many of the candidates as there are equations, so that the equations' Jacobian with respect to
/// them has full rank. Candidates come in the order in which they should become dummies. Without a result
/// the incidence decides.
struct Decision {
  std::vector<std::uint32_t> dummies;
  std::vector<std::uint32_t> open;  // some of these become dummies at run time: one per equation left
};
using RankDecision = std::function<std::optional<Decision>(std::span<const std::uint32_t> equations,
                                                           std::span<const std::uint32_t> candidates)>;

struct DummyDerivatives {
  struct Choice {
    std::uint32_t block;                    // of `blocks`
    std::vector<std::uint32_t> equations;   // derivatives of other equations
    std::vector<std::uint32_t> candidates;  // in the order in which they should become dummies
    std::vector<std::uint32_t> dummies;     // as many as equations, where nothing is open
    std::vector<std::uint32_t> open;
    bool free() const { return dummies.size() < candidates.size(); }
  };
  Blocks blocks;  // of the equations without derivative for the variables without derivative
  /// For each block that contains derivatives of equations, highest derivatives first.
  std::vector<Choice> choices;
  std::vector<std::uint32_t> dummies;  // ascending
  std::vector<std::uint32_t> states;   // ascending; without those whose derivative is open
};

/// `system` is complete. `priority`, by original variable: variables with higher numbers are states before
/// others. A derivative adds the priority of its variable, so a number for x counts for x' too. Of equals the
/// first variables are states.
DummyDerivatives dummy_derivatives(const Differentiated& system, std::span<const long> priority = {},
                                   const RankDecision& decide = {});

}  // namespace sigrel::graph
