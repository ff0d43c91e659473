// The structure of a compiled model in the words of its source: states, differentiated equations, what
// determines what. Text for `sigrel explain` and for the conversation.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/session/pipeline.h"

namespace sigrel::session {

/// "circuit.sr:12:3".
std::string place(const SourceMap& sources, Span span);

/// An equation as the source has it, and where. Indented, one or two lines; `prefix` is put before the
/// equation.
std::string origin_text(const Compiled& model, Origin origin, const SourceMap& sources,
                        const std::string& prefix = "");

/// An equation as the source has it, and where; of one that was differentiated, how often. Indented, one or
/// two lines.
std::string equation_text(const Compiled& model, std::uint32_t equation, const SourceMap& sources);

/// By variable, for constants of the run: whether something sets them between the start and the end, and
/// what.
enum class Kept : std::uint8_t { Constant, Assigned, Previous, Delay };
std::vector<Kept> kept_variables(const system::System& system, const dae::System& dae);

/// The states, and what is no state though it is differentiated, each with its declaration or equation.
std::string states_text(const Compiled& model, const SourceMap& sources);

/// The equations that were differentiated, and how often.
std::string index_text(const Compiled& model, const SourceMap& sources);

/// What every state starts from: an initial equation, others, or its guess; what is solved together for that,
/// and what is checked.
std::string initial_text(const Compiled& model, const SourceMap& sources);

}  // namespace sigrel::session
