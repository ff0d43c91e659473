// Linking: object files -> callable functions in memory.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace llvm {
class MemoryBuffer;
}  // namespace llvm

namespace sigrel::jit {

struct Linked {
  std::vector<runtime::Kernel::Function> functions;  // in the order of the names
  std::shared_ptr<const void> owner;                 // of their memory
};

/// Links the objects with libm, the C functions of the library and libmvec for vectors of `width` (0:
/// without). The error is the reason why this machine does not allow generated code, or why the objects
/// cannot be used.
tl::expected<Linked, std::string> link(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                       std::span<const std::string> names, const Library* library,
                                       std::uint32_t width);

}  // namespace sigrel::jit
