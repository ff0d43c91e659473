#include "compiler/jit/generate.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "compiler/jit/jit.h"
#include "compiler/jit/timer.h"
#include "compiler/lower/lower.h"

namespace sigrel::jit {
namespace {

constexpr unsigned kMostThreads = 8;

void count_code(const llvm::Module& module, Statistics& statistics) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    ++statistics.functions;
    statistics.instructions += function.getInstructionCount();
  }
}

void add(Statistics& sum, const Statistics& part) {
  sum.functions += part.functions;
  sum.instructions += part.instructions;
  sum.lower_seconds += part.lower_seconds;
  sum.setup_seconds += part.setup_seconds;
  sum.machine_seconds += part.machine_seconds;
}

}  // namespace

void fail(llvm::Module& module, const std::string& reason) {
  llvm::errs() << "sigrel: internal error in generated code: " << reason << "\n" << module;
  std::abort();
}

void prepare(llvm::Module& module, llvm::TargetMachine& machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple().str());
#ifdef SIGREL_VERIFY
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (llvm::verifyModule(module, &stream)) fail(module, errors);
#endif
}

Generator::Generator(const Options& options) : options_(options) {
  if (options_.threads == 0)
    options_.threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
}
Generator::~Generator() = default;

std::unique_ptr<llvm::MemoryBuffer> Generator::object(const Group& group, const Library* library,
                                                      llvm::TargetMachine& machine,
                                                      Statistics& statistics) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  {
    Timer timer(statistics.lower_seconds);
    std::vector<lower::Request> requests;
    requests.reserve(group.size());
    for (const Source* source : group)
      requests.push_back({source->kernel, source->body, library, source->width, source->symbol()});
    module = lower::lower(requests, context, {.vector_math = options_.vector_math});
    prepare(*module, machine);
  }
  count_code(*module, statistics);
  Timer timer(statistics.machine_seconds);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object = llvm::orc::SimpleCompiler(machine)(*module);
  if (!object) fail(*module, llvm::toString(object.takeError()));
  return std::move(*object);
}

std::vector<std::unique_ptr<llvm::MemoryBuffer>> Generator::objects(std::span<const Group> groups,
                                                                    const Library* library,
                                                                    Statistics& statistics) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects(groups.size());
  const std::size_t threads = std::min<std::size_t>(options_.threads, groups.size());
  machines_.resize(std::max(machines_.size(), threads));
  std::vector<Statistics> parts(threads);
  std::atomic<std::size_t> next = 0;
  auto work = [&](std::size_t thread) {
    std::unique_ptr<llvm::TargetMachine>& machine = machines_[thread];
    if (!machine) {
      Timer timer(parts[thread].setup_seconds);
      machine = host_machine(options_.optimise);
    }
    for (std::size_t g = next++; g < groups.size(); g = next++)
      objects[g] = object(groups[g], library, *machine, parts[thread]);
  };
  std::vector<std::jthread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  if (threads > 0) work(0);
  others.clear();  // waits for them
  for (const Statistics& part : parts) add(statistics, part);
  return objects;
}

}  // namespace sigrel::jit
