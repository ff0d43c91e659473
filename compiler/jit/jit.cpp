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
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/interpret/interpret.h"
#include "compiler/ir/library.h"
#include "compiler/jit/target.h"
#include "compiler/lower/lower.h"

namespace sigrel::jit {
namespace {

namespace orc = llvm::orc;

// Adds the duration of its lifetime to a number.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

class Compiled final : public KernelCode {
 public:
  std::vector<std::shared_ptr<orc::LLJIT>> linkers;  // own the memory of the code
  std::shared_ptr<const Library> library;
  std::vector<std::unique_ptr<KernelCode>> interpreted;
};

/// The contents of a kernel: everything that its code depends on, except the width. It includes C functions;
/// the data of tables is passed at run time.
std::string content(const plan::Kernel& kernel, const plan::Body& body, const Library* library) {
  std::string key;
  auto add = [&](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  add(kernel.role);
  add(kernel.slots);
  add(kernel.params);
  add(kernel.solved);
  for (std::uint32_t output : body.outputs) add(output);
  for (const Node& node : body.nodes) {
    add(node.op);
    add(node.a);
    add(node.b);
    add(node.c);
    add(node.value);
    if (kind(node.op) == OpKind::Call) add(library->functions[call_detail(node.value).function].address);
  }
  return key;
}

// The kernels to compile, with their widths; the others are interpreted.
struct Choice {
  struct Wanted {
    lower::Request request;
    std::string content;
  };
  std::vector<Wanted> compiled;
  std::vector<std::uint32_t> interpreted;

  std::vector<lower::Request> requests() const {
    std::vector<lower::Request> all;
    for (const Wanted& wanted : compiled) all.push_back(wanted.request);
    return all;
  }
};

Choice choose(const plan::Plan& plan, const Options& options, std::uint32_t width) {
  // Rows of the largest batch of each kernel. Kernels without batches are assumed to have many rows.
  constexpr std::uint32_t kUnnamed = 0xFFFFFFFFu;
  std::vector<std::uint32_t> rows(plan.kernels.size(), kUnnamed);
  auto name = [&](std::uint32_t kernel, std::uint32_t count) {
    if (kernel < rows.size()) rows[kernel] = rows[kernel] == kUnnamed ? count : std::max(rows[kernel], count);
  };
  for (const runtime::KernelBatch& run : plan.model.batches) {
    name(run.kernel, run.count);
    name(run.partials, run.count);
  }
  Choice choice;
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    plan::Body body = plan::body(plan.exprs, plan.kernels[k]);
    if (plan.kernels[k].rare || body.nodes.size() > options.interpret_above)
      choice.interpreted.push_back(k);
    else
      choice.compiled.push_back({{k, rows[k] >= options.vectorise_from ? width : 1},
                                 content(plan.kernels[k], body, plan.exprs.library.get())});
  }
  return choice;
}

[[noreturn]] void fail(llvm::Module& module, const std::string& reason) {
  llvm::errs() << "sigrel: internal error in generated code: " << reason << "\n" << module;
  std::abort();
}

std::unique_ptr<llvm::Module> make_module(const plan::Plan& plan, std::span<const lower::Request> kernels,
                                          llvm::LLVMContext& context, llvm::TargetMachine& machine,
                                          bool vector_math) {
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
        return std::make_unique<orc::ObjectLinkingLayer>(
            session);  // kernels are never unwound: no frames to register
      })
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

llvm::Error define_symbols(orc::LLJIT& linker, std::span<const lower::Symbol> symbols) {
  orc::SymbolMap map;
  for (const lower::Symbol& symbol : symbols)
    map[linker.mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return linker.getMainJITDylib().define(orc::absoluteSymbols(std::move(map)));
}

// The functions imported by the model; a symbol may be imported under several names.
llvm::Error define_imports(orc::LLJIT& linker, const Library* library) {
  if (!library || library->functions.empty()) return llvm::Error::success();
  orc::SymbolMap map;
  for (const ForeignFunction& function : library->functions)
    map[linker.mangleAndIntern(foreign_symbol(function))] = {
        orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return linker.getMainJITDylib().define(orc::absoluteSymbols(std::move(map)));
}

// Links the object. Returns the addresses of its functions in the order of the requests.
llvm::Expected<std::vector<runtime::Kernel::Function>> link(const plan::Plan& plan,
                                                            std::span<const lower::Request> compiled,
                                                            std::unique_ptr<llvm::MemoryBuffer> object,
                                                            orc::LLJIT& linker) {
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
  std::vector<runtime::Kernel::Function> functions;
  functions.reserve(names.size());
  for (const orc::SymbolStringPtr& name : names)
    functions.push_back((*found)[name].getAddress().toPtr<runtime::Kernel::Function>());
  return functions;
}

}  // namespace

struct Compiler::State {
  /// A compiled kernel. A wider one than requested can be used, too: it processes incomplete vectors row by
  /// row.
  struct Known {
    std::uint32_t width = 0;
    runtime::Kernel::Function function = nullptr;
    std::shared_ptr<orc::LLJIT> linker;
  };

  Options options;
  std::unique_ptr<llvm::TargetMachine> machine;  // created for the first plan
  std::uint32_t width = 1;
  bool vector_math = false;
  std::unordered_map<std::string, Known> known;  // by contents

  void find_machine() {
    if (machine) return;
    machine = host_machine(options.optimise);
    width = vector_width(*machine);
    vector_math = options.vector_math && !vector_math_symbols(width).empty();
  }

  // plan -> module -> object -> functions
  llvm::Error generate(const plan::Plan& plan, std::span<const Choice::Wanted*> wanted,
                       Statistics& statistics) {
    std::vector<lower::Request> requests;
    for (const Choice::Wanted* w : wanted) requests.push_back(w->request);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    {
      Timer timer(statistics.lower_seconds);
      module = make_module(plan, requests, context, *machine, vector_math);
    }
    count_code(*module, statistics);
    std::unique_ptr<llvm::MemoryBuffer> object;
    {
      Timer timer(statistics.machine_seconds);
      object = make_object(*module, *machine);
    }
    std::shared_ptr<orc::LLJIT> linker;
    {
      Timer timer(statistics.setup_seconds);
      llvm::Expected<std::unique_ptr<orc::LLJIT>> made = make_linker();
      if (!made) return made.takeError();
      linker = std::move(*made);
      if (llvm::Error error = define_symbols(*linker, lower::symbols())) return error;
      if (llvm::Error error = define_imports(*linker, plan.exprs.library.get())) return error;
      if (vector_math)
        if (llvm::Error error = define_symbols(*linker, vector_math_symbols(width))) return error;
    }
    Timer timer(statistics.link_seconds);
    auto functions = link(plan, requests, std::move(object), *linker);
    if (!functions) return functions.takeError();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      known[wanted[i]->content] = {wanted[i]->request.width, (*functions)[i], linker};
    return llvm::Error::success();
  }
};

Compiler::Compiler(const Options& options) : state_(std::make_unique<State>()) { state_->options = options; }
Compiler::~Compiler() = default;

tl::expected<std::unique_ptr<KernelCode>, std::string> Compiler::compile(const plan::Plan& plan,
                                                                         Statistics* out) {
  State& state = *state_;
  Statistics statistics;
  auto code = std::make_unique<Compiled>();
  code->kernels.resize(plan.kernels.size());
  code->library = plan.exprs.library;
  {
    Timer timer(statistics.setup_seconds);
    state.find_machine();
  }
  const Choice choice = choose(plan, state.options, state.width);

  for (std::uint32_t k : choice.interpreted) {
    code->interpreted.push_back(interpret::interpret(plan.exprs, plan.kernels[k]));
    code->kernels[k] = code->interpreted.back()->kernels.front();
  }
  statistics.interpreted = static_cast<std::uint32_t>(choice.interpreted.size());

  // Missing kernels, each once with its largest width.
  std::vector<const Choice::Wanted*> fresh;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const Choice::Wanted& wanted : choice.compiled) {
    auto known = state.known.find(wanted.content);
    if (known != state.known.end() && known->second.width >= wanted.request.width) {
      ++statistics.reused;
      continue;
    }
    auto [at, is_new] = place.try_emplace(wanted.content, fresh.size());
    if (is_new)
      fresh.push_back(&wanted);
    else if (fresh[at->second]->request.width < wanted.request.width)
      fresh[at->second] = &wanted;
  }
  if (!fresh.empty())
    if (llvm::Error error = state.generate(plan, fresh, statistics))
      return tl::unexpected(llvm::toString(std::move(error)));

  std::unordered_set<orc::LLJIT*> linkers;
  for (const Choice::Wanted& wanted : choice.compiled) {
    const State::Known& known = state.known.at(wanted.content);
    code->kernels[wanted.request.kernel] = {known.function, plan.exprs.library.get()};
    if (linkers.insert(known.linker.get()).second) code->linkers.push_back(known.linker);
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
      make_module(plan, choose(plan, options, width).requests(), context, *machine, vector_math);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  switch (listing) {
    case Listing::Llvm: stream << *module; break;
    case Listing::Assembly: {
      llvm::legacy::PassManager passes;
      if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
        fail(*module, "this target does not support assembly output");
      passes.run(*module);
      break;
    }
  }
  return std::string(text);
}

}  // namespace sigrel::jit
