// The JIT: plan -> callable kernels. LLVM is initialised when the first kernel is compiled.
//
// Compiling a kernel takes as long as some 10 000 evaluations by the interpreter, and most kernels of a large
// model with many different parts are evaluated less often. So kernels for few rows are interpreted at first,
// and compiled when they prove hot, together with all others that are nearly so (tiered.h). Their values do
// not depend on it: scalar code and the interpreter agree bit by bit. Kernels for many rows are vector code
// (compiler/lower/lower.h) and compiled at once. Kernels with more than `interpret_above` nodes are always
// interpreted: compiling them takes longer than it saves in most runs.
//
// A compiler keeps the code of its kernels by their contents, in memory and on disk (code_cache.h). A plan
// whose kernels are all known, such as that of the same model in another size, does not use LLVM at all.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {

/// Evaluations of a row after which a kernel is hot: interpreting one node takes 2 to 3 ns longer than
/// executing its code, and compiling it 20 to 30 µs.
constexpr std::uint32_t kHot = 10'000;

struct Options {
  bool optimise = false;     // optimising code generation: 5 times slower, for 10 to 15 % faster loops
  bool vector_math = false;  // libmvec, see lower::Options; ignored if it is missing
  std::uint32_t vectorise_from = 64;  // rows of the largest batch of a kernel
  std::uint32_t interpret_above =
      2'000;  // nodes; compiling takes 20 to 60 µs per node and saves 2 ns per evaluation
  /// Rows that a kernel with fewer than `vectorise_from` rows evaluates before it is compiled; 0: it is
  /// compiled at once.
  std::uint32_t hot = 0;
  unsigned threads = 0;                   // for generating code; 0: as many as the machine has, at most 8
  std::string cache_folder = {};          // of code_cache.h; empty: code is not kept on disk
  std::uint64_t cache_limit = 256 << 20;  // bytes
};

struct Statistics {
  std::uint32_t functions = 0;     // LLVM functions
  std::uint32_t compiled = 0;      // kernels
  std::uint32_t reused = 0;        // kernels with code from earlier plans
  std::uint32_t cached = 0;        // kernels with code from the disk
  std::uint32_t interpreted = 0;   // kernels
  std::uint64_t instructions = 0;  // LLVM instructions before code generation
  double lower_seconds = 0;        // plan to module; of all threads together, as the next two
  double setup_seconds = 0;        // initialisation of the target
  double machine_seconds = 0;      // module to object code
  double link_seconds = 0;
  std::string failure;        // why hot kernels could not be compiled
  std::string cache_failure;  // why the folder of the cache cannot be used
  double llvm_seconds() const { return setup_seconds + machine_seconds + link_seconds; }
};

/// The kernels of a plan. They may be called from several threads.
class Code : public KernelCode {
 public:
  /// What was done so far: kernels that prove hot are compiled during a run.
  virtual Statistics statistics() const = 0;
};

class Compiler {
 public:
  explicit Compiler(const Options& options = {});
  ~Compiler();

  /// Code for every kernel of the plan; it may outlive the compiler. The error is the reason why this machine
  /// does not allow generated code; any other failure is a bug of Sigrel and aborts with a dump of the
  /// module.
  tl::expected<std::unique_ptr<Code>, std::string> compile(const plan::Plan& plan,
                                                           Statistics* statistics = nullptr);

 private:
  std::shared_ptr<class Store> store_;
};

/// The same with a compiler for this plan only.
inline tl::expected<std::unique_ptr<Code>, std::string> compile(const plan::Plan& plan,
                                                                const Options& options = {},
                                                                Statistics* statistics = nullptr) {
  return Compiler(options).compile(plan, statistics);
}

enum class Listing { Llvm, Assembly };
/// The code of all kernels that are not always interpreted, as text.
std::string print(const plan::Plan& plan, Listing listing, const Options& options = {});

}  // namespace sigrel::jit
