// The structure of a compiled model in terms of its source: states, differentiated equations, initial values.
// Text for `sigrel explain` and for the REPL.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/pipeline/pipeline.h"

namespace sigrel::explain {

/// "circuit.sr:12:3".
std::string place(const SourceMap& sources, Span span);

/// An equation as written in the source, and its location; one or two indented lines. `prefix` precedes the
/// equation.
std::string origin_text(const pipeline::Compiled& model, Origin origin, const SourceMap& sources,
                        const std::string& prefix = "");

/// The equation without its instance, on one line: "the derivative of x^2 + y^2 = l^2".
std::string line_text(const pipeline::Compiled& model, std::uint32_t equation, const SourceMap& sources);

/// The same for an equation of the reduced system, with the number of differentiations.
std::string equation_text(const pipeline::Compiled& model, std::uint32_t equation, const SourceMap& sources);

/// For variables that are constant between events: what changes them.
enum class Kept : std::uint8_t { Constant, Assigned, Previous, Delay };
std::vector<Kept> kept_variables(const system::System& system, const dae::System& dae);

/// The states, and the differentiated variables that are not states, with their declarations or equations.
std::string states_text(const pipeline::Compiled& model, const SourceMap& sources);

/// The differentiated equations, and how often each was differentiated.
std::string index_text(const pipeline::Compiled& model, const SourceMap& sources);

/// How the initial value of every state is determined: by an initial equation, by other equations, or by its
/// guess; the algebraic loops of the initial system, and its redundant equations.
std::string initial_text(const pipeline::Compiled& model, const SourceMap& sources);

}  // namespace sigrel::explain
