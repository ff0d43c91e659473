// Aliases, zeros, redundant equations and arbitrary levels together: what the reduce stage begins with, and
// what explains afterwards why an unknown is another one.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/system.h"
#include "compiler/reduce/aliases.h"
#include "compiler/reduce/assemble.h"
#include "compiler/singularity/floating_potentials.h"

namespace sigrel::reduce {

struct Elimination {
  Assembled assembled;
  singularity::Redundant redundant;  // empty where it follows from levels that are taken as zero
  singularity::FloatingPotentials
      floating;  // if `taken`, those that are taken as zero; else why they are not
  bool taken = false;
  std::vector<Aliases::Merge> merges;  // if they were wanted
};
Elimination eliminate(const system::System& system, bool want_merges = false);

/// A step from an unknown to the one that stands for it: the equation makes `from` another one, its negative,
/// or zero.
struct Link {
  std::optional<Origin> origin;  // absent: it is taken as zero
  std::uint32_t from = 0;
  std::optional<std::uint32_t> to;  // absent: zero
  bool negative = false;
};
/// From the unknown to its representative in `dae`, or to zero; empty for a representative. Repeats the
/// elimination: for reports.
std::vector<Link> elimination_chain(const system::System& system, const dae::System& dae,
                                    std::uint32_t unknown);

}  // namespace sigrel::reduce
