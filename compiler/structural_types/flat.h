// The flat system of a component with the slopes of its equations: for messages of the mixed layer, and for
// counting degrees of freedom.
#pragma once
#include <optional>

#include "compiler/ir/components.h"
#include "compiler/structural_types/expand.h"

namespace sigrel::structural_types {

/// A component in the numbers of Definition: columns that are opened go to the end of the interface.
/// Applications count components as the library does.
Definition definition_of(const components::Component& component,
                         const std::vector<components::Component>& all);

/// The same; each application applies a relation of its own, with the number of the application.
Definition definition_by_application(const components::Component& component,
                                     const std::vector<components::Component>& all);

/// The variable of that definition for each variable of the component.
std::vector<std::uint32_t> renamed_variables(const components::Component& component);

struct Flat {
  /// `definition` of an instance is an index of `components`; columns are numbered as the variables of their
  /// component.
  Expansion expansion;
  std::vector<std::uint32_t> components;              // of the library; the one that was expanded is the last
  std::vector<components::Coefficient> coefficients;  // of each of expansion.incidence.rows.targets
};

/// Nothing where there would be more than `most_rows` equations, or where it contains switches.
std::optional<Flat> flatten(const components::Library& library, std::uint32_t component,
                            std::size_t most_rows);

}  // namespace sigrel::structural_types
