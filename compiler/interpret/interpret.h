// The interpreter: runs a plan's kernels without generating code. It is the oracle for generated code, and
// serves where executable memory is not allowed and for kernels too large to be worth compiling.
#pragma once
#include <memory>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::interpret {

/// Kernels for the whole plan. They may be called from several threads at once.
std::unique_ptr<KernelCode> interpret(const plan::Plan& plan);
/// The same for one kernel: `kernels` has one element.
std::unique_ptr<KernelCode> interpret(const ExprPool& exprs, const plan::Kernel& kernel);

}  // namespace sigrel::interpret
