// plan::Plan: what the order stage hands on. A schedule of runs (shape, role, range of instances) in flat
// tables, already in the form that the runtime executes, and the kernels that it needs as expressions.
// Lowering turns each kernel spec into one loop over rows; its number is the index into
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
};

/// What the start of a run is made of.
enum class StartPolicy : std::uint8_t {
  Guesses,  // the initial equations; where they leave freedom guesses fill in, and a note says so
  Strict,   // the initial equations; that they leave freedom is an error
  Given,    // the states will be given: there is no initial schedule
};

struct Plan {
  ExprPool exprs;
  std::vector<Kernel> kernels;
  runtime::Model model;  // kernels empty
  /// States whose start was not given and is taken from guesses.
  std::vector<std::uint32_t> guessed_states;
  /// By variable: the equation that the start finds it from, in the model's numbering of equations. Empty
  /// when the start is not the model's own (StartPolicy::Given).
  std::vector<std::uint32_t> initial_assign;
  /// Equations of the start beyond the degrees of freedom: it checks that they hold.
  std::vector<std::uint32_t> redundant_initial;
};

void verify(const Plan& plan);
std::string print(const system::System& system, const dae::System& dae, const Plan& plan);

}  // namespace sigrel::plan
