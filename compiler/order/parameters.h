// The parameters of the executable model: those of the system under the same numbers, those of its zero
// crossings and the selectors of its state sets, then those that the plan adds.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "runtime/model.h"

namespace sigrel::order {

void set_parameters(const system::System& system, const dae::System& dae, runtime::Model& model);
/// The number of a new parameter.
std::uint32_t add_parameter(runtime::Model& model, const runtime::ParameterRule& rule);

/// Gives the guess of each variable a parameter of its own, which a run that continues sets.
void continue_from_guesses(runtime::Model& model);

/// Fills `start` and `nominal` from the attributes. Of several attributes in a class of equal unknowns, that
/// of the variable's own unknown counts, else the one of the lowest unknown: an outer relation comes before
/// its parts.
void set_attributes(const system::System& system, const dae::System& dae, runtime::Model& model);

/// The values of all parameters before a simulation changes any.
std::vector<double> parameter_values(const runtime::Model& model);

}  // namespace sigrel::order
