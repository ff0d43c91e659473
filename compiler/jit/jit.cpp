#include "compiler/jit/jit.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "compiler/interpret/interpret.h"
#include "compiler/jit/target.h"
#include "compiler/lower/lower.h"

namespace sigrel::jit {
namespace {

namespace orc = llvm::orc;

// Adds the time it lives to a number.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

class Compiled final : public Code {
 public:
  std::unique_ptr<orc::LLJIT> jit;
  std::vector<std::unique_ptr<Code>> interpreted;
};

// Which kernels are compiled how, by number.
struct Choice {
  std::vector<std::uint32_t> vectorised, plain, interpreted;
};

Choice choose(const plan::Plan& plan, const Options& options) {
  // Rows of the largest run of each kernel. A kernel that no run names is taken to be run over many.
  constexpr std::uint32_t kUnnamed = 0xFFFFFFFFu;
  std::vector<std::uint32_t> rows(plan.kernels.size(), kUnnamed);
  auto name = [&](std::uint32_t kernel, std::uint32_t count) {
    if (kernel < rows.size()) rows[kernel] = rows[kernel] == kUnnamed ? count : std::max(rows[kernel], count);
  };
  for (const runtime::Run& run : plan.model.runs) {
    name(run.kernel, run.count);
    name(run.partials, run.count);
  }
  Choice choice;
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    if (topological(plan.exprs, plan.kernels[k].outputs).size() > options.interpret_above) choice.interpreted.push_back(k);
    else if (options.optimise && rows[k] >= options.vectorise_from) choice.vectorised.push_back(k);
    else choice.plain.push_back(k);
  }
  return choice;
}

[[noreturn]] void fail(llvm::Module* module, const std::string& reason) {
  llvm::errs() << "sigrel: internal error: " << reason << "\n";
  if (module) llvm::errs() << *module;
  std::abort();
}

std::unique_ptr<llvm::Module> make_module(const plan::Plan& plan, std::span<const std::uint32_t> kernels,
                                          llvm::LLVMContext& context, llvm::TargetMachine& machine, const Options& options,
                                          Statistics& statistics) {
  Timer timer(statistics.lower_seconds);
  std::unique_ptr<llvm::Module> module = lower::lower(plan, kernels, context, {.piece = options.piece});
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple().str());
#ifdef SIGREL_VERIFY
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (llvm::verifyModule(*module, &stream)) fail(module.get(), errors);
#endif
  return module;
}

void count_code(const llvm::Module& module, Statistics& statistics) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    ++statistics.functions;
    statistics.instructions += function.getInstructionCount();
  }
}

// Object code of some kernels, at one level.
std::unique_ptr<llvm::MemoryBuffer> make_object(const plan::Plan& plan, std::span<const std::uint32_t> kernels,
                                                llvm::TargetMachine& machine, bool vectorise, const Options& options,
                                                Statistics& statistics) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = make_module(plan, kernels, context, machine, options, statistics);
  if (vectorise) {
    Timer timer(statistics.optimise_seconds);
    optimise(*module, machine);
  }
  count_code(*module, statistics);
  Timer timer(statistics.machine_seconds);
  llvm::Expected<orc::SimpleCompiler::CompileResult> object = orc::SimpleCompiler(machine)(*module);
  if (!object) fail(module.get(), llvm::toString(object.takeError()));
  return std::move(*object);
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> make_linker() {
  return orc::LLJITBuilder()
      .setObjectLinkingLayerCreator([](orc::ExecutionSession& session, const llvm::Triple&) {
        return std::make_unique<orc::ObjectLinkingLayer>(session);  // no unwinding through kernels: no frames to register
      })
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

llvm::Error define_symbols(orc::LLJIT& jit) {
  orc::SymbolMap map;
  for (const lower::Symbol& symbol : lower::symbols())
    map[jit.mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                             llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(map)));
}

llvm::Error link(const plan::Plan& plan, const Choice& choice, std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                 Compiled& code) {
  auto jit = make_linker();
  if (!jit) return jit.takeError();
  code.jit = std::move(*jit);
  if (llvm::Error error = define_symbols(*code.jit)) return error;
  for (auto& object : objects)
    if (llvm::Error error = code.jit->addObjectFile(std::move(object))) return error;
  orc::SymbolLookupSet wanted;
  std::vector<std::pair<std::uint32_t, orc::SymbolStringPtr>> names;
  for (const auto* kernels : {&choice.vectorised, &choice.plain}) {
    for (std::uint32_t k : *kernels) {
      names.emplace_back(k, code.jit->mangleAndIntern(lower::kernel_name(plan, k)));
      wanted.add(names.back().second);
    }
  }
  llvm::Expected<orc::SymbolMap> found = code.jit->getExecutionSession().lookup(
      orc::makeJITDylibSearchOrder(&code.jit->getMainJITDylib()), std::move(wanted));
  if (!found) return found.takeError();
  for (auto& [k, name] : names)
    code.kernels[k].function = (*found)[name].getAddress().toPtr<runtime::Kernel::Function>();
  return llvm::Error::success();
}

}  // namespace

tl::expected<std::unique_ptr<Code>, std::string> compile(const plan::Plan& plan, const Options& options, Statistics* out) {
  Statistics statistics;
  auto code = std::make_unique<Compiled>();
  code->kernels.resize(plan.kernels.size());
  Choice choice = choose(plan, options);

  for (std::uint32_t k : choice.interpreted) {
    code->interpreted.push_back(interpret::interpret(plan.exprs, plan.kernels[k]));
    code->kernels[k] = code->interpreted.back()->kernels.front();
  }
  statistics.interpreted = static_cast<std::uint32_t>(choice.interpreted.size());

  if (!choice.vectorised.empty() || !choice.plain.empty()) {
    std::optional<HostTarget> target;
    {
      Timer timer(statistics.link_seconds);
      target.emplace();
    }
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
    if (!choice.vectorised.empty())
      objects.push_back(make_object(plan, choice.vectorised, *target->fast_code, true, options, statistics));
    if (!choice.plain.empty())
      objects.push_back(make_object(plan, choice.plain, *target->fast_compile, false, options, statistics));
    Timer timer(statistics.link_seconds);
    if (llvm::Error error = link(plan, choice, std::move(objects), *code)) return tl::unexpected(llvm::toString(std::move(error)));
  }
  if (out) *out = statistics;
  return code;
}

std::string print(const plan::Plan& plan, Listing listing, const Options& options) {
  HostTarget target;
  Choice choice = choose(plan, options);
  Statistics ignored;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  auto level = [&](std::span<const std::uint32_t> kernels, llvm::TargetMachine& machine, bool vectorise) {
    if (kernels.empty()) return;
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = make_module(plan, kernels, context, machine, options, ignored);
    if (vectorise) optimise(*module, machine);
    if (listing == Listing::Optimised) {
      stream << *module;
      return;
    }
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
      fail(nullptr, "no assembly for this machine");
    passes.run(*module);
  };
  level(choice.vectorised, *target.fast_code, true);
  level(choice.plain, *target.fast_compile, false);
  return std::string(text);
}

}  // namespace sigrel::jit
