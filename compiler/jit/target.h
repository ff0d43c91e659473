// The host as a target, and the passes for it.
#pragma once
#include <memory>
#include <string>

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace sigrel::jit {

struct HostTarget {
  HostTarget();
  ~HostTarget();
  /// How fast code for the kernel is to be made or run.
  std::unique_ptr<llvm::TargetMachine> fast_code, fast_compile;
};

/// Vectorises loops and cleans up.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace sigrel::jit
