// Where the loops of a mechanism close: the position from which it starts.
//
// It is found before anything else of the model, from the guesses and the initial values of coordinates
// (configuration.h), and tells later stages where the search for initial values begins. A loop that cannot be
// closed is an error here, with the distance that is left.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/mechanisms/configuration.h"

namespace sigrel::reduce {

/// Finds the position, and adds it to the attributes of the system. The result is a position near it, because
/// derivatives may be zero by chance at the start itself; where the joints allow no movement, one at which
/// the loops are a little open. None: there is none, which is reported, or none was found. `loops`: the
/// origins of the equations that close loops.
std::optional<Configuration> assemble_loops(system::System& system, RowValues& rows, Kinematics& kinematics,
                                            std::span<const Origin> loops, Diagnostics& diagnostics);

/// The position at the start, with the guesses and initial values of the system. None: as above.
std::optional<Configuration> find_position(const system::System& system, RowValues& rows,
                                           Kinematics& kinematics, ConfigurationSearch& search,
                                           std::span<const Origin> loops, Diagnostics& diagnostics);

/// Where loops close, for messages: at equations between rotations, or at parts that hold less than these.
std::vector<Origin> closing_origins(std::span<const Origin> loops, const Kinematics& kinematics,
                                    const RowValues& rows);

}  // namespace sigrel::reduce
