// Session::steady: a steady state, with names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/explain/failure_report.h"
#include "compiler/explain/run_notes.h"
#include "compiler/session/bounds.h"
#include "compiler/session/session.h"
#include "runtime/integrate/initial_value_problem.h"

namespace sigrel {
namespace {

using runtime::FreeValue;

/// The variables that only event handlers change, in ascending order.
std::vector<std::uint32_t> held_variables(const runtime::Model& model) {
  std::vector<bool> is_state(model.variables, false);
  for (const runtime::State& s : model.states) is_state[s.variable] = true;
  std::vector<std::uint32_t> held;
  for (const runtime::Assignment& assignment : model.events.assignments)
    if (!is_state[assignment.variable]) held.push_back(assignment.variable);
  std::ranges::sort(held);
  held.erase(std::ranges::unique(held).begin(), held.end());
  return held;
}

/// "`d1` in Open, `d2` in Closed".
std::string modes_text(const Compiled& model) {
  constexpr std::size_t kListed = 8;
  std::string text;
  const auto modes = explain::modes_of(model);
  for (std::size_t k = 0; k < std::min(modes.size(), kListed); ++k)
    text += fmt::format("{}{}{}", k ? ", " : "", modes[k].first.empty() ? "" : "`" + modes[k].first + "` in ",
                        modes[k].second);
  if (modes.size() > kListed) text += fmt::format(" and {} more", modes.size() - kListed);
  return text;
}

/// A transition that is due at the values that were found; one at equality is not.
std::optional<std::size_t> due_transition(const Compiled& model, double time, const runtime::Steady& found) {
  constexpr double kEqual = 1e-9;  // relative
  if (model.system.transitions.empty()) return std::nullopt;
  const runtime::Model& m = model.plan.model;
  runtime::InitialValueProblem problem(m, found.parameters, runtime::nominal_values(m, found.parameters));
  problem.instance.values = found.values;
  if (!problem.events.hold_transitions(time, kEqual)) return std::nullopt;
  const std::vector<std::uint32_t> due = problem.events.transitions();
  for (std::size_t t = 0; t < model.system.transitions.size(); ++t)
    if (std::ranges::binary_search(due, model.system.transitions[t].trigger)) return t;
  return std::nullopt;
}

class Request {
 public:
  Request(const Compiled& model, const SteadyOptions& options, Diagnostics& diagnostics)
      : model_(model), options_(options), names_(model.system, model.dae), diagnostics_(diagnostics) {}

  runtime::SteadyProblem problem;
  std::vector<std::string> free_names;
  std::vector<SteadyRow::Role> roles;

  /// Resolves the names. False after errors.
  bool build() {
    const std::size_t errors = diagnostics_.error_count();
    const runtime::Model& m = model_.plan.model;
    std::vector<bool> excluded(m.variables, false);
    for (const std::string& name : options_.exclude) {  // a vector stands for its elements
      const pipeline::Columns found =
          names_.select(std::span(&name, 1), "--exclude", std::vector<std::optional<Span>>(1), diagnostics_);
      bool any_state = false;
      for (const runtime::Column& column : found.columns) {
        if (column.variable == runtime::kNone) continue;
        excluded[column.variable] = true;
        any_state |= state_of(column.variable) != runtime::kNone;
      }
      if (!any_state && found.size() > 0)
        diagnostics_.report(Code::UnknownResult, fmt::format("`{}` is not a state", name))
            .help("`sigrel explain FILE --states` lists them");
    }
    for (const runtime::State& s : m.states) {
      if (excluded[s.variable]) continue;
      problem.free.push_back({FreeValue::State, s.variable});
      problem.at_rest.push_back(s.derivative);
      free_names.push_back(name_of(s.variable));
      roles.push_back(SteadyRow::State);
    }
    for (const SteadyOptions::Vary& v : options_.vary) vary(v);
    for (const auto& [name, value] : options_.fix)
      if (auto column = find(name, "--fix")) problem.given.emplace_back(*column, value);
    const std::string& goal = options_.minimise.empty() ? options_.maximise : options_.minimise;
    if (!goal.empty()) {
      problem.objective = find(goal, options_.minimise.empty() ? "--maximise" : "--minimise");
      problem.sign = options_.minimise.empty() ? -1 : 1;
    }
    return diagnostics_.error_count() == errors;
  }

  /// Applies the attributes `min` and `max`, by the parameters of the start. A bound that a free parameter
  /// moves is compared afterwards, as those of other variables are.
  void apply_bounds(std::span<const double> parameters) {
    const std::vector<bool> varied = varied_parameters();
    for (FreeValue& f : problem.free)
      if (f.kind != FreeValue::Parameter) attribute_bounds(f, parameters, varied);
  }

  std::string name_of(std::uint32_t variable) const {
    // A selected state of a state set has no name in the source.
    if (std::uint32_t s = model_.dae.variables[variable].set; s != dae::kNone) {
      std::string text;
      for (std::uint32_t rate : model_.dae.sets[s].candidates)
        text +=
            (text.empty() ? "" : " or ") + names_.named({&model_.dae.variables[rate].integral, 1}).names[0];
      return text;
    }
    return names_.named({&variable, 1}).names[0];
  }

  /// The variable itself, and of an own state of a state set the selected candidate.
  std::uint32_t selected_variable(std::uint32_t variable, std::span<const double> parameters) const {
    const runtime::Model& m = model_.plan.model;
    for (const runtime::StateSet& set : m.sets)
      for (std::uint32_t s = 0; s < set.states; ++s) {
        if (m.states[set.first_state + s].variable != variable) continue;
        const std::uint32_t* candidates =
            m.set_variables.data() + set.first_variable + set.eliminated + set.candidates;
        for (std::uint32_t k = 0; k < set.candidates; ++k)
          if (parameters[set.first_selector + s * set.candidates + k] != 0) return candidates[k];
      }
    return variable;
  }

 private:
  std::uint32_t state_of(std::uint32_t variable) const {
    for (std::uint32_t s = 0; s < model_.plan.model.states.size(); ++s)
      if (model_.plan.model.states[s].variable == variable) return s;
    return runtime::kNone;
  }

  std::optional<runtime::Column> find(const std::string& name, const char* option) {
    if (auto column = names_.find(name)) return column;
    const std::size_t errors = diagnostics_.error_count();
    const pipeline::Columns found =
        names_.select(std::span(&name, 1), option, std::vector<std::optional<Span>>(1), diagnostics_);
    if (found.size() == 1) return found.columns[0];
    if (diagnostics_.error_count() == errors)
      diagnostics_
          .report(Code::UnknownResult,
                  fmt::format("`{}` in {} matches {} variables", name, option, found.size()))
          .help("choose one of them");
    return std::nullopt;
  }

  void vary(const SteadyOptions::Vary& v) {
    if (v.lower > v.upper) {
      diagnostics_
          .report(Code::BadExperiment,
                  fmt::format("the bounds of `{}` are reversed: {:.6g} to {:.6g}", v.name, v.lower, v.upper))
          .help("write the lower bound first");
      return;
    }
    auto parameter = std::ranges::find(model_.system.named_parameters, v.name, &system::NamedParameter::name);
    if (parameter != model_.system.named_parameters.end()) {
      if (parameter->structural) {
        diagnostics_
            .report(Code::UnknownParameter,
                    fmt::format("`{}` is a structural parameter: it determines the equations", v.name))
            .help("only numeric parameters can be varied");
        return;
      }
      add({FreeValue::Parameter, parameter->parameter, v.lower, v.upper}, v.name, SteadyRow::Parameter);
      return;
    }
    auto column = find(v.name, "--vary");
    if (!column) return;
    if (column->variable == runtime::kNone) {
      diagnostics_
          .report(Code::NotLinearized, fmt::format("`{}` cannot be varied: it is always zero", v.name))
          .help("let the model compute it from a parameter");
      return;
    }
    FreeValue free{FreeValue::Input, column->variable, v.lower, v.upper};
    if (column->negated) std::tie(free.lower, free.upper) = std::pair(-v.upper, -v.lower);
    for (FreeValue& known : problem.free)
      if (known.kind != FreeValue::Parameter &&
          known.index == free.index) {  // a state is free in any case: only the bounds are added
        known.lower = std::max(known.lower, free.lower);
        known.upper = std::min(known.upper, free.upper);
        return;
      }
    add(free, v.name, SteadyRow::Input);
  }
  void add(const FreeValue& free, const std::string& name, SteadyRow::Role role) {
    problem.free.push_back(free);
    free_names.push_back(name);
    roles.push_back(role);
  }

  /// By parameter: whether it is free, or computed from one that is.
  std::vector<bool> varied_parameters() const {
    const std::vector<runtime::ParameterRule>& rules = model_.plan.model.parameters;
    std::vector<bool> varied(rules.size(), false);
    for (const FreeValue& f : problem.free)
      if (f.kind == FreeValue::Parameter) varied[f.index] = true;
    for (std::size_t p = 0; p < rules.size(); ++p)
      if (rules[p].op != 0 && (varied[rules[p].a] || varied[rules[p].b] || varied[rules[p].c]))
        varied[p] = true;
    return varied;
  }

  void attribute_bounds(FreeValue& free, std::span<const double> parameters,
                        const std::vector<bool>& varied) {
    const std::uint32_t variable = selected_variable(free.index, parameters);
    for (const system::Attribute& a : model_.system.attributes) {
      if (a.kind != system::AttributeKind::Min && a.kind != system::AttributeKind::Max) continue;
      const dae::Alias& alias = model_.dae.aliases[a.unknown];
      if (alias.kind == dae::Alias::Zero || alias.variable != variable || varied[a.parameter]) continue;
      const bool negated = alias.kind == dae::Alias::Negated,
                 least = (a.kind == system::AttributeKind::Min) != negated;
      const double value = negated ? -parameters[a.parameter] : parameters[a.parameter];
      if (least)
        free.lower = std::max(free.lower, value);
      else
        free.upper = std::min(free.upper, value);
    }
  }

  const Compiled& model_;
  const SteadyOptions& options_;
  const pipeline::Results names_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<SteadyPoint> Session::steady(const Compiled& first, const SteadyOptions& options) {
  RunOptions start = options.run;
  start.is_point = true;
  start.stop = start.start.value_or(first.experiment.start);
  start.all_outputs = start.plot_something = start.keep_trajectory = false;
  // Where the structure changes, the model is that of the modes after the start.
  Run run;
  if (first.structures && !(run = this->run(first, start)).completed()) return std::nullopt;
  const Compiled& model = run.last ? *run.last : first;
  if (explain::refuse_analysis(model.system, "a steady state", diagnostics_)) return std::nullopt;
  Request request(model, options, diagnostics_);
  if (!request.build()) return std::nullopt;
  if (!first.structures && !(run = this->run(first, start)).completed()) return std::nullopt;
  const runtime::Model& m = model.plan.model;
  request.apply_bounds(run.outcome.parameters);
  std::vector<double> values = run.outcome.values;
  runtime::Evaluator evaluator(m, runtime::nominal_values(m, run.outcome.parameters));
  evaluator.run(m.observed, {run.outcome.reached, values.data(), run.outcome.parameters.data()});

  const runtime::SteadyProblem& problem = request.problem;
  runtime::Steady found = runtime::find_steady(m, run.outcome.reached, std::move(values),
                                               run.outcome.parameters, run.outcome.overrides, problem);

  // A state of a state set has no name of its own.
  auto is_named_state = [&](std::uint32_t k) {
    return problem.free[k].kind == FreeValue::State &&
           model.dae.variables[problem.free[k].index].set == dae::kNone;
  };
  auto free_name = [&](std::uint32_t k) { return "`" + request.free_names[k] + "`"; };
  switch (found.status) {
    case runtime::Steady::Found: break;
    case runtime::Steady::InputInLoop:
      diagnostics_
          .report(Code::NotLinearized,
                  free_name(found.subject) + " cannot be varied: it is solved in an algebraic loop")
          .help("choose a variable with an explicit equation, or a parameter");
      return std::nullopt;
    case runtime::Steady::NotComputed: {
      runtime::Outcome outcome;
      outcome.failure = found.failure;
      if (found.failure)
        explain::report_failure({model.system, model.dae, model.plan, "", ""}, outcome, diagnostics_);
      else
        diagnostics_
            .report(Code::SteadyNotFound,
                    "the model has no tangent at its start: a derivative is no finite number")
            .help("choose another start, with `initially`, `guess` or `--set`");
      return std::nullopt;
    }
    case runtime::Steady::NotDetermined: {
      const std::size_t conditions = problem.at_rest.size() + problem.given.size();
      Diagnostic& d = diagnostics_.report(
          Code::SteadyNotDetermined,
          problem.free.size() > conditions
              ? fmt::format("{} free, and there {}",
                            problem.free.size() == 1 ? "1 value is"
                                                     : fmt::format("{} values are", problem.free.size()),
                            conditions == 1 ? "is 1 condition" : fmt::format("are {} conditions", conditions))
              : fmt::format("the steady state is not determined: {} can have any value near {:.6g}",
                            free_name(found.subject), found.values[problem.free[found.subject].index]));
      std::string names;
      for (std::uint32_t k = 0; k < problem.free.size() && k < 8; ++k)
        names += (k ? ", " : "") + free_name(k);
      d.note("free are " + names +
             (problem.free.size() > 8 ? fmt::format(" and {} more", problem.free.size() - 8) : "") +
             fmt::format("; the derivatives of {} state{} are to be zero{}", problem.at_rest.size(),
                         problem.at_rest.size() == 1 ? "" : "s",
                         problem.given.empty() ? ""
                                               : fmt::format(", and {} value{} given", problem.given.size(),
                                                             problem.given.size() == 1 ? " is" : "s are")));
      d.help(fmt::format("give {} more with `--fix NAME=VALUE`, or a goal with `--minimise NAME`",
                         found.freedom == 1 ? "one value" : fmt::format("{} values", found.freedom)));
      if (problem.free.size() <= conditions && is_named_state(found.subject))
        d.help("`--exclude " + request.free_names[found.subject] + "` keeps it where it starts");
      return std::nullopt;
    }
    case runtime::Steady::NotFound: {
      Diagnostic& d = diagnostics_.report(
          Code::SteadyNotFound,
          found.endless ? "the objective is unbounded within the given bounds"
          : problem.free.empty()
              ? "no value is free, and the model contradicts a given one"
              : fmt::format("no steady state was found in {} iterations", found.iterations));
      for (auto [number, residual] : found.conditions) {
        if (number < problem.at_rest.size()) {
          const std::uint32_t rate = problem.at_rest[number];
          d.note(fmt::format("the derivative of `{}` is {:.6g}",
                             request.name_of(model.dae.variables[rate].integral), residual));
        } else {
          const auto& [name, value] = options.fix[number - problem.at_rest.size()];
          d.note(fmt::format("`{}` is {:.6g} instead of {:.6g}", name, value + residual, value));
        }
      }
      if (found.far != runtime::kNone && !found.endless) {
        const bool parameter = problem.free[found.far].kind == FreeValue::Parameter;
        d.note(fmt::format("the search ended where {} became more than 10^9 times its {}value at the start",
                           free_name(found.far), parameter ? "" : "nominal value and its "));
        if (!parameter)
          d.help(fmt::format("if it is that large, declare {} with a `nominal` value of its size",
                             free_name(found.far)));
      }
      std::string bounds;
      for (std::uint32_t k = 0; k < problem.free.size(); ++k) {
        if (!found.at_bound[k]) continue;
        const runtime::FreeValue& f = problem.free[k];
        bounds += bounds.empty() ? "" : ", ";
        bounds += found.at_bound[k] == 1 ? fmt::format("{} at least {:.6g}", free_name(k), f.lower)
                                         : fmt::format("{} at most {:.6g}", free_name(k), f.upper);
      }
      if (!bounds.empty()) {
        d.note("bounds are in the way: " + bounds);
        d.help("widen them, where `--vary`, or `min` and `max` of a declaration, set them");
      }
      if (found.subject != runtime::kNone && problem.free[found.subject].kind == FreeValue::State &&
          !is_named_state(found.subject))
        d.help(fmt::format(
            "no derivative depends on {} at these values: other values of the start, by `initially` or "
            "`guess`, begin the search elsewhere",
            free_name(found.subject)));
      else if (found.subject != runtime::kNone && problem.free[found.subject].kind == FreeValue::State)
        d.help(
            fmt::format("no derivative depends on {0} at these values: `initially {1} = …` starts the search "
                        "elsewhere, and `--exclude {1}` keeps its initial value",
                        free_name(found.subject), request.free_names[found.subject]));
      else if (found.subject != runtime::kNone)
        d.help(
            fmt::format("no condition depends on {} at these values, where a limit may be reached: {}",
                        free_name(found.subject),
                        problem.free[found.subject].kind == FreeValue::Parameter
                            ? "`--set " + request.free_names[found.subject] + "=…` starts from another value"
                            : "start from another value of it"));
      // Few derivatives that are not zero: what moves steadily, rather than a search that is far away.
      if (found.conditions.size() == 1 && found.conditions[0].first < problem.at_rest.size())
        if (const std::uint32_t rate = problem.at_rest[found.conditions[0].first];
            model.dae.variables[rate].set == dae::kNone)
          d.help(
              fmt::format("if it moves steadily, as the angle of a shaft does, `--exclude {}` leaves it out",
                          request.name_of(model.dae.variables[rate].integral)));
      d.help(found.endless ? "bound the free values with `--vary NAME=LOW..HIGH`"
             : problem.free.empty()
                 ? "the model has no state here: free a parameter or an input with `--vary NAME`"
                 : "start nearer to it with `initially`, `guess` or `--set`, or free more values "
                   "with `--vary`");
      return std::nullopt;
    }
  }

  if (const auto due = due_transition(model, run.outcome.reached, found)) {
    const system::Transition& left = model.system.transitions[*due];
    diagnostics_
        .report(Code::SteadyNotFound,
                model.system.sources[model.system.events.triggers[left.trigger].origin.source].span,
                fmt::format("the steady state of these modes leaves them: it enters the mode `{}`",
                            text(left.target)))
        .label("this condition holds there")
        .note("the search keeps the modes of the start: " + modes_text(model))
        .help("begin nearer to it, or in the mode in which the model rests, and search again");
    return std::nullopt;
  }

  if (found.left_branch)
    diagnostics_
        .report(Code::BranchJump,
                "the search has left the solution of an algebraic loop that the start is on")
        .note(
            "the loop may have several solutions, and the steady state that was found may be on another "
            "branch: a run "
            "from this start need not come to it")
        .help("start nearer to the steady state that is meant, with `initially` or `guess`");

  SteadyPoint result;
  result.time = run.outcome.reached;
  auto value_of = [&](const runtime::Column& c) {
    return c.variable == runtime::kNone ? 0.0
           : c.negated                  ? 0.0 - found.values[c.variable]
                                        : found.values[c.variable];
  };
  const pipeline::Results names(model.system, model.dae);
  for (std::size_t k = 0; k < problem.free.size(); ++k) {
    const FreeValue& f = problem.free[k];
    SteadyRow row{request.roles[k], request.free_names[k], 0, found.at_bound[k] != 0};
    if (f.kind == FreeValue::State)
      if (const std::uint32_t v = request.selected_variable(f.index, found.parameters); v != f.index)
        row.name = request.name_of(v);
    if (f.kind == FreeValue::Parameter)
      row.value = found.parameters[f.index];
    else if (auto column = names.find(row.name))
      row.value = value_of(*column);
    else
      row.value = found.values[f.index];
    result.rows.push_back(std::move(row));
  }
  for (std::size_t k = 0; k < problem.given.size(); ++k)
    result.rows.push_back({SteadyRow::Given, options.fix[k].first, value_of(problem.given[k].first), false});
  if (problem.objective)
    result.rows.push_back({SteadyRow::Goal, options.minimise.empty() ? options.maximise : options.minimise,
                           value_of(*problem.objective), false});
  const pipeline::Columns held = names.named(held_variables(m));
  for (std::size_t k = 0; k < held.size(); ++k)
    result.rows.push_back({SteadyRow::Held, held.names[k], value_of(held.columns[k]), false});
  result.iterations = found.iterations;
  result.all = options.run.outputs.empty()
                   ? names.by_default()
                   : names.select(options.run.outputs, "--output",
                                  std::vector<std::optional<Span>>(options.run.outputs.size()), diagnostics_);
  for (const runtime::Column& c : result.all.columns) result.values.push_back(value_of(c));
  result.descriptions = names.descriptions(result.all);
  pipeline::Columns shown;
  for (const SteadyRow& row : result.rows)
    shown.add(row.name, names.find(row.name).value_or(runtime::Column{}));
  std::vector<std::string> descriptions = names.descriptions(shown);
  for (std::size_t k = 0; k < descriptions.size(); ++k)
    result.rows[k].description = std::move(descriptions[k]);

  // The search holds the bounds of free states; those of other variables are compared afterwards.
  pipeline::Columns bounded;
  session::Bounds bounds(model, found.parameters, bounded);
  std::vector<double> compared;
  for (const runtime::Column& c : bounded.columns) compared.push_back(value_of(c));
  const bool asserted = options.run.assert_bounds.value_or(model.experiment.assert_bounds);
  if (asserted) bounds.assert_all();
  bounds.step(result.time, compared);
  bounds.report_steady(model, diagnostics_);
  if (asserted && bounds.violated()) return std::nullopt;
  return result;
}

}  // namespace sigrel
