// Levels of potentials that nothing fixes: unknowns that can all be raised by the same amount without
// breaking an equation, as in a circuit without a ground. Nothing but the level itself is undetermined then,
// provided that as many equations follow from the others (the currents balance at the last node because they
// do at all others). Such a level is arbitrary: any value does, and it is taken as zero (ModiaBase,
// "arbitrary potentials").
//
// Example: u = a - b, u = 10, i + j = 0 at a and again at b: a and b are a level, and one of the sums is
// redundant.
//
// It is not arbitrary where a condition, an assertion or the start depends on it, where the equation that
// seems to follow is one of the levels themselves (x = y, y = z, z = x: that is a mistake), or where it
// follows only for some numbers (i + j = 1).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::singularity {

struct FloatingPotential {
  std::vector<std::uint32_t> unknowns;  // of the system, ascending; several
  std::uint32_t zero = 0;               // the one that is taken as zero
};

struct FloatingPotentials {
  std::vector<FloatingPotential> floating;  // nothing else is undetermined; empty if something is
  bool harmless = false;
  std::optional<Origin> decides;  // a condition or an assertion depends on one
  std::optional<Origin> starts;   // an initial equation does
  std::optional<Origin> depends;  // whether this agrees with the others depends on numbers
};

/// Equations of the system that say nothing new, by their numbers; ascending.
struct Redundant {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> constant;  // those of them in which only numbers and parameters are left
};

/// `dae` has been freed of the redundant equations.
FloatingPotentials find_floating_potentials(const system::System& system, const dae::System& dae,
                                            const Redundant& redundant);

/// The warnings about harmless levels.
void report_floating_potentials(const system::System& system, const FloatingPotentials& floating,
                                Diagnostics& diagnostics);

}  // namespace sigrel::singularity
