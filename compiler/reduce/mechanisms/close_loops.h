// Rotations of a mechanism: each has one value, whatever number of joints leads to it.
//
// The equations between rotations (rotation_edges.h) form a graph. On a spanning forest of it they determine
// one rotation after the other, from the world outwards: nine explicit equations for each, turned round where
// a part is connected the other way. An edge that is left closes a loop. There the product of the turns
// around the loop is the identity: three equations, its antisymmetric part scaled to tan (angle / 2) times
// the axis. So a loop of joints needs no part that closes it.
#pragma once
#include <memory>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/mechanisms/reassembly.h"

namespace sigrel::reduce {

struct ClosedLoops {
  /// Where the relations are written that have a loop of rotations in them: by themselves, before it is
  /// closed, they have too many equations.
  std::vector<Span> around;
  /// Null without loops, and where no parameter can change.
  std::shared_ptr<const Reassembly> reassembly;
};

/// Replaces equations between rotations as described. Where the constraints of a loop depend on each other at
/// every position of the mechanism near its start, as those of a planar linkage do, it replaces as many of
/// them by reactions that are zero, and notes that (redundant_constraints.h).
///
/// In this order: the rotation edges and their spanning forest; the new equations; then
/// `remove_redundant_constraints`, which lets `assemble_loops` find the position at the start. The latter
/// adds it to the attributes of the system and reports what is wrong with it (SR0411, SR0414, SR0415).
///
ClosedLoops close_loops(system::System& system, double start_time, Diagnostics& diagnostics);

}  // namespace sigrel::reduce
