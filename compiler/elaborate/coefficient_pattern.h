// The slopes of a shape, for the structural types of definitions: which derivative of which slot occurs, and
// whether the slope of the residual with respect to it is one integer for all values of parameters and
// unknowns, or which slopes are multiples of each other. That n * (a - b) contains only the difference of a
// and b holds whatever n is.
#pragma once
#include <vector>

#include "compiler/ir/components.h"

namespace sigrel::elaborate {

struct SlotSlope {
  std::uint32_t slot = 0;
  components::Slope slope;
};

struct ShapeSlopes {
  std::vector<SlotSlope> slopes;  // in the order of slots, then of derivatives
  bool homogeneous = false;       // the residual is zero where all slots are
};
ShapeSlopes slopes_of(const ExprPool& pool, ExprId residual);

}  // namespace sigrel::elaborate
