// The JIT: plan -> callable kernels, by LLVM. LLVM is initialised at the first call.
//
// A compiler caches the code of its kernels by their contents. A plan whose kernels are all cached, such as
// that of the same model in another size, does not use LLVM at all.
//
// The cost depends on the number and size of the kernels, not on the number of rows. Kernels for many rows
// are vector code, others are scalar (compiler/lower/lower.h). Kernels with more than `interpret_above` nodes
// are interpreted: compiling them takes longer than it saves in most runs.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {

struct Options {
  bool optimise = false;     // optimising code generation: 5 times slower, for 10 to 15 % faster loops
  bool vector_math = false;  // libmvec, see lower::Options; ignored if it is missing
  std::uint32_t vectorise_from = 64;  // rows of the largest batch of a kernel
  std::uint32_t interpret_above =
      2'000;  // nodes; compiling takes 20 to 60 µs per node and saves 2 ns per evaluation
};

struct Statistics {
  std::uint32_t functions = 0;     // LLVM functions
  std::uint32_t reused = 0;        // cached kernels
  std::uint32_t interpreted = 0;   // interpreted kernels
  std::uint64_t instructions = 0;  // LLVM instructions before code generation
  double lower_seconds = 0;        // plan to module
  double setup_seconds = 0;        // initialisation of target and linker
  double machine_seconds = 0;      // module to object code
  double link_seconds = 0;
  double llvm_seconds() const { return setup_seconds + machine_seconds + link_seconds; }
};

class Compiler {
 public:
  explicit Compiler(const Options& options = {});
  ~Compiler();

  /// Code for every kernel of the plan; it may outlive the compiler. The error is the reason why this machine
  /// does not allow generated code; any other failure is a bug of Sigrel and aborts with a dump of the
  /// module.
  tl::expected<std::unique_ptr<KernelCode>, std::string> compile(const plan::Plan& plan,
                                                                 Statistics* statistics = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same with a compiler for this plan only.
inline tl::expected<std::unique_ptr<KernelCode>, std::string> compile(const plan::Plan& plan,
                                                                      const Options& options = {},
                                                                      Statistics* statistics = nullptr) {
  return Compiler(options).compile(plan, statistics);
}

enum class Listing { Llvm, Assembly };
/// The output of `compile` as text.
std::string print(const plan::Plan& plan, Listing listing, const Options& options = {});

}  // namespace sigrel::jit
