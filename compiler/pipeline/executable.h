// The last stage of the pipeline: executable kernels, compiled or interpreted.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/plan.h"
#include "compiler/pipeline/stage.h"
#include "runtime/model.h"

namespace sigrel::pipeline {

/// `None`: the model is not executed, only its errors are wanted.
enum class Backend : std::uint8_t { Jit, Interpreter, None };

struct Executable {
  std::shared_ptr<const void> owner;  // of the code and data of the kernels
  std::vector<runtime::Kernel> kernels;
  std::shared_ptr<const void> enclosure_owner;
  std::vector<runtime::EnclosureKernel> enclosures;

  Backend backend = Backend::Jit;
  std::string why_interpreted;    // why generated code was requested but is not used
  std::uint32_t functions = 0;    // LLVM functions compiled for this model
  std::uint32_t reused = 0;       // kernels with code from earlier models
  std::uint32_t interpreted = 0;  // kernels that are interpreted
  double lower_seconds = 0, setup_seconds = 0, machine_seconds = 0, link_seconds = 0;
  double llvm_seconds() const { return setup_seconds + machine_seconds + link_seconds; }
};

/// A code generator that reuses the code of earlier models.
std::shared_ptr<jit::Compiler> make_compiler();

/// Kernels for the plan. The interpreter is used where the machine does not allow generated code.
Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler);

/// Adds the durations of the steps of code generation, as parts of the last stage.
void record_parts(const Executable& executable, std::vector<Timing>& timings);

enum class Listing : std::uint8_t { Llvm, Assembly };
/// The generated code as text.
std::string print_code(const plan::Plan& plan, Listing listing);

}  // namespace sigrel::pipeline
