// The order of unknowns by name, in which equal models have them however they are written.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/system.h"

namespace sigrel::system {

/// The place of each unknown in the order of names, which are compared part by part. No name is formed: those
/// of deep hierarchies are long.
std::vector<std::uint32_t> places_by_name(const System& system);

}  // namespace sigrel::system
