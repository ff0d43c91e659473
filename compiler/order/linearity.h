// In which of their slots the kernels of a plan are affine (runtime::Linearity): the runtime solves parts of
// a model exactly that are affine in their continuous variables.
#pragma once
#include <vector>

#include "compiler/ir/plan.h"

namespace sigrel::order {

/// By number of a kernel. Those of partial derivatives, and those with very many slots, are `unknown`.
std::vector<runtime::Linearity> linearity(const plan::Plan& plan);

}  // namespace sigrel::order
