// The last stage of the pipeline: executable kernels, compiled or interpreted.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/plan.h"
#include "compiler/jit/jit.h"
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
  std::string why_interpreted;                // why generated code was requested but is not used
  std::shared_ptr<const jit::Code> compiled;  // null if all kernels are interpreted
  /// What code generation has done so far; kernels that prove hot are compiled during a run.
  jit::Statistics statistics() const;
};

/// How kernels become executable; the results do not depend on it.
struct CodeOptions {
  bool wait_until_hot = false;    // interpret kernels for few rows until they prove hot
  unsigned threads = 0;           // for generating code; 0: as many as the machine has, at most 8
  std::string cache_folder = {};  // keeps machine code on disk; empty: none
};

/// A code generator that reuses the code of earlier models.
std::shared_ptr<jit::Compiler> make_compiler(const CodeOptions& options = {});

/// Kernels for the plan. The interpreter is used where the machine does not allow generated code.
Executable make_executable(const plan::Plan& plan, Backend backend, jit::Compiler& compiler);

/// Adds the durations of the steps of code generation, as parts of the last stage.
void record_parts(const Executable& executable, std::vector<Timing>& timings);

enum class Listing : std::uint8_t { Llvm, Assembly };
/// The generated code as text.
std::string print_code(const plan::Plan& plan, Listing listing);

}  // namespace sigrel::pipeline
