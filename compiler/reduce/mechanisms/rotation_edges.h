// The equations between rotations of a flat system, as edges of a graph. Its vertices are rotations (nine
// unknowns, three degrees of freedom) and the world.
//
// Example: `b.rot = a.rot * turn e phi` of a revolute joint is an edge from `a.rot` to `b.rot`, and `a.rot =
// identity 3` one from the world to `a.rot`.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/incidence/ids.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

using Matrix = std::array<ExprId, 9>;           // by rows
using Rotation = std::array<std::uint32_t, 9>;  // unknowns, by rows

struct RotationEdge {
  Origin origin;                         // of its first equation
  std::array<std::uint32_t, 9> sources;  // of its equations, by rows of the matrix; index of System::sources
  std::array<EquationId, 9> rows;        // by rows of the matrix
  Rotation to;
  /// Absent: the equations do not have the form `to = from * turn`, and the rotation is that of `to` in the
  /// world.
  std::optional<Rotation> from;
  /// The unknowns and parameters of all nine equations: slots and parameters of the expressions below.
  std::vector<std::uint32_t> unknowns, parameters;
  Matrix residuals;
  std::size_t free = 0;  // of the unknowns: those of neither rotation

  std::uint32_t slot_of(std::uint32_t unknown) const {
    return static_cast<std::uint32_t>(std::ranges::find(unknowns, unknown) - unknowns.begin());
  }
};

/// A number for an origin, to find it by.
inline std::uint64_t key(Origin origin) {
  return static_cast<std::uint64_t>(origin.instance) << 32 | origin.source;
}

/// Those of a system; empty where no connector has a rotation. Equations with derivatives are not among them.
/// Their residuals are added to `pool`, which may be that of the system.
std::vector<RotationEdge> rotation_edges(const system::System& system, ExprPool& pool);

}  // namespace sigrel::reduce
