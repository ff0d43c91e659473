// The tangent of a model at a point of a run, with names.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/session/failure_report.h"
#include "compiler/session/session.h"

namespace sigrel {

std::optional<Linearization> Session::linearize(const Compiled& model, const LinearizeOptions& options) {
  const session::Results names(model.system, model.dae);
  const std::size_t errors = diagnostics_.error_count();
  const session::Columns inputs = names.select(
      options.inputs, "inputs", std::vector<std::optional<Span>>(options.inputs.size()), diagnostics_);
  const session::Columns outputs = names.select(
      options.outputs, "outputs", std::vector<std::optional<Span>>(options.outputs.size()), diagnostics_);
  if (diagnostics_.error_count() != errors ||
      session::refuse_delays(model.system, "a linear model", diagnostics_))
    return std::nullopt;

  RunOptions request = options.run;
  if (!request.stop) request.stop = request.start.value_or(model.experiment.start);
  request.all_outputs = request.plot_something = request.keep_trajectory = false;
  const Run run = this->run(model, request);
  if (!run.completed()) return std::nullopt;
  const runtime::Model& m = model.plan.model;
  const std::vector<double>& parameters = run.outcome.parameters;
  std::vector<double> values = run.outcome.values;
  const runtime::Point point{run.outcome.reached, values.data(), parameters.data()};
  runtime::Evaluator evaluator(m, runtime::nominal_values(m, parameters));
  evaluator.run(m.observed, point);  // a run computes what it records
  auto result = runtime::linearize(m, point, inputs.columns, outputs.columns);
  if (auto* linear = std::get_if<runtime::LinearModel>(&result)) {
    std::vector<std::string> states = names.named(linear->states).names;
    return Linearization{run.outcome.reached, std::move(states), inputs.names, outputs.names,
                         std::move(*linear)};
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
      report(
          fmt::format(
              "`{}` cannot be an input: it is one of the unknowns of equations that must be solved together",
              inputs.names[subject]))
          .help("choose a variable that has an equation of its own, or add one: `local u`, `u = " +
                inputs.names[subject] + "`");
      break;
    case Reason::InputIsZero:
      report(fmt::format("`{}` cannot be an input: it is always zero", inputs.names[subject]))
          .help(
              "what is zero whatever happens is not kept; let the model take its value from a parameter or "
              "from `time`");
      break;
    case Reason::InputTwice:
      report(fmt::format("`{}` cannot be an input beside another one: both are the same variable",
                         inputs.names[subject]))
          .help("name one of them");
      break;
    case Reason::Singular:
      report(
          fmt::format(
              "the model has no tangent at t = {:.9g} s: {} is not determined by the other variables there",
              point.time, variable))
          .help("choose another time with `--at`, or another input");
      break;
    case Reason::NotFinite:
      report(
          fmt::format(
              "the model has no tangent at t = {:.9g} s: a derivative with respect to {} is no finite number",
              point.time, variable))
          .help("choose another time with `--at`");
      break;
    case Reason::TooLarge:
      report(fmt::format("the model has {} states and inputs; matrices of more than {} are not made",
                         m.states.size() + inputs.size(), runtime::kMaxColumns))
          .help("linearize a part of it");
      break;
  }
  return std::nullopt;
}

}  // namespace sigrel
