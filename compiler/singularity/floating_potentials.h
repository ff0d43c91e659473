// Floating potentials: unknowns that can all be raised by the same amount without breaking an equation, as in
// a circuit without a ground. Nothing but their common reference is undetermined then, provided that as many
// equations follow from the others (the currents balance at the last node because they do at all others).
// The reference is arbitrary: one of the potentials is taken as zero (ModiaBase, "arbitrary potentials").
//
// Example: u = a - b, u = 10, i + j = 0 at a and again at b: a and b float, and one of the sums is redundant.
//
// The reference is not arbitrary where a condition, an assertion or an initial equation depends on it, where
// the redundant equation contains floating potentials itself (x = y, y = z, z = x: that is a mistake), or
// where it is redundant only for some numbers (i + j = 1).
//
// FloatingVerdict is this rule. A flat system fills it in here, from the null space of the equations that are
// left after alias elimination; a relation definition in structural_types/mixed.cpp, from the elimination of
// its hidden unknowns.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"

namespace sigrel::singularity {

/// Whether floating potentials are harmless, and if not, an equation or condition that shows why.
template <class Equation>
struct FloatingVerdict {
  /// Nothing but floating potentials is undetermined, and no redundant equation contains one.
  bool floats = false;
  std::size_t potentials = 0, redundant = 0;  // how many groups of potentials, and redundant equations
  std::optional<Equation> condition;          // a condition or an assertion depends on the reference
  std::optional<Equation> start;              // an initial equation does
  std::optional<Equation> numbers;  // whether a redundant equation contradicts others depends on them
  bool harmless() const {
    return floats && potentials > 0 && potentials == redundant && !condition && !start && !numbers;
  }
};

struct FloatingPotential {
  std::vector<std::uint32_t> unknowns;  // of the system, ascending; several
  UnknownId zero;                       // the one that is taken as zero
};

struct FloatingPotentials {
  std::vector<FloatingPotential> floating;  // empty where the verdict is that nothing floats
  FloatingVerdict<Origin> verdict;
  bool harmless() const { return verdict.harmless(); }
};

/// Redundant equations of the system, by their numbers; ascending.
struct Redundant {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> constant;  // those of them in which only numbers and parameters are left
};

/// `dae` has been freed of the redundant equations.
FloatingPotentials find_floating_potentials(const system::System& system, const dae::System& dae,
                                            const Redundant& redundant);

/// The warnings about harmless floating potentials.
void report_floating_potentials(const system::System& system, const FloatingPotentials& floating,
                                Diagnostics& diagnostics);

}  // namespace sigrel::singularity
