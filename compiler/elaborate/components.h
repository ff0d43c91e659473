// core::Program -> components::Library: the bodies of all definitions (or of a model), each once, however
// often and wherever they are applied.
#pragma once
#include "compiler/ir/components.h"
#include "compiler/ir/core.h"

namespace sigrel::elaborate {

/// The components behind `program.samples`. Nothing is reported: what cannot be evaluated here, because it
/// needs more than a number, or depends on one, is checked when it is elaborated.
components::Library library(core::Program program);

/// The components of what `program.main` runs, with its own numbers: what could not be known before. Its
/// definition is `main`.
components::Library model(const core::Program& program);

}  // namespace sigrel::elaborate
