// Lowering: plan -> llvm::Module. Every kernel of the plan becomes a loop over rows: loads through the table
// of the batch, the expression, stores. The module has one external function per kernel, with the signature
// of runtime::Kernel::Function.
//
// A kernel for many rows is emitted as vector instructions for `width` rows at a time, with a separate
// function for the remaining rows. This is done here and not by the vectoriser of LLVM: rows are independent
// by contract, so no analysis is needed, and code that needs no optimisation can use the fastest instruction
// selection. (Ten kernels: 11 ms for the vectoriser and 30 to 60 ms for optimising code generation, instead
// of 0 and 8 ms, for 10 to 15 % faster loops.)
//
// The code is bitwise equivalent to sigrel::apply: no fast-math flags, no contraction, libm functions by
// name. Both sides of a Select are evaluated: floating point operations do not trap, and the unselected value
// is dropped.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace sigrel::lower {

/// A kernel to lower. The code depends on nothing else, so it is the same for equal kernels of other plans.
struct Request {
  const plan::Kernel& kernel;  // its outputs are those of the body
  const plan::Body& body;
  const Library* library = nullptr;  // the C functions that the body calls
  std::uint32_t width = 1;           // rows at a time
  std::string name;                  // of the function
};

struct Options {
  /// libm functions on vectors by libmvec, with its names and widths (4 or 8): errors up to 4 ulp instead of
  /// less than 1, and the same for every row. Without it, kernels that call libm are emitted for single rows:
  /// vectors would not be faster.
  bool vector_math = false;
};

std::unique_ptr<llvm::Module> lower(std::span<const Request> kernels, llvm::LLVMContext& context,
                                    const Options& options = {});

/// "residual3", "solve0_slot2": role and number; for Solve, with the slot. The name in listings.
std::string kernel_name(const plan::Plan& plan, std::uint32_t kernel);

/// The functions that generated code may call by name, except those of libmvec.
struct Symbol {
  const char* name;
  void* address;
};
std::span<const Symbol> symbols();

/// The module of all kernels as text, for single rows.
std::string print_llvm(const plan::Plan& plan);

}  // namespace sigrel::lower
