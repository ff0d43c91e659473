#include "compiler/pipeline/executable.h"

#include "compiler/interpret/enclose.h"
#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"

namespace sigrel::pipeline {

namespace {

/// Mathematical functions in loops call the vector maths library: four times as fast, and reproducible on one
/// machine; the results differ from scalar calls and from the interpreter by a few units in the last place.
const jit::Options kOptions{.vector_math = true};  // not constexpr: libstdc++ 12 forbids it for its text

}  // namespace

jit::Statistics Executable::statistics() const {
  if (compiled) return compiled->statistics();
  jit::Statistics statistics;
  statistics.interpreted = static_cast<std::uint32_t>(kernels.size());
  return statistics;
}

std::shared_ptr<jit::Compiler> make_compiler(const CodeOptions& options) {
  jit::Options generated = kOptions;
  generated.hot = options.wait_until_hot ? jit::kHot : 0;
  generated.threads = options.threads;
  generated.cache_folder = options.cache_folder;
  return std::make_shared<jit::Compiler>(generated);
}

Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler) {
  Executable result;
  if (auto enclosures = interpret::enclosures(plan)) {
    result.enclosures = enclosures->kernels;
    result.enclosure_owner = std::move(enclosures);
  }
  if (backend == Backend::Jit) {
    if (auto code = compiler.compile(plan)) {
      result.kernels = (*code)->kernels;
      result.compiled = std::move(*code);
      result.owner = result.compiled;
      return result;
    } else {
      result.why_interpreted = code.error();
    }
  }
  auto code = interpret::interpret(plan);
  result.backend = Backend::Interpreter;
  result.kernels = code->kernels;
  result.owner = std::move(code);
  return result;
}

void record_parts(const Executable& executable, std::vector<Timing>& timings) {
  if (executable.backend != Backend::Jit) return;
  const jit::Statistics statistics = executable.statistics();
  timings.push_back({"lower", statistics.lower_seconds, true});
  timings.push_back({"set-up", statistics.setup_seconds, true});
  timings.push_back({"machine code", statistics.machine_seconds, true});
  timings.push_back({"link", statistics.link_seconds, true});
}

std::string print_code(const plan::Plan& plan, Listing listing) {
  return jit::print(plan, listing == Listing::Llvm ? jit::Listing::Llvm : jit::Listing::Assembly, kOptions);
}

}  // namespace sigrel::pipeline
