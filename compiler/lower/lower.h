// Lowering: plan -> llvm::Module. Every kernel of the plan becomes a loop over rows: loads by the run's table, the expression,
// stores. The module holds one external function per kernel, named by `kernel_name`, with the signature of
// runtime::Kernel::Function; a kernel too large for one function is a loop over blocks of rows that calls its pieces in turn.
//
// The code computes what sigrel::apply computes, bit for bit: no fast-math flags, no contraction, functions of libm by name.
// Both sides of a Select are evaluated: floating point does not trap, and the untaken value is dropped.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "compiler/ir/plan.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace sigrel::lower {

struct Options {
  /// Operations per function. LLVM takes more than linear time in the size of a function.
  std::uint32_t piece = 1000;
};

/// The kernels with the given numbers.
std::unique_ptr<llvm::Module> lower(const plan::Plan& plan, std::span<const std::uint32_t> kernels,
                                    llvm::LLVMContext& context, const Options& options = {});

/// "residual3", "solve0_slot2": role and number, of Solve with the slot.
std::string kernel_name(const plan::Plan& plan, std::uint32_t kernel);

/// A function that generated code may call by name.
struct Symbol {
  const char* name;
  void* address;
};
std::span<const Symbol> symbols();

/// Text of the module of all kernels, before optimisation.
std::string print_llvm(const plan::Plan& plan, const Options& options = {});

}  // namespace sigrel::lower
