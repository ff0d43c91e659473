// The beginning of the reduce stage: aliases, zeros, redundant equations and floating potentials. The chain
// of aliases from an unknown to its representative is found here too, for reports.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/system.h"
#include "compiler/reduce/aliases.h"
#include "compiler/reduce/assemble.h"
#include "compiler/singularity/floating_potentials.h"

namespace sigrel::reduce {

struct Elimination {
  Assembled assembled;
  singularity::Redundant
      redundant;  // without the equations that follow from floating potentials taken as zero
  /// If `taken`, the floating potentials that are taken as zero, otherwise why they are not.
  singularity::FloatingPotentials floating;
  bool taken = false;
  std::vector<Aliases::Merge> merges;  // if they were wanted
};
/// Near-linear. Where equations are redundant, floating potentials are searched for; if they explain all
/// redundant equations and nothing depends on them, they are taken as zero, and elimination is repeated.
/// `kept`: unknowns that must neither be an alias nor zero (Aliases::keep).
Elimination eliminate(const system::System& system, std::span<const std::uint32_t> kept = {},
                      bool want_merges = false);

/// The equations of the system that have these origins; for reports.
std::vector<std::uint32_t> equations_of(const system::System& system, const std::vector<Origin>& origins);

/// A step from an unknown towards its representative: the equation makes `from` equal or opposite to `to`, or
/// zero.
struct Link {
  std::optional<Origin> origin;  // absent: a floating potential that is taken as zero
  std::uint32_t from = 0;
  std::optional<std::uint32_t> to;  // absent: zero
  bool negative = false;
};
/// From the unknown to its representative in `dae`, or to zero; empty for a representative. Repeats the
/// elimination: for reports.
std::vector<Link> elimination_chain(const system::System& system, const dae::System& dae,
                                    std::uint32_t unknown);

}  // namespace sigrel::reduce
