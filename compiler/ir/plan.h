// plan::Plan: the output of the order stage. Schedules of kernel batches and algebraic loops in flat tables,
// in the form that the runtime executes, and the required kernels as expressions.
// Lowering compiles each kernel to a loop over rows; its number is the index into
// runtime::Model::kernels.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/system.h"
#include "runtime/model.h"

namespace sigrel::plan {

struct Kernel {
  runtime::Role role = runtime::Role::Residual;
  std::uint32_t slots = 0;
  std::uint32_t params = 0;
  std::uint32_t solved = 0;     // Solve: the slot that is assigned
  std::vector<ExprId> outputs;  // Residual, Solve: one; Partials: one per slot
  bool rare = false;            // most runs do not evaluate it: it is interpreted
};

/// The equations of the initial system.
enum class StartPolicy : std::uint8_t {
  Guesses,   // the initial equations; remaining degrees of freedom are fixed by guesses, with a note
  Strict,    // the initial equations; remaining degrees of freedom are an error
  Given,     // the states are given: there is no initial schedule
  Continue,  // as Guesses, of a run that continues: the guess of each variable is a parameter of its own
};

struct Plan {
  ExprPool exprs;
  std::vector<Kernel> kernels;
  runtime::Model model;  // kernels empty
  /// States whose initial values are taken from guesses.
  std::vector<std::uint32_t> guessed_states;
  /// For each variable the equation of the initial system that is matched to it, in the numbering of the
  /// model. Empty with StartPolicy::Given.
  std::vector<std::uint32_t> initial_assign;
  /// Redundant initial equations: checked at the start, not solved.
  std::vector<std::uint32_t> redundant_initial;
};

void verify(const Plan& plan);
std::string print(const system::System& system, const dae::System& dae, const Plan& plan);

}  // namespace sigrel::plan
