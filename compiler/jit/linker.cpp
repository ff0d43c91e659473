#include "compiler/jit/linker.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <utility>

#include "compiler/ir/library.h"
#include "compiler/jit/target.h"
#include "compiler/lower/lower.h"

namespace sigrel::jit {
namespace {

namespace orc = llvm::orc;

llvm::Expected<std::unique_ptr<orc::LLJIT>> make_linker() {
  initialise_llvm();
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

llvm::Expected<Linked> link_objects(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                    std::span<const std::string> names, const Library* library,
                                    std::uint32_t width) {
  llvm::Expected<std::unique_ptr<orc::LLJIT>> made = make_linker();
  if (!made) return made.takeError();
  std::shared_ptr<orc::LLJIT> linker = std::move(*made);
  if (llvm::Error error = define_symbols(*linker, lower::symbols())) return error;
  if (llvm::Error error = define_imports(*linker, library)) return error;
  if (width > 0)
    if (llvm::Error error = define_symbols(*linker, vector_math_symbols(width))) return error;
  for (std::unique_ptr<llvm::MemoryBuffer>& object : objects)
    if (llvm::Error error = linker->addObjectFile(std::move(object))) return error;

  orc::SymbolLookupSet wanted;
  std::vector<orc::SymbolStringPtr> symbols;
  for (const std::string& name : names) {
    symbols.push_back(linker->mangleAndIntern(name));
    wanted.add(symbols.back());
  }
  llvm::Expected<orc::SymbolMap> found = linker->getExecutionSession().lookup(
      orc::makeJITDylibSearchOrder(&linker->getMainJITDylib()), std::move(wanted));
  if (!found) return found.takeError();
  Linked linked;
  linked.functions.reserve(names.size());
  for (const orc::SymbolStringPtr& symbol : symbols)
    linked.functions.push_back((*found)[symbol].getAddress().toPtr<runtime::Kernel::Function>());
  linked.owner = std::move(linker);
  return linked;
}

}  // namespace

tl::expected<Linked, std::string> link(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                       std::span<const std::string> names, const Library* library,
                                       std::uint32_t width) {
  llvm::Expected<Linked> linked = link_objects(std::move(objects), names, library, width);
  if (!linked) return tl::unexpected(llvm::toString(linked.takeError()));
  return std::move(*linked);
}

}  // namespace sigrel::jit
