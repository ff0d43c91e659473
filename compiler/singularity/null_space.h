// Combinations of unknowns that a system leaves free for almost all values of its parameters: null vectors of
// the matrix s·E − A of its linearisation, over the prime field at a random point (exact/random_point.h). A
// cancellation that holds for all values is detected, one that needs a special value is not.
//
// Example: u = a - b, u = 10 has the null vector a = b = 1, u = 0: only the difference of a and b is
// determined.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"

namespace sigrel::singularity {

struct NullVector {
  std::vector<VariableId> variables;  // with a nonzero entry, ascending
  std::vector<bool> opposite;         // by place in `variables`: the entry differs from the first
  bool unit = false;  // all entries are 1 or -1: only differences (or sums) of the variables are determined
};

/// Null vectors of some equations of the reduced system; `variables`, of order 0, are the columns, and all
/// other variables are taken as given. A derivative counts as s times the variable. At most 256 vectors;
/// nullopt where elimination fills up too much. For diagnostics.
std::optional<std::vector<NullVector>> null_vectors(const dae::System& dae,
                                                    std::span<const EquationId> equations,
                                                    std::span<const VariableId> variables);

}  // namespace sigrel::singularity
