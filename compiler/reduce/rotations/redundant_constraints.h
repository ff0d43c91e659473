// Constraints of loops of joints that depend on each other, as in every planar linkage whose joints hold
// their parts in space, and in mechanisms that move because of their measures only (Bennett, Bricard).
//
// Whether they do is a matter of numbers, not of counting: it is the rank of the derivatives of the
// constraints with respect to the coordinates (kinematics.h), at a position near the start that satisfies
// them. The forces that would hold the superfluous constraints are not determined by the equations of rigid
// bodies: as many of them are set to zero. They move nothing, and which of them are zero is chosen so that
// the others are determined.
#pragma once
#include <span>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

/// `loops`: the origins of the equations that close loops.
void remove_redundant_constraints(system::System& system, std::span<const Origin> loops,
                                  Diagnostics& diagnostics);

}  // namespace sigrel::reduce
