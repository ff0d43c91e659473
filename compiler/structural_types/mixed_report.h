// What is said of a relation that the mixed layer finds singular, in the words of `sigrel run`: a level that
// nothing fixes, an equation that says what others say, unknowns of which only combinations are determined.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/structural_types/mixed.h"

namespace sigrel::structural_types {

/// One cause: levels if that is all that is free, else the shortest set of equations that depend on each
/// other.
void report(const Singularity& singularity, const components::Library& library, std::uint32_t component,
            Diagnostics& diagnostics);

}  // namespace sigrel::structural_types
