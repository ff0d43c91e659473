// Which part is at fault when a model is singular although none of its parts is so by itself.
//
// A relation over connectors alone has, as a rule, as many equations as flows: the other half comes from what
// it is connected with. A relation that has another number may be meant so (half of an ideal amplifier is),
// so it is no error. But when a model has s equations too many, exactly one of its parts has s more than
// flows and all others have as many as flows, then it is that part: what it applies is looked at in the same
// way, down to the part whose own parts are in order.
//
// Example: a voltage source p.v - n.v = v, p.i = i, n.i = i has 3 equations and 2 flows. In a circuit with a
// resistor and ground there is one equation more than there are unknowns, and the source is reported, however
// deep it is.
#pragma once
#include <optional>
#include <vector>

#include "compiler/ir/components.h"
#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

struct Unbalanced {
  std::uint32_t application;  // of the singular component: the part that is the one at fault or contains it
  std::uint32_t component;    // the one at fault
  int surplus;                // its equations beyond its flows; never 0
};

/// `equations` is how many more equations than hidden unknowns the component has.
std::optional<Unbalanced> unbalanced_part(const components::Library& library,
                                          const std::vector<std::optional<StructuralType>>& types,
                                          const components::Component& component, int equations);

}  // namespace sigrel::structural_types
