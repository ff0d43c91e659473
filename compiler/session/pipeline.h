// The stages in their order: the table of contents of the compiler.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/elaborate/elaborate.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "compiler/session/executable.h"
#include "compiler/session/modules.h"

namespace sigrel::session {

/// What `sigrel dump` can show: the output of each stage.
enum class Dump : std::uint8_t { Ast, Core, System, Dae, Plan, Llvm, Assembly };
struct DumpName {
  Dump dump;
  std::string_view name, what;
};
const std::vector<DumpName>& dump_names();

struct Timing {
  std::string stage;
  double seconds = 0;
  bool part = false;  // of the stage before it in the list
  double peak =
      0;  // bytes of memory that the process has had at most when the stage ended; 0 where nobody looked
};

/// Bytes of memory that the process has had at most so far.
double peak_memory();

/// What every stage shares.
struct Context {
  SourceMap& sources;
  Diagnostics& diagnostics;
  std::vector<Timing>& timings;
  jit::Compiler& compiler;  // keeps the code of one model for the next
  bool verify = false;
  bool why = true;  // keeps what `why_text` reads
  /// The stage whose output is wanted as text: the pipeline stops behind it.
  std::optional<Dump> dump;
  bool dump_json = false;
  std::string dumped = {};
  plan::StartPolicy start = plan::StartPolicy::Guesses;
};

/// The front end's result.
struct Checked {
  std::vector<ast::Module> modules;  // imports before importers
  std::size_t root_index = 0;        // the file that was asked for; an expression to run comes after it
  const ast::Module& root() const { return modules[root_index]; }
  core::Program program;
};

/// A compiled model: runs any number of times with other parameters.
struct Compiled {
  system::System system;  // its equations without their rows, unless the context says that they are kept
  elaborate::Experiment experiment;
  dae::System dae;
  plan::Plan plan;  // its model has its kernels
  Executable executable;
};

/// Text to typed program. `expression`: what to run instead of `main`. Nullopt after errors, and after a
/// dump.
std::optional<Checked> front_end(std::optional<Modules> loaded, const std::optional<std::string>& expression,
                                 Context& context);

/// Typed program to executable model. Nullopt after errors, and after a dump.
std::unique_ptr<Compiled> back_end(const core::Program& program, const elaborate::Options& options,
                                   Backend backend, Context& context);

}  // namespace sigrel::session
