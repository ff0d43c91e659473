// The structural types of a library of relation definitions, and the definitions that no context can
// complete.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/components.h"
#include "compiler/structural_types/definition.h"
#include "compiler/structural_types/holes.h"

namespace sigrel::structural_types {

struct Checked {
  /// By component; absent for one that is singular, or applies one that is. Of a component with holes: with
  /// the best relations in them, if only one size of each is possible.
  std::vector<std::optional<StructuralType>> types;
  std::vector<Fit> fits;  // by component: of those with holes
  /// By component: its type can determine more than it itself, since it has switches or applies what has.
  std::vector<bool> at_most;
  /// By component: it has no type, but is not singular. It has switches whose modes determine different
  /// numbers of unknowns or are not known, or applies what has.
  std::vector<bool> unknown;
};
/// Faults of components that only families use: whether one is an error depends on the other sizes.
using Withheld = std::vector<std::pair<std::uint32_t, Diagnostic>>;

/// A component that is singular is reported once, where it is defined.
Checked check(const components::Library& library, Diagnostics& diagnostics, Withheld* withheld = nullptr);

/// A component with the types of its children in place of them; nothing where one has none.
std::optional<Composition> composition_of(const components::Library& library,
                                          std::span<const std::optional<StructuralType>> types,
                                          std::uint32_t component);

/// "{p.v p.i n.v; p.i n.i}", with the names of the component's interface.
std::string to_text(const StructuralType& type, const components::Library& library, std::uint32_t component);
/// The same; of a component with holes "{…} at most, for load {#2}, source {#1 .. 3}", or what of that is
/// known. The names are those of the component `names_of`, which has an interface of the same size.
std::string to_text(const std::optional<StructuralType>& type, const Fit& fit,
                    const components::Library& library, std::uint32_t component,
                    std::optional<std::uint32_t> names_of = std::nullopt);
/// The same; of a component with switches "{p.i; n.i} in Open, {p.v n.v; p.i n.i} in Closed".
std::string to_text(const Checked& checked, const components::Library& library, std::uint32_t component,
                    std::optional<std::uint32_t> names_of = std::nullopt);
/// "Open", of several switches "Open+Slips".
std::string modes(const components::Component& component);

}  // namespace sigrel::structural_types
