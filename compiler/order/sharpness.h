// Which operations of a kernel may vary much more quickly than what they read (runtime::Sharpness): the
// runtime looks at those inside the steps of an integrator, whose ends may show nothing of them.
#pragma once
#include <span>

#include "compiler/ir/expr.h"
#include "runtime/model.h"

namespace sigrel::order {

/// Whether an operation can be evaluated on intervals.
bool has_enclosure(Op op);

/// Of the expressions of a kernel: its nodes, operands before users.
runtime::Sharpness sharpness(const ExprPool& pool, std::span<const ExprId> nodes);

}  // namespace sigrel::order
