// The forces of a mechanism at a position: which of them its equations leave open.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/reduce/rotations/kinematics.h"

namespace sigrel::reduce {

/// As few unknowns as possible, such that the equations determine all forces when these are given: positions,
/// and what is differentiated, are known. `closing`: instances of which they should be, if possible.
std::vector<std::uint32_t> undetermined_forces(system::System& system, RowValues& rows,
                                               const Kinematics& kinematics, const Kinematics::Point& point,
                                               std::span<const std::uint32_t> closing);

}  // namespace sigrel::reduce
