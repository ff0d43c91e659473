// In which ways a mechanism can move from a configuration: the rank of the derivatives of its constraints.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/reduce/mechanisms/configuration.h"
#include "compiler/reduce/mechanisms/kinematics.h"

namespace sigrel::reduce {

/// A configuration near another one, so that no derivative is zero there by chance: the coordinates are moved
/// at random where the constraints allow it.
Configuration nearby(ConfigurationSearch& search, Kinematics& kinematics, const Configuration& from);

/// The same where the constraints allow no movement: they do not hold there.
Configuration displaced(Kinematics& kinematics, const Configuration& from);

/// Coordinates of loops that the constraints and the initial equations leave free: they may start from their
/// guesses. Those with a guess rather than others, and those of the first joints. Which ones these can be is
/// a matter of numbers: the angle of a crank determines the distance of two ball joints, and leaves a turn
/// about their line. `nearby`: as above. Empty for large mechanisms.
std::vector<std::uint32_t> free_coordinates(const ConfigurationSearch& search, Kinematics& kinematics,
                                            const Configuration& at, const Configuration& nearby);

/// A coordinate of a loop that is free at this configuration, but not nearby, or that is free to the first
/// order only: its derivative is not determined, and yet the loop does not let it move. The configuration is
/// singular. None for large mechanisms.
struct SingularCoordinate {
  std::uint32_t coordinate = 0;
  bool can_move = true;
};
std::optional<SingularCoordinate> singular_coordinate(ConfigurationSearch& search, Kinematics& kinematics,
                                                      const Configuration& at, const Configuration& nearby);

}  // namespace sigrel::reduce
