// The host machine as a target of code generation.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/lower/lower.h"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace sigrel::jit {

/// For this processor with all its features. Initialises LLVM at the first call.
std::unique_ptr<llvm::TargetMachine> host_machine(bool optimise);

/// Doubles per vector register, at most 8.
std::uint32_t vector_width(const llvm::TargetMachine& machine);

/// The functions of libmvec for vectors of the given width; empty without libmvec. The names live as long as
/// the process.
const std::vector<lower::Symbol>& vector_math_symbols(std::uint32_t width);

}  // namespace sigrel::jit
