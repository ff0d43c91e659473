#include "compiler/jit/jit.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
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
  std::unique_ptr<orc::LLJIT> linker;  // owns the memory of the code
  std::vector<std::unique_ptr<Code>> interpreted;
};

// What is compiled, and how wide; the rest is interpreted. By kernel number.
struct Choice {
  std::vector<lower::Request> compiled;
  std::vector<std::uint32_t> interpreted;
};

Choice choose(const plan::Plan& plan, const Options& options, std::uint32_t width) {
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
    else choice.compiled.push_back({k, rows[k] >= options.vectorise_from ? width : 1});
  }
  return choice;
}

[[noreturn]] void fail(llvm::Module& module, const std::string& reason) {
  llvm::errs() << "sigrel: internal error in generated code: " << reason << "\n" << module;
  std::abort();
}

std::unique_ptr<llvm::Module> make_module(const plan::Plan& plan, std::span<const lower::Request> kernels,
                                          llvm::LLVMContext& context, llvm::TargetMachine& machine, bool vector_math) {
  std::unique_ptr<llvm::Module> module = lower::lower(plan, kernels, context, {.vector_math = vector_math});
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple().str());
#ifdef SIGREL_VERIFY
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (llvm::verifyModule(*module, &stream)) fail(*module, errors);
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

std::unique_ptr<llvm::MemoryBuffer> make_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object = orc::SimpleCompiler(machine)(module);
  if (!object) fail(module, llvm::toString(object.takeError()));
  return std::move(*object);
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> make_linker() {
  return orc::LLJITBuilder()
      .setObjectLinkingLayerCreator([](orc::ExecutionSession& session, const llvm::Triple&) {
        return std::make_unique<orc::ObjectLinkingLayer>(session);  // nothing unwinds through kernels: no frames to register
      })
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

llvm::Error define_symbols(orc::LLJIT& linker, std::span<const lower::Symbol> symbols) {
  orc::SymbolMap map;
  for (const lower::Symbol& symbol : symbols)
    map[linker.mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return linker.getMainJITDylib().define(orc::absoluteSymbols(std::move(map)));
}

// Links the object and puts the addresses of its functions into `kernels`.
llvm::Error link(const plan::Plan& plan, std::span<const lower::Request> compiled, std::unique_ptr<llvm::MemoryBuffer> object,
                 orc::LLJIT& linker, std::vector<runtime::Kernel>& kernels) {
  if (llvm::Error error = linker.addObjectFile(std::move(object))) return error;
  orc::SymbolLookupSet wanted;
  std::vector<orc::SymbolStringPtr> names;
  for (const lower::Request& request : compiled) {
    names.push_back(linker.mangleAndIntern(lower::kernel_name(plan, request.kernel)));
    wanted.add(names.back());
  }
  llvm::Expected<orc::SymbolMap> found = linker.getExecutionSession().lookup(
      orc::makeJITDylibSearchOrder(&linker.getMainJITDylib()), std::move(wanted));
  if (!found) return found.takeError();
  for (std::size_t i = 0; i < compiled.size(); ++i)
    kernels[compiled[i].kernel].function = (*found)[names[i]].getAddress().toPtr<runtime::Kernel::Function>();
  return llvm::Error::success();
}

}  // namespace

tl::expected<std::unique_ptr<Code>, std::string> compile(const plan::Plan& plan, const Options& options, Statistics* out) {
  Statistics statistics;
  auto code = std::make_unique<Compiled>();
  code->kernels.resize(plan.kernels.size());

  // The machine, and what to compile for it.
  std::unique_ptr<llvm::TargetMachine> machine;
  std::uint32_t width = 1;
  {
    Timer timer(statistics.setup_seconds);
    machine = host_machine(options.optimise);
    width = vector_width(*machine);
  }
  bool vector_math = options.vector_math && !vector_math_symbols(width).empty();
  Choice choice = choose(plan, options, width);

  for (std::uint32_t k : choice.interpreted) {
    code->interpreted.push_back(interpret::interpret(plan.exprs, plan.kernels[k]));
    code->kernels[k] = code->interpreted.back()->kernels.front();
  }
  statistics.interpreted = static_cast<std::uint32_t>(choice.interpreted.size());

  if (!choice.compiled.empty()) {
    // plan -> module -> object
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    {
      Timer timer(statistics.lower_seconds);
      module = make_module(plan, choice.compiled, context, *machine, vector_math);
    }
    count_code(*module, statistics);
    std::unique_ptr<llvm::MemoryBuffer> object;
    {
      Timer timer(statistics.machine_seconds);
      object = make_object(*module, *machine);
    }
    // object -> functions
    {
      Timer timer(statistics.setup_seconds);
      llvm::Expected<std::unique_ptr<orc::LLJIT>> linker = make_linker();
      if (!linker) return tl::unexpected(llvm::toString(linker.takeError()));
      code->linker = std::move(*linker);
      if (llvm::Error error = define_symbols(*code->linker, lower::symbols())) return tl::unexpected(llvm::toString(std::move(error)));
      if (vector_math)
        if (llvm::Error error = define_symbols(*code->linker, vector_math_symbols(width)))
          return tl::unexpected(llvm::toString(std::move(error)));
    }
    Timer timer(statistics.link_seconds);
    if (llvm::Error error = link(plan, choice.compiled, std::move(object), *code->linker, code->kernels))
      return tl::unexpected(llvm::toString(std::move(error)));
  }
  if (out) *out = statistics;
  return code;
}

std::string print(const plan::Plan& plan, Listing listing, const Options& options) {
  std::unique_ptr<llvm::TargetMachine> machine = host_machine(options.optimise);
  std::uint32_t width = vector_width(*machine);
  bool vector_math = options.vector_math && !vector_math_symbols(width).empty();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      make_module(plan, choose(plan, options, width).compiled, context, *machine, vector_math);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  switch (listing) {
    case Listing::Llvm:
      stream << *module;
      break;
    case Listing::Assembly: {
      llvm::legacy::PassManager passes;
      if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
        fail(*module, "this target has no assembly");
      passes.run(*module);
      break;
    }
  }
  return std::string(text);
}

}  // namespace sigrel::jit
