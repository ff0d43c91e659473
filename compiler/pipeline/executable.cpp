#include "compiler/pipeline/executable.h"

#include "compiler/interpret/enclose.h"
#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"

namespace sigrel::pipeline {

namespace {

/// Mathematical functions in loops call the vector maths library: four times as fast, and reproducible on one
/// machine; the results differ from scalar calls and from the interpreter by a few units in the last place.
constexpr jit::Options kOptions{.vector_math = true};

}  // namespace

std::shared_ptr<jit::Compiler> make_compiler() { return std::make_shared<jit::Compiler>(kOptions); }

Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler) {
  Executable result;
  if (auto enclosures = interpret::enclosures(plan)) {
    result.enclosures = enclosures->kernels;
    result.enclosure_owner = std::move(enclosures);
  }
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

void record_parts(const Executable& executable, std::vector<Timing>& timings) {
  if (executable.backend != Backend::Jit) return;
  timings.push_back({"lower", executable.lower_seconds, true});
  timings.push_back({"set-up", executable.setup_seconds, true});
  timings.push_back({"machine code", executable.machine_seconds, true});
  timings.push_back({"link", executable.link_seconds, true});
}

std::string print_code(const plan::Plan& plan, Listing listing) {
  return jit::print(plan, listing == Listing::Llvm ? jit::Listing::Llvm : jit::Listing::Assembly, kOptions);
}

}  // namespace sigrel::pipeline
