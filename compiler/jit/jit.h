// The JIT: plan -> callable kernels, by LLVM. Nothing of LLVM is initialised before the first call.
//
// A compiler keeps the code of every kernel that it has compiled, by what the kernel computes. A plan whose
// kernels are all there already, such as that of the same model in another size, costs nothing of LLVM.
//
// The cost depends on the number and size of the kernels, never on the number of rows. Kernels that the model
// runs over many rows are vector code, others are scalar (compiler/lower/lower.h). A kernel with more than
// `interpret_above` nodes is interpreted: it would cost more to compile than most runs would win.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {

struct Options {
  bool optimise = false;     // optimising code generation: about 5 times its time for 10 to 15 % in loops
  bool vector_math = false;  // libm by vectors, see lower::Options; ignored where there is no libmvec
  std::uint32_t vectorise_from = 64;  // rows of a kernel's largest run
  std::uint32_t interpret_above =
      2'000;  // nodes; compiling takes 20 to 60 µs each, and saves 2 ns in an evaluation
};

struct Statistics {
  std::uint32_t functions = 0;     // of LLVM
  std::uint32_t reused = 0;        // kernels whose code was there before
  std::uint32_t interpreted = 0;   // kernels left to the interpreter
  std::uint64_t instructions = 0;  // of LLVM, before code generation
  double lower_seconds = 0;        // plan to module
  double setup_seconds = 0;        // the target and the linker
  double machine_seconds = 0;      // module to object code
  double link_seconds = 0;
  double llvm_seconds() const { return setup_seconds + machine_seconds + link_seconds; }
};

class Compiler {
 public:
  explicit Compiler(const Options& options = {});
  ~Compiler();

  /// Code for every kernel of the plan; it may outlive the compiler. The error says why this machine does not
  /// let us run generated code; any other failure is a bug of ours and aborts with the module.
  tl::expected<std::unique_ptr<KernelCode>, std::string> compile(const plan::Plan& plan,
                                                                 Statistics* statistics = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same with a compiler for this plan alone.
inline tl::expected<std::unique_ptr<KernelCode>, std::string> compile(const plan::Plan& plan,
                                                                      const Options& options = {},
                                                                      Statistics* statistics = nullptr) {
  return Compiler(options).compile(plan, statistics);
}

enum class Listing { Llvm, Assembly };
/// What `compile` makes of the plan, as text.
std::string print(const plan::Plan& plan, Listing listing, const Options& options = {});

}  // namespace sigrel::jit
