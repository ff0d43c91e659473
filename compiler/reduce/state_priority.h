// How much each variable is wanted as a state: by `state = …`, and where that leaves a choice by properties
// of the source.
#pragma once
#include <vector>

#include "compiler/graph/pantelides.h"
#include "compiler/incidence/ids.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/differentiate.h"

namespace sigrel::reduce {

/// The variable of order 0 of which each variable is a derivative, or the variable itself.
IdVector<VariableId, VariableId> integrated_variables(const dae::System& dae);

/// `state = …` of each variable, as a number from Never = -2 to Always = 2. Of several attributes in a class
/// of equal unknowns that of the outermost relation counts: parts have higher numbers than the relation that
/// contains them.
IdVector<VariableId, int> state_preferences(const system::System& system, const dae::System& dae);

/// By column of the graph: the higher, the more it is wanted as a state. First `state = …` counts, then
/// whether the source differentiates the variable, whether it has a start of its own, and whether the source
/// declares it. Of equals the name decides, so that the order in which a model is written does not matter.
std::vector<long> state_priorities(const system::System& system, const dae::System& dae,
                                   const graph::Differentiated& graph, const Numbering& numbering);

}  // namespace sigrel::reduce
