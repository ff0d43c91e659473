// Verifies the invariants of core.h. A violation is a bug of the checker, never a user error.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/core.h"

namespace sigrel::core {

/// The violations in `program`; empty if there are none. Ids in range, locals bound once and before use,
/// records complete, layouts and spans set, labels only below members.
std::vector<std::string> verify(const Program& program);

}  // namespace sigrel::core
