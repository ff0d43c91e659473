// A value of the functional level as text, in the notation of the source: for tools that evaluate, such as
// the REPL.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::evaluate {

/// Evaluates a global and prints its value. Values carry no names of constructors: `type`, as a signature has
/// it, and the declarations of `modules` say which they are; where they do not, the text is less exact, never
/// wrong. Numbers are in SI units. Long lists and deep values end in `…`. Nullopt after an error of the
/// evaluation, which is reported.
std::optional<std::string> show_value(const core::Program& program, core::GlobalId global,
                                      const ast::Type* type, std::span<const ast::Module> modules,
                                      Diagnostics& diagnostics);

}  // namespace sigrel::evaluate
