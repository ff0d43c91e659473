// What a compiled model takes in memory, for the limit of those that are kept.
#pragma once
#include <cstddef>

#include "compiler/pipeline/pipeline.h"

namespace sigrel::pipeline {

/// About the bytes of a model: of its vectors, which grow with it, their capacity. Without its jump
/// equations, which count themselves, and the code of kernels, which models share.
std::size_t bytes_of(const Compiled& model);
std::size_t bytes_of(const dae::System& dae);

}  // namespace sigrel::pipeline
