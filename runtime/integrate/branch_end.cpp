#include "runtime/integrate/branch_end.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/rounding.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {

namespace {

// The times of extrapolation: the first and the last, as parts of the time range, and the quotient of two.
constexpr double kFirstTime = 1e-12, kLastTime = 1e-3, kNextTime = 8;
// States that change by more than this part of themselves, or of their nominal values, are not smooth.
constexpr double kSmooth = 1e-3;
// A solution has left the branch if it changes by this multiple of the change in the opposite direction.
constexpr double kLeft = 30;

class Extrapolation {
 public:
  Extrapolation(ModelInstance& instance, double time)
      : instance_(instance), time_(time), begin_(instance.values) {
    for (const Step& step : instance.model.dynamic)
      if (step.kind == Step::Solve && instance.model.loops[step.index].kind == AlgebraicLoop::Nonlinear)
        loops_.push_back(step.index);
  }
  ~Extrapolation() {
    for (const std::uint32_t loop : loops_) instance_.evaluator.loop(loop).begin_branch();
    std::ranges::copy(begin_, instance_.values.begin());
    instance_.failure() = {};
  }
  bool empty() const { return loops_.empty(); }
  const std::vector<std::uint32_t>& loops() const { return loops_; }

  /// The largest change of a state in this time, as a part of its magnitude.
  double change_of_states(double duration) const {
    double largest = 0;
    for (const State& s : instance_.model.states) {
      const double scale = std::abs(begin_[s.variable]) + instance_.nominal[s.variable];
      largest = std::max(largest, std::abs(duration * begin_[s.derivative]) / scale);
    }
    return std::isfinite(largest) ? largest : HUGE_VAL;
  }
  /// Solves the equations there, from the present solution. Whether there is a solution that Newton's method
  /// contracts to.
  bool solve(double duration) {
    std::ranges::copy(begin_, instance_.values.begin());
    for (const State& s : instance_.model.states)
      instance_.values[s.variable] += duration * begin_[s.derivative];
    for (const std::uint32_t loop : loops_) instance_.evaluator.loop(loop).begin_branch();
    instance_.failure() = {};
    return instance_.evaluator.run(instance_.model.dynamic, instance_.point(time_ + duration));
  }
  /// The largest change of an unknown of the loop in the last solution, as a part of its magnitude.
  double change_of_loop(std::uint32_t loop) const {
    const AlgebraicLoop& l = instance_.model.loops[loop];
    double largest = 0;
    for (std::uint32_t u = 0; u < l.unknowns; ++u) {
      const std::uint32_t v = instance_.model.tearing_variables[l.first_unknown + u];
      const double scale = std::abs(begin_[v]) + instance_.nominal[v];
      largest = std::max(largest, std::abs(instance_.values[v] - begin_[v]) / scale);
    }
    return largest;
  }
  /// The loop whose failure the last `solve` has ended with; kNone: none of these.
  std::uint32_t failed() const {
    const Failure& failure = instance_.failure();
    const bool loop =
        failure.kind == FailureKind::LoopNotConverged || failure.kind == FailureKind::LoopSingular;
    if (!loop || failure.linear || failure.variables.empty()) return kNone;
    for (const std::uint32_t l : loops_)
      if (std::ranges::find(instance_.evaluator.loop(l).unknowns(), failure.variables.front().variable) !=
          instance_.evaluator.loop(l).unknowns().end())
        return l;
    return kNone;
  }

 private:
  ModelInstance& instance_;
  double time_;
  std::vector<double> begin_;
  std::vector<std::uint32_t> loops_;
};

}  // namespace

Failure branch_end(const Model& model, std::uint32_t number, double time,
                   const std::function<double(std::uint32_t)>& value) {
  const AlgebraicLoop& loop = model.loops[number];
  Failure failure{.kind = FailureKind::BranchEnds, .time = time, .unknowns = loop.unknowns};
  for (std::uint32_t u = 0; u < std::min<std::size_t>(loop.unknowns, kFailureDetails); ++u) {
    const std::uint32_t v = model.tearing_variables[loop.first_unknown + u];
    failure.variables.push_back({v, value(v), 0});
  }
  for (const KernelBatch& batch : loop_batches(model, loop)) {
    const bool inner = batch.role == Role::Solve;
    if (inner) failure.inner += batch.count;
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const std::uint32_t equation = model.equations[batch.equations + row];
      if ((inner ? failure.followers.size() : failure.equations.size()) == kFailureDetails) break;
      if (!inner) {
        failure.equations.push_back({equation, 0});
        continue;
      }
      const std::uint32_t v = solved_variable(model, batch, row);
      failure.followers.push_back({v, equation, value(v)});
    }
  }
  return failure;
}

std::optional<Failure> find_branch_end(ModelInstance& instance, double time, double range) {
  Extrapolation there(instance, time);
  if (there.empty()) return std::nullopt;
  for (double duration = std::max(kFirstTime * range, 8 * time_rounding(time)); duration <= kLastTime * range;
       duration *= kNextTime) {
    if (there.change_of_states(duration) > kSmooth) return std::nullopt;
    if (!there.solve(-duration)) continue;  // right at the end it may not converge
    const std::vector<double> before = instance.values;
    std::vector<double> back;
    for (const std::uint32_t loop : there.loops()) back.push_back(there.change_of_loop(loop));
    std::uint32_t ended = kNone;
    if (!there.solve(duration)) {
      ended = there.failed();
      if (ended == kNone) return std::nullopt;
    }
    for (std::size_t k = 0; k < back.size() && ended == kNone; ++k) {
      const std::uint32_t loop = there.loops()[k];
      const double change = there.change_of_loop(loop);
      if (instance.evaluator.loop(loop).branch_uncertain() && change > kSmooth && change > kLeft * back[k])
        ended = loop;
    }
    if (ended != kNone)
      return branch_end(instance.model, ended, time, [&](std::uint32_t v) { return before[v]; });
  }
  return std::nullopt;
}

}  // namespace runtime
