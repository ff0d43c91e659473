// The part of a reduced system that has fewer equations than unknowns: what its equations leave free is among
// these unknowns. It exists wherever equations are redundant.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"

namespace sigrel::singularity {

/// x and its derivatives are one variable: x.
struct UnderDeterminedPart {
  std::vector<EquationId> equations;
  std::vector<VariableId> variables;
  std::size_t missing = 0;  // equations
};
UnderDeterminedPart under_determined_part(const dae::System& dae);

/// By unknown of the system: whether it is in that part.
std::vector<bool> undetermined_unknowns(const dae::System& dae, const UnderDeterminedPart& part);

}  // namespace sigrel::singularity
