// The JIT: plan -> callable kernels, by LLVM. Nothing of LLVM is initialised before the first call.
//
// The cost depends on the number and size of the kernels, never on the number of rows. Kernels are compiled at one of two
// levels: those that the model runs over many rows are vectorised, one-off kernels are compiled as fast as can be. A kernel
// with more than `interpret_above` nodes is interpreted: it would cost more to compile than most runs would win.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {

struct Options {
  bool optimise = true;                   // off: the quickest code for every kernel
  std::uint32_t vectorise_from = 8;       // rows of the largest run, from which a kernel's loop is worth vectorising
  std::uint32_t interpret_above = 20'000; // nodes
  std::uint32_t piece = 1000;             // operations per LLVM function
};

struct Statistics {
  std::uint32_t functions = 0;     // of LLVM, pieces of large kernels included
  std::uint32_t interpreted = 0;   // kernels left to the interpreter
  std::uint64_t instructions = 0;  // of LLVM, after optimisation
  double lower_seconds = 0;
  double optimise_seconds = 0;
  double machine_seconds = 0;      // instruction selection to object code
  double link_seconds = 0;         // set-up of the target and of ORC, and linking
  double llvm_seconds() const { return optimise_seconds + machine_seconds + link_seconds; }
};

/// Code for every kernel of the plan. The error says why this machine does not let us run generated code; any other failure
/// is a bug of ours and aborts with the module.
tl::expected<std::unique_ptr<Code>, std::string> compile(const plan::Plan& plan, const Options& options = {},
                                                         Statistics* statistics = nullptr);

enum class Listing { Optimised, Assembly };
/// What `compile` makes of the plan, as text.
std::string print(const plan::Plan& plan, Listing listing, const Options& options = {});

}  // namespace sigrel::jit
