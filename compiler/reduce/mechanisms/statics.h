// The forces of a mechanism at a position: which of them its equations leave open.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/reduce/mechanisms/configuration.h"
#include "compiler/reduce/mechanisms/kinematics.h"
#include "compiler/reduce/mechanisms/rotation_edges.h"

namespace sigrel::reduce {

/// Those of the rotations that are known, by the first unknown of each.
std::unordered_map<std::uint32_t, const Rotation*> known_rotations(const Kinematics& kinematics,
                                                                   std::span<const Rotation> rotations);

/// A component of the force or torque of a connector, or another unknown.
struct OpenForce {
  std::uint32_t unknown = 0;  // in the axes of the world
  /// Where the axes are those of the connector: its rotation, the vector in the axes of the world, and the
  /// number of the component, from 0.
  std::optional<Rotation> rotation = std::nullopt;
  std::array<std::uint32_t, 3> vector{};
  std::uint32_t component = 0;
};

/// As few as possible, such that the equations determine all forces when these are given: positions, and what
/// is differentiated, are known. `closing`: instances of which they should be, if possible. `turning`: the
/// rotations in whose axes the vectors of their connectors are.
std::vector<OpenForce> undetermined_forces(system::System& system, RowValues& rows,
                                           const Kinematics& kinematics, const Configuration& point,
                                           std::span<const std::uint32_t> closing,
                                           std::span<const Rotation> turning);

}  // namespace sigrel::reduce
