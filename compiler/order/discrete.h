// Bool and Int variables: piecewise constant, so each must be given by an equation of its own, explicitly.
// Comparisons are parameters by now (reduce/zero_crossings.h), so what they compare is no part of a loop.
// Newton's method has no step to take in them, and an integrator would see only jumps.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/order/schedule.h"

namespace sigrel::order {

/// Per variable of the reduced system: whether it is a Bool or an Int. Empty when there is none.
std::vector<std::uint8_t> discrete_variables(const system::System& system, const dae::System& dae);

/// Reports simultaneous blocks of the scheduler that contain a Bool or an Int, and equations that determine
/// one without giving it explicitly (`2 * n = m`). Whether there are none.
bool check_discrete(const system::System& system, const dae::System& dae,
                    const std::vector<std::uint8_t>& discrete, ExprPool& pool,
                    const incidence::EquationList& equations, const Scheduler& scheduler,
                    Diagnostics& diagnostics);

}  // namespace sigrel::order
