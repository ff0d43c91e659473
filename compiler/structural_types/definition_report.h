// Reports why a relation definition is singular, in the words that `sigrel run` has for a flat system
// (compiler/singularity/report.h).
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/structural_types/definition_view.h"
#include "compiler/structural_types/mixed.h"

namespace sigrel::structural_types {

/// Why no context can complete the definition; `typing` has no type. `types` are those of the components
/// before this one: if the singular definition is a closed model and one of its parts is unbalanced, the part
/// is reported (unbalanced.h).
void report_structure(const components::Library& library,
                      const std::vector<std::optional<StructuralType>>& types, std::uint32_t component,
                      const Typing& typing, Diagnostics& diagnostics);

/// Warns of local nodes with one part in a definition that only an unusual context can complete: one that has
/// fewer equations than flows.
void warn_of_lone_nodes(const components::Library& library,
                        const std::vector<std::optional<StructuralType>>& types, std::uint32_t component,
                        Diagnostics& diagnostics);

/// What the mixed layer has found: floating potentials if nothing else is undetermined, otherwise the
/// smallest set of equations that depend on each other, otherwise unknowns that occur only in combinations.
void report_coefficients(const Singularity& singularity, const components::Library& library,
                         std::uint32_t component, Diagnostics& diagnostics);

}  // namespace sigrel::structural_types
