#include "runtime/solve/other_solution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/solve/algebraic_loop.h"
#include "runtime/solve/gradients.h"

namespace runtime {
namespace {

constexpr std::size_t kLoops = 100;   // of a start
constexpr std::size_t kLargest = 50;  // tearing variables
constexpr int kStarts = 10;  // of Newton's method: the guesses, the mirrored solution, and scattered ones
constexpr int kIterations = 30, kHalvings = 10;
constexpr double kConverged = 1e-8;  // length of a step
constexpr double kDistinct = 1e-3;   // distance, relative to value plus nominal value

/// A number between -2 and 2, the same ones in every run.
double scattered(int start, std::size_t unknown) {
  std::uint64_t x = (static_cast<std::uint64_t>(start) << 32) + unknown + 1;
  for (int k = 0; k < 2; ++k) x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u, x ^= x >> 27;
  return static_cast<double>(x >> 11) * 0x1p-51 - 2;
}

std::vector<std::uint32_t> variables_of(const Model& model, const AlgebraicLoop& loop) {
  const auto unknowns = model.tearing_variables.begin() + loop.first_unknown;
  std::vector<std::uint32_t> variables(unknowns, unknowns + loop.unknowns);
  for (const KernelBatch& batch : loop_batches(model, loop))
    for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
      variables.push_back(solved_variable(model, batch, row));
  return variables;
}

/// Whether all that differs are angles, by whole turns: the same positions of the same bodies.
bool differs_by_turns(const std::vector<std::uint32_t>& variables, const std::vector<double>& before,
                      const ModelInstance& instance) {
  constexpr double kTurn = 2 * 3.14159265358979323846, kRounding = 1e-6;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const double difference = instance.values[variables[k]] - before[k];
    const double turns = std::round(difference / kTurn);
    if (std::abs(difference - turns * kTurn) > kRounding * (1 + std::abs(before[k]))) return false;
  }
  return true;
}

/// For each assertion whether it holds at the current values.
std::vector<bool> assertions_that_hold(ModelInstance& instance, double time) {
  std::vector<bool> result;
  std::vector<double> conditions;
  for (const std::uint32_t b : instance.model.assertions) {
    const KernelBatch& batch = instance.model.batches[b];
    conditions.resize(batch.count);
    evaluate(instance.model, batch, instance.point(time), conditions.data());
    for (const double condition : conditions) result.push_back(std::isfinite(condition) && condition != 0);
  }
  return result;
}

/// Whether an assertion excludes the current values, and not those before.
bool is_excluded(const std::vector<bool>& before, const std::vector<bool>& now) {
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k] && !now[k]) return true;
  return false;
}

}  // namespace

double AlgebraicLoopSolver::distance(const Point& point, const std::vector<double>& from) const {
  double largest = 0;
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    largest =
        std::max(largest, std::abs(point.values[unknowns_[k]] - from[k]) / (std::abs(from[k]) + nominal_[k]));
  return largest;
}

bool AlgebraicLoopSolver::solve_deflated(const Point& point, const std::vector<double>& known) {
  const std::size_t n = unknowns_.size();
  for (std::size_t k = 0; k < n; ++k) start_[k] = x_[k] = point.values[unknowns_[k]];
  residuals(point, residual_.data());
  int perturbations = 0;
  while (!all_finite(residual_) || distance(point, known) == 0)
    if (perturbations == 2)
      return false;
    else
      perturb(point, ++perturbations);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    if (newton_step(point, iteration == 0, perturbations)) return false;
    double square = 0, slope = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double scale = std::abs(known[k]) + nominal_[k];
      const double difference = (x_[k] - known[k]) / scale;
      square += difference * difference;
      slope += difference * step_[k] / scale;
    }
    // m = 1 + 1/square, grad m . s = -2 slope / square^2
    const double factor = 1 / (1 + 2 * slope / (square * (square + 1)));
    if (!std::isfinite(factor)) return false;
    const bool converged = length(step_) <= kConverged;
    double damping = factor;
    for (int halving = 0;; ++halving, damping /= 2) {
      if (halving > kHalvings) return false;
      for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] = x_[k] + damping * step_[k];
      residuals(point, residual_.data());
      if (all_finite(residual_)) break;
    }
    for (std::size_t k = 0; k < n; ++k) x_[k] = point.values[unknowns_[k]];
    if (!converged) continue;
    // To be sure: the ordinary method stays there.
    Failure failure;
    return distance(point, known) > kDistinct && solve(point, failure) && distance(point, known) > kDistinct;
  }
  return false;
}

std::vector<OtherSolution> other_solutions(ModelInstance& instance, double time,
                                           std::span<const Step> schedule) {
  const Model& model = instance.model;
  const Point point = instance.point(time);
  const std::vector<double> guesses = start_values(model, instance.parameters);
  std::vector<std::uint8_t> chosen;  // by variable: it has a guess, or one follows from that of another
  std::vector<bool> is_state(model.variables, false);
  for (const State& state : model.states) is_state[state.variable] = true;
  std::vector<OtherSolution> found;
  std::size_t examined = 0;
  for (const Step& step : schedule) {
    if (step.kind == Step::Guess) {
      if (chosen.empty()) chosen.assign(model.variables, 0);
      for (std::uint32_t row = 0; row < model.batches[step.index].count; ++row)
        chosen[solved_variable(model, model.batches[step.index], row)] = 1;
    }
    if (step.kind != Step::Solve || model.loops[step.index].kind != AlgebraicLoop::Nonlinear) continue;
    const AlgebraicLoop& loop = model.loops[step.index];
    if (loop.unknowns > kLargest) continue;
    const std::vector<std::uint32_t> variables = variables_of(model, loop);
    // A first iterate is that of a mechanism, whose configurations were compared when it was assembled.
    const bool is_chosen = std::ranges::any_of(variables, [&](std::uint32_t v) {
      return model.start_of(v) != kNone || (!chosen.empty() && chosen[v]) ||
             (!model.first_iterate.empty() && model.first_iterate[v] != kNone);
    });
    if (is_chosen) continue;
    if (++examined > kLoops) break;
    std::vector<double> before;
    for (const std::uint32_t v : variables) before.push_back(instance.values[v]);
    const std::vector<double> known(before.begin(), before.begin() + loop.unknowns);
    // A solver of its own: what that of the run keeps stays as it is.
    const std::vector<bool> asserted = assertions_that_hold(instance, time);
    GradientIndex index;
    AlgebraicLoopSolver solver(model, loop, instance.nominal, index);
    for (int start = 0; start < kStarts; ++start) {
      for (std::size_t k = 0; k < loop.unknowns; ++k) {
        const double range = std::abs(known[k]) + instance.nominal[variables[k]];
        instance.values[variables[k]] = start == 0   ? guesses[variables[k]]
                                        : start == 1 ? -known[k]
                                                     : known[k] + range * scattered(start, k);
      }
      if (!solver.solve_deflated(point, known) || differs_by_turns(variables, before, instance) ||
          is_excluded(asserted, assertions_that_hold(instance, time)))
        continue;
      // What differs most; of states a guess says more than of others.
      std::size_t most = 0;
      std::pair largest(false, 0.0);  // whether it is a state, and by how much it differs
      for (std::size_t k = 0; k < variables.size(); ++k) {
        const double scale = std::abs(before[k]) + instance.nominal[variables[k]];
        const double difference = std::abs(instance.values[variables[k]] - before[k]) / scale;
        const std::pair candidate(is_state[variables[k]] && difference > kDistinct, difference);
        if (candidate > largest) largest = candidate, most = k;
      }
      const KernelBatch& batch = model.batches[loop.first_batch];
      found.push_back({.unknowns = static_cast<std::uint32_t>(variables.size()),
                       .variable = variables[most],
                       .equation = model.equations[batch.equations],
                       .value = before[most],
                       .other = instance.values[variables[most]]});
      break;
    }
    for (std::size_t k = 0; k < variables.size(); ++k) instance.values[variables[k]] = before[k];
  }
  return found;
}

}  // namespace runtime
