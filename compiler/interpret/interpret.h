// The interpreter: runs the kernels of a plan without code generation. It is the oracle for generated code,
// and is used where executable memory is not allowed and for very large kernels.
#pragma once
#include <memory>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::interpret {

/// Kernels for the whole plan, callable from several threads.
std::unique_ptr<KernelCode> interpret(const plan::Plan& plan);
/// The same for one kernel: `kernels` has one element.
std::unique_ptr<KernelCode> interpret(const ExprPool& exprs, const plan::Kernel& kernel);

}  // namespace sigrel::interpret
