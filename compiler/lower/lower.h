// Lowering: plan -> llvm::Module. Every kernel of the plan becomes a loop over rows: loads by the run's
// table, the expression, stores. The module holds one external function per kernel, named by `kernel_name`,
// with the signature of runtime::Kernel::Function.
//
// A kernel that is run over many rows is emitted `width` rows at a time, as vector instructions, and the few
// rows that are left over by a function of their own. That is done here and not by LLVM's vectoriser: rows
// are independent by contract, so there is nothing to find out, and code that needs no optimiser can go
// straight to the quickest instruction selection. (Ten kernels: 11 ms for the vectoriser and 30 to 60 ms for
// optimising code generation, against 0 and 8, for 10 to 15 % in the loops.)
//
// The code computes what sigrel::apply computes, bit for bit: no fast-math flags, no contraction, functions
// of libm by name. Both sides of a Select are evaluated: floating point does not trap, and the untaken value
// is dropped.
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

struct Request {
  std::uint32_t kernel = 0;  // number in the plan
  std::uint32_t width = 1;   // rows at a time
};

struct Options {
  /// Functions of libm on vectors by libmvec, with its names and widths (4 or 8): up to 4 ulp instead of less
  /// than 1, and the same for every row. Without it a kernel that calls libm is emitted for single rows: it
  /// is not faster otherwise.
  bool vector_math = false;
};

std::unique_ptr<llvm::Module> lower(const plan::Plan& plan, std::span<const Request> kernels,
                                    llvm::LLVMContext& context, const Options& options = {});

/// "residual3", "solve0_slot2": role and number, of Solve with the slot.
std::string kernel_name(const plan::Plan& plan, std::uint32_t kernel);

/// A function that generated code may call by name, besides those of libmvec.
struct Symbol {
  const char* name;
  void* address;
};
std::span<const Symbol> symbols();

/// Text of the module of all kernels, one row at a time.
std::string print_llvm(const plan::Plan& plan);

}  // namespace sigrel::lower
