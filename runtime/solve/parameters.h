// Parameter values of one simulation, and the guesses and nominal values that depend on them.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/model.h"

namespace runtime {

using Overrides = std::vector<std::pair<std::uint32_t, double>>;  // parameter, value

/// The values of all parameters: constants, operations on earlier ones, or overrides (the last one wins).
/// Parameters that are computed from an overridden one change with it.
std::vector<double> evaluate_parameters(const Model& model, const Overrides& overrides = {});

/// Per variable: the magnitude that its errors are relative to, positive and finite (default 1).
std::vector<double> nominal_values(const Model& model, const std::vector<double>& parameters);

/// Per variable: its guess (default 0).
std::vector<double> start_values(const Model& model, const std::vector<double>& parameters);

}  // namespace runtime
