// The last step of the pipeline: kernels that run, generated or interpreted.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel::jit {
class Compiler;
}

namespace sigrel::session {

enum class Backend : std::uint8_t { Jit, Interpreter };

struct Executable {
  std::shared_ptr<const void> owner;  // what the kernels point to
  std::vector<runtime::Kernel> kernels;

  Backend backend = Backend::Jit;
  std::string why_interpreted;    // when generated code was asked for and this machine does not allow it
  std::uint32_t functions = 0;    // of LLVM, new for this model
  std::uint32_t reused = 0;       // kernels whose code was there before
  std::uint32_t interpreted = 0;  // kernels
  double lower_seconds = 0, setup_seconds = 0, machine_seconds = 0, link_seconds = 0;
  double llvm_seconds() const { return setup_seconds + machine_seconds + link_seconds; }
};

/// Generates code for one model after the other, and keeps it.
std::shared_ptr<jit::Compiler> make_compiler();

/// Code for the plan's kernels. Where generated code is not allowed the interpreter takes its place.
Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler);

enum class Listing : std::uint8_t { Llvm, Assembly };
/// The generated code as text.
std::string print_code(const plan::Plan& plan, Listing listing);

}  // namespace sigrel::session
