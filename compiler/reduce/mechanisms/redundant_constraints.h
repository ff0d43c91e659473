// Constraints of loops of joints that depend on each other, as in every planar linkage whose joints hold
// their parts in space, and in mechanisms that are mobile only for special dimensions (Bennett, Bricard).
//
// Whether they do is a matter of numbers, not of counting: it is the rank of the derivatives of the
// constraints with respect to the coordinates (kinematics.h), at a position near the start that satisfies
// them. The forces that would hold the redundant constraints are not determined by the equations of rigid
// bodies: as many of them are set to zero (statics.h). They move nothing, and which of them are zero is
// chosen so that the others are determined. Where a loop is carried by a body that turns, both are components
// in axes that turn: in those of the world the choice would be a bad one after a quarter of a turn.
#pragma once
#include <memory>
#include <span>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/mechanisms/reassembly.h"
#include "compiler/reduce/mechanisms/statics.h"

namespace sigrel::reduce {

/// `loops`: the origins of the equations that close loops. `turning`: rotations in whose axes constraints and
/// forces of their parts are considered; others are in the axes of the world. The result is null without
/// loops, and where no parameter can change.
std::shared_ptr<const Reassembly> remove_redundant_constraints(system::System& system, double start_time,
                                                               std::span<const Origin> loops,
                                                               std::span<const Rotation> turning,
                                                               Diagnostics& diagnostics);

}  // namespace sigrel::reduce
