// The blocks of a compiled model in the order of the solution, as text and as pictures of the incidence
// matrix: for `sigrel explain --blocks`, `--svg` and `--dot`.
#pragma once
#include <string>

#include "compiler/base/source.h"
#include "compiler/pipeline/pipeline.h"

namespace sigrel::explain {

/// The blocks in order, with their equations as written in the source.
std::string blocks_text(const pipeline::Compiled& model, const SourceMap& sources);

constexpr std::size_t kLargestPicture = 400;  // equations

/// The incidence matrix in the order of the source and in the order of the solution, with the blocks; for at
/// most kLargestPicture equations.
std::string incidence_svg(const pipeline::Compiled& model);
/// The incidence as a bipartite graph of equations and variables; the edge from an equation to the variable
/// that it is solved for is bold.
std::string incidence_dot(const pipeline::Compiled& model);

}  // namespace sigrel::explain
