// Source locations of the settings of an experiment.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ast.h"

namespace sigrel::session {

/// The span of each string in a list after `setting =` in a `with { … }` of the module; nullopt if not found.
std::vector<std::optional<Span>> locate_setting(const ast::Module& module, std::string_view setting,
                                                const std::vector<std::string>& values);

}  // namespace sigrel::session
