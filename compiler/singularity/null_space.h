// Which combinations of unknowns a system leaves free, for almost all values of its parameters: null vectors
// of the matrix s*E - A of its linearisation, at random numbers modulo a prime. An expression counts by its
// value at the random point, equal expressions alike, so that a cancellation which holds for all values is
// seen, and one that needs a special value is not (Schwartz 1980; Zippel 1979).
//
// Example: u = a - b, u = 10 has the null vector a = b = 1, u = 0: nothing fixes the level of a and b.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/dae.h"

namespace sigrel::singularity {

struct NullVector {
  std::vector<std::uint32_t> variables;  // with a nonzero entry, ascending
  std::vector<bool> opposite;            // of each: its entry is not that of the first
  bool level = false;  // all entries are 1 or -1: only differences (or sums) of these are determined
};

/// `equations` are dense numbers of the reduced system; `variables`, of order 0, are the columns, all others
/// are fixed. nullopt when elimination fills up beyond reason. For messages.
std::optional<std::vector<NullVector>> null_vectors(const dae::System& dae,
                                                    std::span<const std::uint32_t> equations,
                                                    std::span<const std::uint32_t> variables);

}  // namespace sigrel::singularity
