#include "runtime/analysis/steady_functions.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "runtime/analysis/linearize.h"
#include "runtime/solve/algebraic_loop.h"
#include "runtime/solve/parameters.h"

namespace runtime {

SteadyFunctions::SteadyFunctions(const Model& model, double time, std::vector<double> values,
                                 std::vector<double> parameters, const Overrides& overrides,
                                 const SteadyProblem& problem)
    : model_(model),
      problem_(problem),
      time_(time),
      values_(std::move(values)),
      parameters_(std::move(parameters)),
      overrides_(overrides),
      nominal_(nominal_values(model, parameters_)),
      evaluator_(model, nominal_),
      zero_crossings_(model, nominal_) {
  for (const FreeValue& f : problem.free) {
    const double now = f.kind == FreeValue::Parameter ? parameters_[f.index] : values_[f.index];
    const double usual = f.kind == FreeValue::Parameter ? 0.0 : nominal_[f.index];
    unit_.push_back(usual > 0 && usual != 1 ? usual
                                            : std::max(std::abs(now), usual > 0  ? usual
                                                                      : now == 0 ? 1.0
                                                                                 : 0.0));
  }
  conditions_ = problem.at_rest.size() + problem.given.size();
  for (std::span<const Step> steps :
       {std::span(model.invariant), std::span(model.dynamic), std::span(model.observed)})
    for (const Step& step : steps)
      if (step.kind == Step::Solve && model.loops[step.index].kind == AlgebraicLoop::Nonlinear)
        nonlinear_loops_.push_back(step.index);
}

bool SteadyFunctions::branch_uncertain() {
  return std::ranges::any_of(nonlinear_loops_,
                             [&](std::uint32_t loop) { return evaluator_.loop(loop).branch_uncertain(); });
}

std::uint32_t SteadyFunctions::find_inputs() {
  std::vector<std::uint32_t> wanted(model_.variables, kNone);
  for (std::uint32_t k = 0; k < size(); ++k)
    if (problem_.free[k].kind == FreeValue::Input) wanted[problem_.free[k].index] = k;
  std::vector<std::uint8_t> found(size(), 0);
  for (auto [steps, cuts] :
       {std::pair{&model_.invariant, &invariant_cuts_}, std::pair{&model_.dynamic, &dynamic_cuts_},
        std::pair{&model_.observed, &observed_cuts_}})
    for (std::uint32_t s = 0; s < steps->size(); ++s) {
      if ((*steps)[s].kind != Step::Assign) continue;
      const KernelBatch& batch = model_.batches[(*steps)[s].index];
      for (std::uint32_t row = 0; row < batch.count; ++row)
        if (const std::uint32_t k = wanted[solved_variable(model_, batch, row)]; k != kNone) {
          cuts->push_back({s, problem_.free[k].index});
          found[k] = 1;
        }
    }
  for (std::uint32_t v : model_.constants)
    if (wanted[v] != kNone) found[wanted[v]] = 1;
  for (std::uint32_t k = 0; k < size(); ++k)
    if (problem_.free[k].kind == FreeValue::Input && !found[k]) return k;
  return kNone;
}

SteadyFunctions::Vector SteadyFunctions::start() const {
  Vector y(static_cast<Eigen::Index>(size()));
  for (std::size_t k = 0; k < size(); ++k) y[k] = now(k) / unit_[k];
  return y;
}

bool SteadyFunctions::evaluate(const Vector& y, Vector& c, double& f) {
  std::vector<double> values = values_, parameters = parameters_;
  for (const std::uint32_t loop : nonlinear_loops_) evaluator_.loop(loop).begin_branch();
  if (set(y) && run()) {
    read(c, f);
    if (c.allFinite() && std::isfinite(f)) return true;
  }
  values_ = std::move(values);
  parameters_ = std::move(parameters);
  return false;
}

/// Derivatives by states and inputs are those of the linear model; by parameters, central differences.
bool SteadyFunctions::derivatives(const Vector& y, Matrix& jacobian, Vector& gradient) {
  std::vector<Column> inputs, outputs;
  std::vector<std::size_t> input_of;
  for (std::size_t k = 0; k < size(); ++k)
    if (problem_.free[k].kind == FreeValue::Input) {
      inputs.push_back({problem_.free[k].index, false});
      input_of.push_back(k);
    }
  for (const auto& [column, value] : problem_.given) outputs.push_back(column);
  for (std::uint32_t v : problem_.at_rest) outputs.push_back({v, false});
  if (problem_.objective) outputs.push_back(*problem_.objective);
  auto result = linearize(model_, point(), inputs, outputs);
  const auto* linear = std::get_if<LinearModel>(&result);
  if (!linear) return false;

  const std::size_t states = model_.states.size(), n = size(), given = problem_.given.size();
  std::vector<std::uint32_t> number(model_.variables, kNone);
  for (std::uint32_t s = 0; s < states; ++s) number[model_.states[s].variable] = s;
  auto derivative = [&](std::size_t output, std::size_t k) -> double {
    const FreeValue& free = problem_.free[k];
    if (free.kind == FreeValue::State) return linear->c[output * states + number[free.index]];
    const auto place = static_cast<std::size_t>(std::ranges::find(input_of, k) - input_of.begin());
    return linear->d[output * inputs.size() + place];
  };
  jacobian.setZero(static_cast<Eigen::Index>(conditions_), static_cast<Eigen::Index>(n));
  gradient.setZero(static_cast<Eigen::Index>(n));
  for (std::size_t k = 0; k < n; ++k) {
    if (problem_.free[k].kind == FreeValue::Parameter) {
      if (!differences(y, k, jacobian, gradient)) return false;
      continue;
    }
    for (std::size_t i = 0; i < problem_.at_rest.size(); ++i)
      jacobian(i, k) = derivative(given + i, k) * unit_[k];
    for (std::size_t i = 0; i < given; ++i)
      jacobian(problem_.at_rest.size() + i, k) = derivative(i, k) * unit_[k];
    if (problem_.objective) gradient[k] = problem_.sign * derivative(outputs.size() - 1, k) * unit_[k];
  }
  return jacobian.allFinite() && gradient.allFinite();
}

double SteadyFunctions::now(std::size_t k) const {
  const FreeValue& f = problem_.free[k];
  return f.kind == FreeValue::Parameter ? parameters_[f.index] : values_[f.index];
}

SteadyFunctions::Vector SteadyFunctions::bound(double FreeValue::* which) const {
  Vector b(static_cast<Eigen::Index>(size()));
  for (std::size_t k = 0; k < size(); ++k) b[k] = problem_.free[k].*which / unit_[k];
  return b;
}

bool SteadyFunctions::set(const Vector& y) {
  if (!y.allFinite()) return false;
  Overrides overrides = overrides_;
  bool any = false;
  for (std::size_t k = 0; k < size(); ++k) {
    const FreeValue& f = problem_.free[k];
    const double value = y[k] * unit_[k];
    if (f.kind != FreeValue::Parameter)
      values_[f.index] = value;
    else
      overrides.emplace_back(f.index, value), any = true;
  }
  if (!any) return true;
  for (const StateSet& set : model_.sets)  // the selection of states is kept
    for (std::uint32_t k = 0; k < set.states * set.candidates; ++k)
      overrides.emplace_back(set.first_selector + k, parameters_[set.first_selector + k]);
  for (const ZeroCrossing& crossing : model_.zero_crossings)  // and so are the sides of comparisons
    for (std::uint32_t k = 0; k < held_width(crossing.kind) * model_.batches[crossing.batch].count; ++k)
      overrides.emplace_back(crossing.first + k, parameters_[crossing.first + k]);
  parameters_ = evaluate_parameters(model_, overrides);
  return true;
}

/// Evaluates all schedules, with the zero crossings as they are at the point.
bool SteadyFunctions::run() {
  for (int iteration = 0; iteration < ZeroCrossings::kIterations; ++iteration) {
    evaluator_.parameters_changed();
    if (!run(model_.invariant, invariant_cuts_) || !run(model_.dynamic, dynamic_cuts_) ||
        !run(model_.observed, observed_cuts_))
      return false;
    if (!zero_crossings_.update(point(), parameters_, iteration >= ZeroCrossings::kSimultaneousIterations,
                                true))
      return true;
  }
  evaluator_.failure() = zero_crossings_.endless(point());
  return false;
}

/// Evaluates a schedule; cut variables keep their values.
bool SteadyFunctions::run(const std::vector<Step>& steps, const std::vector<Cut>& cuts) {
  std::size_t begin = 0;
  auto part = [&](std::size_t end) {
    const bool fine = evaluator_.run_checked(std::span(steps).subspan(begin, end - begin), point());
    begin = end;
    return fine;
  };
  for (std::size_t c = 0; c < cuts.size();) {
    std::vector<std::pair<std::uint32_t, double>> values;
    const std::uint32_t step = cuts[c].step;
    for (; c < cuts.size() && cuts[c].step == step; ++c)
      values.emplace_back(cuts[c].variable, values_[cuts[c].variable]);
    const bool fine = part(step + 1);
    for (auto [variable, value] : values) values_[variable] = value;
    if (!fine) return false;
  }
  return part(steps.size());
}

double SteadyFunctions::value(const Column& column) const {
  if (column.variable == kNone) return 0;
  return column.negated ? -values_[column.variable] : values_[column.variable];
}

void SteadyFunctions::read(Vector& c, double& f) const {
  c.resize(static_cast<Eigen::Index>(conditions_));
  std::size_t i = 0;
  for (std::uint32_t v : problem_.at_rest) c[i++] = values_[v];
  for (const auto& [column, wanted] : problem_.given) c[i++] = value(column) - wanted;
  f = problem_.objective ? problem_.sign * value(*problem_.objective) : 0.0;
}

/// The column of a parameter, by central differences.
bool SteadyFunctions::differences(const Vector& y, std::size_t k, Matrix& jacobian, Vector& gradient) {
  const std::vector<double> values = values_, parameters = parameters_;
  const double h = 6e-6 * std::max(1.0, std::abs(y[k]));
  Vector ends[2];
  double f[2] = {0, 0};
  bool fine = true;
  for (int side = 0; side < 2 && fine; ++side) {
    Vector moved = y;
    moved[k] += side == 0 ? -h : h;
    fine = evaluate(moved, ends[side], f[side]);
    values_ = values;
    parameters_ = parameters;
  }
  if (!fine) return false;
  jacobian.col(k) = (ends[1] - ends[0]) / (2 * h);
  gradient[k] = (f[1] - f[0]) / (2 * h);
  return true;
}

}  // namespace runtime
