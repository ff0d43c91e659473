// Dense numbers of the things that the stages from `reduce` on count. The data of a system are flat tables of
// plain numbers; functions and structures in which numbers of different kinds meet use these.
#pragma once
#include "compiler/base/id_vector.h"

namespace sigrel {

using UnknownId = Id<struct UnknownTag>;    // of a system::System
using VariableId = Id<struct VariableTag>;  // of a dae::System
using EquationId = Id<struct EquationTag>;  // in an incidence::EquationList: tables, then sums
using SectionId = Id<struct SectionTag>;    // in an incidence::EquationList

}  // namespace sigrel
