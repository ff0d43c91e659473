// The chain from a variable back to lines of the source: which equations eliminated it, which one determines
// it, in which algebraic loop, and why it is a state or not. Text for `sigrel explain FILE --why NAME` and
// for `:why` of the REPL.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/base/source.h"
#include "compiler/pipeline/pipeline.h"

namespace sigrel::explain {

/// Several lines of text; nullopt if the model has no such variable.
std::optional<std::string> why_text(const pipeline::Compiled& model, std::string_view name,
                                    const SourceMap& sources);

}  // namespace sigrel::explain
