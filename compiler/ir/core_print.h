// A readable dump of a core::Program, for `sigrel dump core`.
#pragma once
#include <string>

#include "compiler/ir/core.h"

namespace sigrel::core {

/// All globals with a body, in order: type, then body. Locals print as their name with their id: `u.3`.
std::string print(const Program& program);
std::string print(const Program& program, GlobalId global);

}  // namespace sigrel::core
