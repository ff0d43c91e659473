// How many initial conditions a relation takes: 1 for a capacitor, 0 for a resistor, 2 for a pendulum.
//
// Pryce, A simple structural analysis method for DAEs (BIT 2001): give the edge of equation e and unknown x
// the order of the highest derivative of x in e; the weight of the heaviest matching that covers all
// equations and all unknowns is the number of degrees of freedom of the system. A relation with an interface
// does not determine all of it, and what it determines is up to the context: a capacitor has an initial
// condition in most circuits, and none between the poles of a voltage source. Here an interface unknown may
// stay unmatched, so the number is the largest that a context can leave to the relation, as far as structure
// goes: two capacitors in parallel count 2 by themselves, because only coefficients say that they fix one
// difference twice; in a circuit they count 1. Without an interface it is the number of states of a run,
// unless coefficients cancel.
//
// Example: u = p - n, der u = i over p, n, i with u hidden: u may be matched with the second equation, which
// weighs 1.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/ir/components.h"

namespace sigrel::structural_types {

/// Of a component that has a structural type. Nothing where it has holes, or is made of more equations than
/// are worth expanding.
std::optional<std::uint32_t> degrees_of_freedom(const components::Library& library, std::uint32_t component);

}  // namespace sigrel::structural_types
