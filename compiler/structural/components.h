// The structural types of a library of relation definitions, and the definitions that no context can complete.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/components.h"
#include "compiler/structural/kernel.h"

namespace sigrel::structural {

/// By component; absent for one that is singular, or applies one that is. A singular one is reported once, where it is defined.
std::vector<std::optional<Kernel>> check(const components::Library& library, Diagnostics& diagnostics);

/// "{p.v p.i n.v; p.i n.i}", with the names of the component's interface.
std::string to_text(const Kernel& kernel, const components::Library& library, std::uint32_t component);

}  // namespace sigrel::structural
