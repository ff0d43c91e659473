// The order in which a compiled model is solved, read back from its plan: which equations give which
// variables, alone or together. For `sigrel explain --blocks`, pictures of the incidence matrix, and dumps.
#pragma once
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/session/pipeline.h"

namespace sigrel::session {

/// Equations that are solved at one time. One that gives its variable alone is a block with one inner
/// equation.
struct SolvedBlock {
  std::vector<std::uint32_t> inner_equations,
      inner_variables;  // equation by equation, in the order of evaluation
  std::vector<std::uint32_t> residual_equations, unknowns;  // simultaneous blocks
  runtime::AlgebraicLoop::Kind kind = runtime::AlgebraicLoop::Fixed;
  std::size_t size() const { return inner_equations.size() + residual_equations.size(); }
};

/// From the states to the derivatives, and on to everything else.
std::vector<SolvedBlock> solved_blocks(const plan::Plan& plan);

/// Per equation the variables that it contains, each once, ascending.
std::vector<std::vector<std::uint32_t>> incidence_lists(const dae::System& dae);

/// The blocks in order, in the words of the source.
std::string blocks_text(const Compiled& model, const SourceMap& sources);

constexpr std::size_t kLargestPicture = 400;  // equations

/// The incidence matrix in the order of the source and in that of the solution, with the blocks; of at most
/// kLargestPicture equations.
std::string incidence_svg(const Compiled& model);
/// The same as a graph: equations and variables, an edge for each that an equation contains, bold for what it
/// gives.
std::string incidence_dot(const Compiled& model);

}  // namespace sigrel::session
