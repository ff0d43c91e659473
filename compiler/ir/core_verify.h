// Checks what core.h promises. A finding is a bug of the checker, never of the user.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/core.h"

namespace sigrel::core {

/// What is wrong with `program`; empty if nothing. Ids in range, locals bound before use and once, records
/// complete, layouts and spans set, labels only below members.
std::vector<std::string> verify(const Program& program);

}  // namespace sigrel::core
