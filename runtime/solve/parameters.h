// Parameter values of one run.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/model.h"

namespace runtime {

using Overrides = std::vector<std::pair<std::uint32_t, double>>;  // parameter, value

/// All parameter values: each is its constant, an operation on earlier ones, or what `overrides` says (the
/// last one wins). Parameters computed from an overridden one follow it.
std::vector<double> evaluate_parameters(const Model& model, const Overrides& overrides = {});

/// Per variable: the magnitude its errors are measured against, positive and finite (default 1).
std::vector<double> nominal_values(const Model& model, const std::vector<double>& parameters);

/// Per variable: its guess (default 0).
std::vector<double> start_values(const Model& model, const std::vector<double>& parameters);

}  // namespace runtime
