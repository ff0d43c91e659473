// The coefficients of a shape, for the structural types of definitions: which derivatives of which slots
// occur in the residual, and whether its partial derivative with respect to them is one integer for all
// values of parameters and unknowns, or a multiple of another one. For example, n * (a - b) depends on the
// difference of a and b only, for every n.
#pragma once
#include <vector>

#include "compiler/ir/components.h"

namespace sigrel::elaborate {

struct SlotCoefficient {
  std::uint32_t slot = 0;
  components::Coefficient coefficient;
};

struct CoefficientPattern {
  std::vector<SlotCoefficient> coefficients;  // in the order of slots, then of derivatives
  bool homogeneous = false;                   // the residual is zero where all slots are
};
CoefficientPattern coefficient_pattern(const ExprPool& pool, ExprId residual);

}  // namespace sigrel::elaborate
