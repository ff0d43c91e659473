// Machine code: kernels -> object files, on several threads. The objects do not depend on the number of
// threads: each group of kernels becomes one object, with a context and a module of its own.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/jit/source.h"
#include "compiler/jit/target.h"

namespace llvm {
class LLVMContext;
class MemoryBuffer;
class Module;
}  // namespace llvm

namespace sigrel::jit {

struct Statistics;

/// Reports a bug of Sigrel with the module, and aborts.
[[noreturn]] void fail(llvm::Module& module, const std::string& reason);

/// Kernels that are compiled to one object.
using Group = std::vector<const Source*>;

class Generator {
 public:
  struct Options {
    bool optimise = false, vector_math = false;
    unsigned threads = 1;  // 0: as many as the machine has, at most 8
  };

  explicit Generator(const Options& options);
  ~Generator();

  /// An object for each group, with the functions `Source::symbol`. Adds durations and counts; with several
  /// threads the durations are those of all threads together.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects(std::span<const Group> groups,
                                                           const Library* library, Statistics& statistics);

 private:
  std::unique_ptr<llvm::MemoryBuffer> object(const Group& group, const Library* library,
                                             llvm::TargetMachine& machine, Statistics& statistics) const;

  Options options_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_;  // one per thread, made at first use
};

/// Sets the target of a lowered module; verifies it in debug builds.
void prepare(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace sigrel::jit
