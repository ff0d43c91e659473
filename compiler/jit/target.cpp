#include "compiler/jit/target.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <cstdlib>
#include <mutex>

namespace sigrel::jit {
namespace {

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

}  // namespace

HostTarget::HostTarget() {
  initialise_llvm();
  llvm::orc::JITTargetMachineBuilder builder = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  fast_code = llvm::cantFail(builder.createTargetMachine());
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  fast_compile = llvm::cantFail(builder.createTargetMachine());
}

HostTarget::~HostTarget() = default;

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

}  // namespace sigrel::jit
