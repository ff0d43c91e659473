// The chain from a variable back to lines of the source: what it was eliminated by, what determines it,
// together with what, and why it is a state or none. Text for `sigrel explain FILE --why NAME` and for `:why`
// of the conversation.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/base/source.h"
#include "compiler/session/pipeline.h"

namespace sigrel::session {

/// Some lines of text; nullopt when the model has no such variable.
std::optional<std::string> why_text(const Compiled& model, std::string_view name, const SourceMap& sources);

}  // namespace sigrel::session
