// core::Program -> components::Library: the bodies of all definitions (or of a model), each once, however
// often and wherever they are applied.
#pragma once
#include "compiler/ir/components.h"
#include "compiler/ir/core.h"

namespace sigrel::elaborate {

/// The components of `program.samples`. Nothing is reported: a definition that cannot be evaluated here, or
/// whose structure depends on a number, is checked when it is elaborated.
components::Library library(core::Program program);

/// The components of the model of `program.main`, with its own numbers, for checks that depend on them. Its
/// definition is `main`.
components::Library model(const core::Program& program);

}  // namespace sigrel::elaborate
