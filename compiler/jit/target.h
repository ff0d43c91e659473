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

/// At the first call. The linker and the machine below do it themselves.
void initialise_llvm();

/// For this processor with all its features.
std::unique_ptr<llvm::TargetMachine> host_machine(bool optimise);

/// Doubles per vector register of this processor, at most 8.
std::uint32_t vector_width();

/// The functions of libmvec for vectors of the given width; empty without libmvec. The names live as long as
/// the process.
const std::vector<lower::Symbol>& vector_math_symbols(std::uint32_t width);

}  // namespace sigrel::jit
