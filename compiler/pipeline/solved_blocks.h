// The order in which a compiled model is solved, read back from its plan: which equations determine which
// variables, one by one or simultaneously.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"

namespace sigrel::pipeline {

/// Equations that are solved together. An equation that is solved for a variable alone is a block with one
/// inner equation.
struct SolvedBlock {
  // Inner equations and the variables that they are solved for, in the order of evaluation.
  std::vector<std::uint32_t> inner_equations, inner_variables;
  // Of algebraic loops.
  std::vector<std::uint32_t> residual_equations, tearing_variables;
  runtime::AlgebraicLoop::Kind kind = runtime::AlgebraicLoop::Fixed;
  std::size_t size() const { return inner_equations.size() + residual_equations.size(); }
};

/// From the states to the derivatives, then everything else.
std::vector<SolvedBlock> solved_blocks(const plan::Plan& plan);

/// For each equation the variables that it contains, each once, ascending.
std::vector<std::vector<std::uint32_t>> incidence_lists(const dae::System& dae);

}  // namespace sigrel::pipeline
