// Jumps at a change of structure: where the new structure ties what was independent, values that are
// differentiated change at once, so that flux, charge and momentum are conserved.
//
// Let index reduction differentiate equation i c(i) times, and let d(j) be the order of the highest
// derivative of variable j. Integrated over the instant, an equation with c = 0 keeps only its highest
// derivatives, whose integrals are jumps of the derivatives below, and variables with d = 0, whose integrals
// are impulses; everything else is finite and vanishes. An equation with c >= 1 holds after the instant,
// differentiated c - 1 times. These are as many linear equations as unknowns; their matrix is the system
// Jacobian of the new structure. (Pryce, BIT 41, 2001, for c and d; Benveniste, Caillaud and Malandain,
// Annual Reviews in Control 50, 2020, for multimode systems.)
//
// Example: two capacitors, C1 der u1 = i1, C2 der u2 = i2, i1 + i2 = 0, and now u1 = u2 (c = 1). C1 Δu1 = q1,
// C2 Δu2 = q2, q1 + q2 = 0, and u1 = u2 afterwards.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "runtime/model.h"

namespace sigrel::session {

/// An unknown that equations differentiate: its value, or its derivative below the highest order.
struct Differentiated {
  std::uint32_t unknown = 0, order = 0;
  bool discrete = false;  // only events change it
};
/// Those of the equations of a system.
std::vector<Differentiated> differentiated(const system::System& system);

/// Variables that are no states, but are tied to one by constraints, also through other variables.
std::vector<std::uint32_t> tied_to_states(const dae::System& dae, std::span<const runtime::State> states);

struct Jump {
  std::uint32_t unknown = 0, order = 0;  // of its derivative of this order
  double before = 0, after = 0;
};
struct Impulse {
  std::uint32_t unknown = 0;
  double value = 0;  // the integral over the instant
};

struct Jumps {
  std::vector<Jump> jumps;
  std::vector<Impulse> impulses;
  std::string failure;                  // why they are not determined; empty: they are
  std::vector<std::uint32_t> unknowns;  // that the failure is about
};

/// `kept`: the reduced system in which each differentiated unknown is a variable of its own. `value`: of the
/// derivative of an unknown, before the instant where `before` and it existed then, else after it; `nominal`
/// of an unknown. `parameters`: of the new structure.
Jumps solve_jumps(const dae::System& kept, double time, std::span<const double> parameters,
                  const std::function<double(std::uint32_t unknown, std::uint32_t order, bool before)>& value,
                  const std::function<double(std::uint32_t unknown)>& nominal);

/// The transitions that are due where impulses outweigh everything finite, by their triggers, ascending: of
/// those whose conditions read an unknown with an impulse. `value`: of an unknown without.
std::vector<std::uint32_t> due_by_impulses(const system::System& system, const dae::System& kept,
                                           const Jumps& jumps, double time,
                                           std::span<const double> parameters,
                                           const std::function<double(std::uint32_t unknown)>& value);

/// The jumps of flows that are zero afterwards whatever the values before were, such as the current of an
/// inductor that a contact interrupts: nothing bounds their impulses in time. `jumps`: those of the values;
/// other arguments are those of `solve_jumps`. Smaller flows than a part of the largest one are left out:
/// they are errors of the instant, at which a diode opens for example.
std::vector<Jump> interrupted(
    const system::System& system, const dae::System& kept, const Jumps& jumps, double time,
    std::span<const double> parameters,
    const std::function<double(std::uint32_t unknown, std::uint32_t order, bool before)>& value,
    const std::function<double(std::uint32_t unknown)>& nominal);

}  // namespace sigrel::session
