// Structural types for those who look at a program: `sigrel check`, `:structure`.
#pragma once
#include <string>
#include <unordered_map>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::session {

/// "{p.v p.i n.v; p.i n.i}" of each definition in `program.samples`, but for those that have none without their use; a definition
/// that is singular in whatever it is used is reported.
std::unordered_map<core::GlobalId, std::string> structural_types(const core::Program& program, Diagnostics& diagnostics);

}  // namespace sigrel::session
