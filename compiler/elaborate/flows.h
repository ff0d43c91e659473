// The flows in the interface of a relation.
#pragma once
#include <optional>

#include "compiler/elaborate/values.h"

namespace sigrel::elaborate {

/// Nullopt unless the interface consists of connectors that have as many potentials as flows each.
std::optional<std::uint32_t> flows_of(const Layouts& layouts, const core::Program& program,
                                      LayoutId interface);

}  // namespace sigrel::elaborate
