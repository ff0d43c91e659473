#include "compiler/session/executable.h"

#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"

namespace sigrel::session {

std::shared_ptr<jit::Compiler> make_compiler() { return std::make_shared<jit::Compiler>(); }

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
  return jit::print(plan, listing == Listing::Llvm ? jit::Listing::Llvm : jit::Listing::Assembly);
}

}  // namespace sigrel::session
