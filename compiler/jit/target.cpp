#include "compiler/jit/target.h"

#include <dlfcn.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <deque>
#include <mutex>
#include <string>

namespace sigrel::jit {
namespace {

// Loop strength reduction takes a third of the time of optimising code generation and does not improve our
// loops, which have one induction variable and addresses in the form of the machine. LLVM has no other way to
// disable it.
void disable_loop_strength_reduction() {
  auto& options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find("disable-lsr"); found != options.end())
    static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

}  // namespace

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    disable_loop_strength_reduction();
  });
}

std::unique_ptr<llvm::TargetMachine> host_machine(bool optimise) {
  initialise_llvm();
  llvm::orc::JITTargetMachineBuilder builder =
      llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setCodeGenOptLevel(optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return llvm::cantFail(builder.createTargetMachine());
}

std::uint32_t vector_width() {
  static const std::uint32_t width = []() -> std::uint32_t {
    const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (features.lookup("avx512f") && features.lookup("avx512dq")) return 8;
    return features.lookup("avx2") ? 4 : 2;
  }();
  return width;
}

const std::vector<lower::Symbol>& vector_math_symbols(std::uint32_t width) {
  static std::mutex mutex;
  static std::vector<lower::Symbol> known[2];
  static std::deque<std::string> names;
  static const std::vector<lower::Symbol> none;
  if (width != 4 && width != 8) return none;
  std::lock_guard lock(mutex);
  std::vector<lower::Symbol>& symbols = known[width == 8];
  if (!symbols.empty()) return symbols;
  void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return none;
  const std::string prefix = width == 8 ? "_ZGVeN8" : "_ZGVdN4";
  for (const char* function : {
#define SIGREL_FUNCTION1(op, name, function) "v_" #function,
#define SIGREL_FUNCTION2(op, name, function) "vv_" #function,
#include "compiler/ir/operations.def"
       }) {
    std::string name = prefix + function;
    void* address = dlsym(library, name.c_str());
    if (!address) {  // an old library: use none of its functions
      symbols.clear();
      return none;
    }
    symbols.push_back({names.emplace_back(std::move(name)).c_str(), address});
  }
  return symbols;
}

}  // namespace sigrel::jit
