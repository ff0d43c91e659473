// Session::linearize: a linear model at a point of a run, with names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "compiler/explain/run_notes.h"
#include "compiler/session/session.h"

namespace sigrel {
namespace {

/// The variables of the states: of those that are selected among several during a run, the ones that are
/// selected now.
std::vector<std::uint32_t> selected_variables(const runtime::Model& model,
                                              std::span<const double> parameters) {
  std::vector<std::uint32_t> result;
  for (const runtime::State& state : model.states) result.push_back(state.variable);
  for (const runtime::StateSet& set : model.sets)
    for (std::uint32_t s = 0; s < set.states; ++s) {
      const auto selectors =
          parameters.subspan(set.first_selector + std::size_t{s} * set.candidates, set.candidates);
      const auto one = std::ranges::find(selectors, 1.0);
      if (one == selectors.end() || std::ranges::count(selectors, 0.0) + 1 != std::ssize(selectors)) continue;
      const auto k = static_cast<std::uint32_t>(one - selectors.begin());
      result[set.first_state + s] =
          model.set_variables[set.first_variable + set.eliminated + set.candidates + k];
    }
  return result;
}

/// Derivatives of the states; 0 where they are rounding errors, of the states or of their own.
std::vector<double> derivatives(const runtime::Model& model, const runtime::LinearModel& linear,
                                std::span<const double> values, std::span<const double> nominal) {
  constexpr double kRelative = 1e-9, kOfNominal = 1e-12, kRounding = 1e-15;
  const std::size_t n = model.states.size();
  std::vector<double> result;
  for (std::size_t r = 0; r < n; ++r) {
    double error = kRounding * nominal[model.states[r].variable];
    for (std::size_t c = 0; c < n; ++c) {
      const std::uint32_t state = model.states[c].variable;
      error +=
          std::abs(linear.a[r * n + c]) * (kRelative * std::abs(values[state]) + kOfNominal * nominal[state]);
    }
    const double rate = values[model.states[r].derivative];
    result.push_back(std::abs(rate) <= error ? 0.0 : rate);
  }
  return result;
}

/// The first input whose derivative the states or outputs depend on, or why that cannot be told. An input and
/// its derivative are independent at one point, so that the linear model would lack the derivative.
std::variant<std::monostate, std::size_t, runtime::NotLinear> differentiated_input(
    const pipeline::Compiled& model, const runtime::Point& point, std::span<const runtime::Column> inputs,
    std::span<const runtime::Column> outputs) {
  std::vector<runtime::Column> all(inputs.begin(), inputs.end());
  std::vector<std::size_t> input_of;  // of the derivatives, which are the last columns
  for (std::size_t k = 0; k < inputs.size(); ++k)
    for (std::uint32_t v = inputs[k].variable; v != dae::kNone && !model.dae.variables[v].state;) {
      v = model.dae.variables[v].derivative;
      if (v == dae::kNone || std::ranges::find(all, v, &runtime::Column::variable) != all.end()) break;
      all.push_back({v});
      input_of.push_back(k);
    }
  if (input_of.empty()) return {};
  const auto result = runtime::linearize(model.plan.model, point, all, outputs);
  if (const auto* failure = std::get_if<runtime::NotLinear>(&result)) {
    if (failure->reason == runtime::NotLinear::InputInLoop && failure->subject >= inputs.size())
      return input_of[failure->subject - inputs.size()];  // it depends on others: no source of its own
    return *failure;
  }
  const auto& linear = std::get<runtime::LinearModel>(result);
  constexpr double kRounding = 1e-12;  // of the largest entry of a row; units of rows differ
  for (const std::vector<double>* matrix : {&linear.b, &linear.d})
    for (std::size_t first = 0; first < matrix->size(); first += all.size()) {
      const std::span<const double> row = std::span(*matrix).subspan(first, all.size());
      double largest = 0;
      for (const double entry : row) largest = std::max(largest, std::abs(entry));
      for (std::size_t column = inputs.size(); column < row.size(); ++column)
        if (std::abs(row[column]) > kRounding * largest) return input_of[column - inputs.size()];
    }
  return {};
}

}  // namespace

std::optional<Linearization> Session::linearize(const Compiled& start, const LinearizeOptions& options) {
  RunOptions request = options.run;
  if (!request.stop) request.stop = request.start.value_or(start.experiment.start);
  request.is_point = true;
  request.all_outputs = request.plot_something = request.keep_trajectory = false;
  // Where the structure changes, the model is that of the modes at the point.
  Run run;
  if (start.structures && !(run = this->run(start, request)).completed()) return std::nullopt;
  const Compiled& model = run.last ? *run.last : start;
  const pipeline::Results names(model.system, model.dae);
  const std::size_t errors = diagnostics_.error_count();
  const pipeline::Columns inputs = names.select(
      options.inputs, "inputs", std::vector<std::optional<Span>>(options.inputs.size()), diagnostics_);
  const pipeline::Columns outputs = names.select(
      options.outputs, "outputs", std::vector<std::optional<Span>>(options.outputs.size()), diagnostics_);
  if (diagnostics_.error_count() != errors ||
      explain::refuse_analysis(model.system, "a linear model", diagnostics_))
    return std::nullopt;

  if (!start.structures && !(run = this->run(start, request)).completed()) return std::nullopt;
  const runtime::Model& m = model.plan.model;
  const std::vector<double>& parameters = run.outcome.parameters;
  std::vector<double> values = run.outcome.values;
  const runtime::Point point{run.outcome.reached, values.data(), parameters.data()};
  const std::vector<double> nominal = runtime::nominal_values(m, parameters);
  runtime::Evaluator evaluator(m, nominal);
  evaluator.run(m.observed, point);  // a run computes observed variables only where they are recorded
  auto result = runtime::linearize(m, point, inputs.columns, outputs.columns);
  if (auto* linear = std::get_if<runtime::LinearModel>(&result)) {
    const auto differentiated = differentiated_input(model, point, inputs.columns, outputs.columns);
    if (const auto* input = std::get_if<std::size_t>(&differentiated)) {
      const std::string& name = inputs.names[*input];
      diagnostics_
          .report(Code::NotLinearized,
                  fmt::format("`{}` cannot be an input: states or outputs depend on its derivative", name))
          .note("a linear model has no derivatives of inputs")
          .help(fmt::format("let it be a state, `der {0} = rate`, for an angle or position also `der rate = "
                            "acceleration`, and choose the highest derivative as input",
                            name));
      return std::nullopt;
    }
    if (const auto* failure = std::get_if<runtime::NotLinear>(&differentiated)) {
      result = *failure;
    } else {
      std::vector<std::string> states = names.named(selected_variables(m, parameters)).names;
      std::vector<double> rates = derivatives(m, *linear, values, nominal);
      return Linearization{run.outcome.reached, std::move(states), inputs.names,
                           outputs.names,       std::move(rates),  std::move(*linear)};
    }
  }

  using Reason = runtime::NotLinear::Reason;
  const Reason reason = std::get<runtime::NotLinear>(result).reason;
  const std::uint32_t subject = std::get<runtime::NotLinear>(result).subject;
  const bool of_variable = reason == Reason::Singular || reason == Reason::NotFinite;
  const std::string variable = of_variable && subject != runtime::kNone
                                   ? "`" + names.named({&subject, 1}).names[0] + "`"
                                   : "some variable";
  auto report = [&](const std::string& message) -> Diagnostic& {
    return diagnostics_.report(Code::NotLinearized, message);
  };
  switch (reason) {
    case Reason::InputInLoop:
      report(fmt::format("`{}` cannot be an input: it is solved in an algebraic loop", inputs.names[subject]))
          .help("choose a variable with an explicit equation, or add one: `local u`, `u = " +
                inputs.names[subject] + "`");
      break;
    case Reason::InputIsZero:
      report(fmt::format("`{}` cannot be an input: it is always zero", inputs.names[subject]))
          .help(
              "variables that are always zero are eliminated; let the model compute it from a parameter or "
              "`time`");
      break;
    case Reason::InputTwice:
      report(fmt::format("`{}` cannot be an input together with another one: both are the same variable",
                         inputs.names[subject]))
          .help("choose one of them");
      break;
    case Reason::Singular:
      report(
          fmt::format(
              "the model has no linearization at t = {:.9g} s: {} is not determined by the other variables",
              point.time, variable))
          .help("choose another time with `--at`, or another input");
      break;
    case Reason::NotFinite:
      report(
          fmt::format(
              "the model has no linearization at t = {:.9g} s: a derivative with respect to {} is not finite",
              point.time, variable))
          .help("choose another time with `--at`");
      break;
    case Reason::TooLarge:
      report(fmt::format("the model has {} states and inputs; the limit is {}",
                         m.states.size() + inputs.size(), runtime::kMaxColumns))
          .help("linearize a part of the model");
      break;
  }
  return std::nullopt;
}

}  // namespace sigrel
