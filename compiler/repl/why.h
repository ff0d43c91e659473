// What determines a variable: from its name to its declaration, and to the equation that computes it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/base/source.h"
#include "compiler/session/pipeline.h"

namespace sigrel::repl {

/// Some lines of text; nullopt when the model has no such variable.
std::optional<std::string> explain_variable(const session::Compiled& model, std::string_view name, const SourceMap& sources);

}  // namespace sigrel::repl
