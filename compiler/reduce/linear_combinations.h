// Equations whose highest derivatives cancel in a linear combination are replaced by that combination (the
// LC method: Tan, Nedialkov and Pryce, Conversion methods for improving structural analysis of
// differential-algebraic equation systems, 2017; combinatorial relaxation: Murota, 1995). The combination
// contains only lower derivatives, and a structural index reduction of the result sees what was hidden.
//
// Example: u = a - b and a - b = 12, with the state u. Each equation can be matched with one of a and b, but
// their sum is u = 12, a constraint on the state; it replaces one of them.
//
// Example: c (b' - a') = a - sin(time), c (a' - b') = b. The sum is 0 = a - sin(time) + b.
//
// An equation with a higher offset (system_jacobian.h) takes part with its derivative of as many orders as
// the offsets differ.
#pragma once
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/reduce/system_jacobian.h"

namespace sigrel::reduce {

struct Combined {
  bool changed = false;
  /// The origins of equations of which combinations leave nothing that could be determined: the system is
  /// singular then.
  std::vector<Origin> dependent;
};

/// Replaces equations of `dae`, which `equations` lists, by combinations. Derivatives that only combinations
/// contain become variables. A dependency whose factors divide by what varies in time is left alone.
Combined combine(const system::System& system, dae::System& dae, const incidence::EquationList& equations,
                 const Offsets& offsets, const Dependencies& dependencies);

}  // namespace sigrel::reduce
