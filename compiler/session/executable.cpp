#include "compiler/session/executable.h"

#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"

namespace sigrel::session {

namespace {

/// Functions of libm go to the vector maths library: in loops four times as fast, and the same on every run
/// of a machine; beside single calls, and beside the interpreter, they differ by a few units in the last
/// place.
constexpr jit::Options kOptions{.vector_math = true};

}  // namespace

std::shared_ptr<jit::Compiler> make_compiler() { return std::make_shared<jit::Compiler>(kOptions); }

Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler) {
  Executable result;
  if (backend == Backend::Jit) {
    jit::Statistics statistics;
    if (auto code = compiler.compile(plan, &statistics)) {
      result.kernels = (*code)->kernels;
      result.owner = std::move(*code);
      result.functions = statistics.functions;
      result.reused = statistics.reused;
      result.interpreted = statistics.interpreted;
      result.lower_seconds = statistics.lower_seconds;
      result.setup_seconds = statistics.setup_seconds;
      result.machine_seconds = statistics.machine_seconds;
      result.link_seconds = statistics.link_seconds;
      return result;
    } else {
      result.why_interpreted = code.error();
    }
  }
  auto code = interpret::interpret(plan);
  result.backend = Backend::Interpreter;
  result.interpreted = static_cast<std::uint32_t>(plan.kernels.size());
  result.kernels = code->kernels;
  result.owner = std::move(code);
  return result;
}

std::string print_code(const plan::Plan& plan, Listing listing) {
  return jit::print(plan, listing == Listing::Llvm ? jit::Listing::Llvm : jit::Listing::Assembly, kOptions);
}

}  // namespace sigrel::session
