#include "runtime/solve/parameters.h"

#include <cmath>

namespace runtime {

std::vector<double> evaluate_parameters(const Model& model, const Overrides& overrides) {
  const std::size_t count = model.parameters.size();
  std::vector<double> values(count, 0.0);
  std::vector<std::uint8_t> given(overrides.empty() ? 0 : count, 0);
  for (const auto& [parameter, value] : overrides) {
    if (parameter >= count) continue;
    values[parameter] = value;
    given[parameter] = 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!given.empty() && given[i]) continue;
    const ParameterRule& rule = model.parameters[i];
    // An operation of fewer than three operands leaves the others unset: they read as 0.
    auto operand = [&](std::uint32_t k) { return k < i ? values[k] : 0.0; };
    values[i] = rule.op == 0 || !model.operation ? rule.value
                                                 : model.operation(model.library.get(), rule, operand(rule.a),
                                                                   operand(rule.b), operand(rule.c));
  }
  return values;
}

namespace {

std::vector<double> per_variable(const Model& model, const std::vector<std::uint32_t>& source,
                                 const std::vector<double>& parameters, double otherwise) {
  std::vector<double> values(model.variables, otherwise);
  for (std::size_t v = 0; v < source.size() && v < values.size(); ++v)
    if (source[v] != kNone) values[v] = parameters[source[v]];
  return values;
}

}  // namespace

std::vector<double> nominal_values(const Model& model, const std::vector<double>& parameters) {
  std::vector<double> values = per_variable(model, model.nominal, parameters, 1.0);
  for (double& value : values) {
    value = std::abs(value);
    if (!(value > 0) || !std::isfinite(value)) value = 1.0;
  }
  return values;
}

std::vector<double> start_values(const Model& model, const std::vector<double>& parameters) {
  std::vector<double> values = per_variable(model, model.start, parameters, 0.0);
  for (std::size_t v = 0; v < model.first_iterate.size(); ++v)
    if (model.first_iterate[v] != kNone) values[v] = parameters[model.first_iterate[v]];
  return values;
}

}  // namespace runtime
