// The stages in order, from text to an executable model: the table of contents of the compiler.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/elaborate/elaborate.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "compiler/pipeline/executable.h"
#include "compiler/pipeline/modules.h"
#include "compiler/pipeline/stage.h"
#include "compiler/reduce/mechanisms/reassembly.h"

namespace sigrel::pipeline {

/// The result of the front end.
struct Checked {
  std::vector<ast::Module> modules;  // imports before importers
  std::size_t root_index = 0;        // the requested file; the module of an expression comes after it
  const ast::Module& root() const { return modules[root_index]; }
  core::Program program;
};

class Structures;
struct Compiled;

/// The reduced system of a model, with its flat equations, in which each unknown that is differentiated is a
/// variable of its own: by it jumps are solved. It is made when it is first needed, for all runs of the
/// model.
class JumpEquations {
 public:
  /// Null if the equations cannot be reduced.
  const dae::System* of(const Compiled& model) const;

 private:
  struct Made {
    std::once_flag once;
    std::unique_ptr<dae::System> system;
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

/// A compiled model: runs any number of times, with different parameter values.
struct Compiled {
  system::System system;  // its equations have no rows unless Context::keep_equations
  elaborate::Experiment experiment;
  dae::System dae;
  plan::Plan plan;  // its model has its kernels
  Executable executable;
  JumpEquations jump_equations{};                          // of this model
  std::shared_ptr<const reduce::Reassembly> reassembly{};  // of its loops of joints; null without
  // Of a model with switches:
  elaborate::Structure structure{};
  std::shared_ptr<Structures> structures{};  // what it changes to
  std::uint64_t number = 0;                  // among these; that of the start is 0
};

/// Whether values may jump in a run that constraints tie to others. Jumps need the flat equations: they are
/// kept.
bool may_jump(const system::System& system, const dae::System& dae);

/// Parsed modules to a typed program. `expression` replaces `main`. Nullopt after errors and after a dump.
std::optional<Checked> front_end(std::optional<Modules> loaded, const std::optional<std::string>& expression,
                                 Context& context);

/// Elaborated system to executable model. False after errors and after a dump; the model has then what was
/// made before.
bool compile(elaborate::Result elaborated, Backend backend, Context& context, const core::Program* program,
             Compiled& model);

/// Typed program to executable model. Null after errors and after a dump.
std::unique_ptr<Compiled> back_end(const core::Program& program, const elaborate::Options& options,
                                   Backend backend, Context& context);

}  // namespace sigrel::pipeline
