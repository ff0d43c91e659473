#include "runtime/analysis/steady.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/analysis/linearize.h"
#include "runtime/events/zero_crossings.h"
#include "runtime/solve/schedule.h"

namespace runtime {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr int kMaxIterations = 300;
constexpr double kConditionTolerance =
    1e-10;                               // of a condition, in units of a free value: residual over gradient
constexpr double kStepTolerance = 1e-9;  // of a step, in units of the free values
constexpr double kFar = 1e9;
constexpr double kDependent =
    1e-9;  // a pivot below this part of the largest: conditions depend on each other

/// The conditions and the objective as functions of z, measured in units of each free value.
class Functions {
 public:
  Functions(const Model& model, double time, std::vector<double> values, std::vector<double> parameters,
            const Overrides& overrides, const SteadyProblem& problem)
      : model_(model),
        problem_(problem),
        time_(time),
        values_(std::move(values)),
        parameters_(std::move(parameters)),
        overrides_(overrides),
        nominal_(nominal_values(model, parameters_)),
        evaluator_(model, nominal_),
        zero_crossings_(model) {
    for (const FreeValue& f : problem.free) {
      const double now = f.kind == FreeValue::Parameter ? parameters_[f.index] : values_[f.index];
      const double usual = f.kind == FreeValue::Parameter ? 0.0 : nominal_[f.index];
      unit_.push_back(usual > 0 && usual != 1 ? usual
                                              : std::max(std::abs(now), usual > 0  ? usual
                                                                        : now == 0 ? 1.0
                                                                                   : 0.0));
    }
    conditions_ = problem.at_rest.size() + problem.given.size();
  }

  std::size_t size() const { return problem_.free.size(); }
  std::size_t conditions() const { return conditions_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& parameters() const { return parameters_; }
  const Failure& failure() const { return evaluator_.failure(); }

  /// Free values that are inputs and are not assigned by the schedule; kNone: all are.
  std::uint32_t find_inputs() {
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

  Vector start() const {
    Vector y(static_cast<Eigen::Index>(size()));
    for (std::size_t k = 0; k < size(); ++k) y[k] = now(k) / unit_[k];
    return y;
  }
  Vector lower() const { return bound(&FreeValue::lower); }
  Vector upper() const { return bound(&FreeValue::upper); }

  /// False where something is not computed or no number; then the values are what they were.
  bool evaluate(const Vector& y, Vector& c, double& f) {
    std::vector<double> values = values_, parameters = parameters_;
    if (set(y) && run()) {
      read(c, f);
      if (c.allFinite() && std::isfinite(f)) return true;
    }
    values_ = std::move(values);
    parameters_ = std::move(parameters);
    return false;
  }

  /// At the values of the last evaluation that went well.
  bool derivatives(const Vector& y, Matrix& jacobian, Vector& gradient) {
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
    auto slope = [&](std::size_t output, std::size_t k) -> double {
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
        jacobian(i, k) = slope(given + i, k) * unit_[k];
      for (std::size_t i = 0; i < given; ++i)
        jacobian(problem_.at_rest.size() + i, k) = slope(i, k) * unit_[k];
      if (problem_.objective) gradient[k] = problem_.sign * slope(outputs.size() - 1, k) * unit_[k];
    }
    return jacobian.allFinite() && gradient.allFinite();
  }

 private:
  struct Cut {
    std::uint32_t step, variable;
  };

  double now(std::size_t k) const {
    const FreeValue& f = problem_.free[k];
    return f.kind == FreeValue::Parameter ? parameters_[f.index] : values_[f.index];
  }
  Vector bound(double FreeValue::* which) const {
    Vector b(static_cast<Eigen::Index>(size()));
    for (std::size_t k = 0; k < size(); ++k) b[k] = problem_.free[k].*which / unit_[k];
    return b;
  }
  Point point() { return {time_, values_.data(), parameters_.data()}; }

  bool set(const Vector& y) {
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
    for (const StateSet& set : model_.sets)  // the choice of states stays
      for (std::uint32_t k = 0; k < set.states * set.candidates; ++k)
        overrides.emplace_back(set.first_selector + k, parameters_[set.first_selector + k]);
    parameters_ = evaluate_parameters(model_, overrides);
    return true;
  }

  /// With comparisons as they are at the point.
  bool run() {
    for (int iteration = 0; iteration < ZeroCrossings::kIterations; ++iteration) {
      evaluator_.parameters_changed();
      if (!run(model_.invariant, invariant_cuts_) || !run(model_.dynamic, dynamic_cuts_) ||
          !run(model_.observed, observed_cuts_))
        return false;
      if (!zero_crossings_.update(point(), parameters_, iteration >= ZeroCrossings::kSimultaneousIterations))
        return true;
    }
    evaluator_.failure() = zero_crossings_.endless(point());
    return false;
  }
  bool run(const std::vector<Step>& steps, const std::vector<Cut>& cuts) {
    std::size_t begin = 0;
    auto part = [&](std::size_t end) {
      const bool fine = evaluator_.run_checked(std::span(steps).subspan(begin, end - begin), point());
      begin = end;
      return fine;
    };
    for (std::size_t c = 0; c < cuts.size();) {
      std::vector<std::pair<std::uint32_t, double>> kept;
      const std::uint32_t step = cuts[c].step;
      for (; c < cuts.size() && cuts[c].step == step; ++c)
        kept.emplace_back(cuts[c].variable, values_[cuts[c].variable]);
      const bool fine = part(step + 1);
      for (auto [variable, value] : kept) values_[variable] = value;
      if (!fine) return false;
    }
    return part(steps.size());
  }

  double value(const Column& column) const {
    if (column.variable == kNone) return 0;
    return column.negated ? -values_[column.variable] : values_[column.variable];
  }
  void read(Vector& c, double& f) const {
    c.resize(static_cast<Eigen::Index>(conditions_));
    std::size_t i = 0;
    for (std::uint32_t v : problem_.at_rest) c[i++] = values_[v];
    for (const auto& [column, wanted] : problem_.given) c[i++] = value(column) - wanted;
    f = problem_.objective ? problem_.sign * value(*problem_.objective) : 0.0;
  }

  /// The column of a parameter.
  bool differences(const Vector& y, std::size_t k, Matrix& jacobian, Vector& gradient) {
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

  const Model& model_;
  const SteadyProblem& problem_;
  double time_;
  std::vector<double> values_, parameters_;
  const Overrides& overrides_;
  std::vector<double> nominal_;
  Evaluator evaluator_;
  ZeroCrossings zero_crossings_;
  std::vector<double> unit_;
  std::vector<Cut> invariant_cuts_, dynamic_cuts_, observed_cuts_;
  std::size_t conditions_ = 0;
};

struct QuadraticStep {
  Vector d, multipliers;             // of the conditions
  std::vector<std::uint8_t> active;  // 1: at the lower bound, 2: at the upper one
};

/// min ½ d'Bd + g'd where Jd = -c and low <= d <= high: the bounds that hold as equations are found by turns.
QuadraticStep quadratic_step(const Matrix& b, const Vector& g, const Matrix& j, const Vector& c,
                             const Vector& low, const Vector& high) {
  const Eigen::Index n = g.size(), m = c.size();
  QuadraticStep result;
  result.active.assign(static_cast<std::size_t>(n), 0);
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<Eigen::Index> free;
    Vector d = Vector::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (result.active[k] == 1)
        d[k] = low[k];
      else if (result.active[k] == 2)
        d[k] = high[k];
      else
        free.push_back(k);
    const auto f = static_cast<Eigen::Index>(free.size());
    Matrix kkt = Matrix::Zero(f + m, f + m);
    Vector right(f + m);
    const Vector rest = b * d;
    for (Eigen::Index r = 0; r < f; ++r) {
      for (Eigen::Index s = 0; s < f; ++s) kkt(r, s) = b(free[r], free[s]);
      for (Eigen::Index i = 0; i < m; ++i) kkt(f + i, r) = kkt(r, f + i) = j(i, free[r]);
      right[r] = -g[free[r]] - rest[free[r]];
    }
    right.tail(m) = -c - j * d;
    // Conditions may depend on each other where they agree: the shortest solution.
    const Vector solution = Eigen::CompleteOrthogonalDecomposition<Matrix>(kkt).solve(right);
    for (Eigen::Index r = 0; r < f; ++r) d[free[r]] = solution[r];
    result.multipliers = solution.tail(m);
    const Vector push =
        b * d + g + j.transpose() * result.multipliers;  // at a lower bound it is not negative
    std::vector<std::uint8_t> next(static_cast<std::size_t>(n), 0);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double slack = 1e-12 * (1 + std::abs(d[k]));
      if (result.active[k] == 1 ? push[k] >= 0 : d[k] < low[k] - slack)
        next[k] = 1;
      else if (result.active[k] == 2 ? push[k] <= 0 : d[k] > high[k] + slack)
        next[k] = 2;
    }
    result.d = d.cwiseMax(low).cwiseMin(high);
    if (next == result.active) break;
    result.active = std::move(next);
  }
  return result;
}

class Search {
 public:
  Search(Functions& functions, bool objective) : f_(functions), objective_(objective) {}

  void run(Steady& out) {
    const auto n = static_cast<Eigen::Index>(f_.size()), m = static_cast<Eigen::Index>(f_.conditions());
    const Vector lower = f_.lower(), upper = f_.upper();
    Vector y = f_.start().cwiseMax(lower).cwiseMin(upper), c, g;
    Matrix j, b = Matrix::Identity(n, n);
    double f = 0, penalty = 0;
    out.at_bound.assign(static_cast<std::size_t>(n), 0);
    if (!evaluate(y, c, f) || !derivatives(y, j, g)) {
      out.status = Steady::NotComputed;
      out.failure = f_.failure();
      return;
    }
    Vector scale = Vector::Ones(m);
    auto rescale = [&] {
      for (Eigen::Index i = 0; i < m; ++i) scale[i] = 1 / std::max(j.row(i).norm(), 1e-300);
      scale = scale.cwiseMin(1e12);
    };
    rescale();
    int since = 0;  // iterations without progress
    for (out.iterations = 1; out.iterations <= kMaxIterations; ++out.iterations) {
      const Matrix scaled = scale.asDiagonal() * j;
      const Vector violation = scale.cwiseProduct(c);
      const QuadraticStep step = quadratic_step(b, g, scaled, violation, lower - y, upper - y);
      const double length = step.d.cwiseQuotient((Vector::Ones(n) + y.cwiseAbs())).lpNorm<Eigen::Infinity>();
      const double worst = m > 0 ? violation.lpNorm<Eigen::Infinity>() : 0;
      for (Eigen::Index k = 0; k < n; ++k) out.at_bound[k] = step.active[k];
      if (worst <= kConditionTolerance * (1 + y.lpNorm<Eigen::Infinity>()) && length <= kStepTolerance)
        return finish(y, step, scaled, out);
      if (y.lpNorm<Eigen::Infinity>() > kFar) {
        out.endless = objective_;
        break;
      }
      // Large enough that the step leads down, and not larger than it was needed long ago (Powell 1978).
      const double needed = 1.5 * (m > 0 ? step.multipliers.lpNorm<Eigen::Infinity>() : 0) + 1e-3;
      penalty = objective_ ? std::max(needed, (penalty + needed) / 2) : 1;
      const double merit = f + penalty * violation.lpNorm<1>();
      // What the merit falls by to first order.
      const double fall =
          g.dot(step.d) - penalty * (violation.lpNorm<1>() - (violation + scaled * step.d).lpNorm<1>());
      double part = 1;
      bool taken = false;
      Vector next, next_c;
      double next_f = 0;
      for (; part > 1e-10; part /= 2) {
        next = (y + part * step.d).cwiseMax(lower).cwiseMin(upper);
        if (evaluate(next, next_c, next_f)) {
          if (next_f + penalty * scale.cwiseProduct(next_c).lpNorm<1>() <=
              merit + 1e-4 * part * fall + 1e-14 * (1 + std::abs(merit))) {
            taken = true;
            break;
          }
          if (part == 1 && m > 0 &&
              objective_) {  // the curvature of the conditions: once more, with the same slopes
            const QuadraticStep back = quadratic_step(Matrix::Identity(n, n), Vector::Zero(n), scaled,
                                                      scale.cwiseProduct(next_c), lower - next, upper - next);
            Vector corrected = (next + back.d).cwiseMax(lower).cwiseMin(upper), corrected_c;
            double corrected_f = 0;
            if (evaluate(corrected, corrected_c, corrected_f) &&
                corrected_f + penalty * scale.cwiseProduct(corrected_c).lpNorm<1>() <=
                    merit + 1e-4 * fall + 1e-14 * (1 + std::abs(merit))) {
              next = corrected, next_c = corrected_c, next_f = corrected_f;
              taken = true;
              break;
            }
          }
        }
      }
      if (!taken) {
        double again = 0;
        Vector same;
        evaluate(y, same, again);
        // Nothing better near: as good as rounding allows, or lost.
        if (worst <= 1e-8 * (1 + y.lpNorm<Eigen::Infinity>()) && length <= 1e-5)
          return finish(y, step, scaled, out);
        if (b.isIdentity(0) || ++since > 1) break;
        b.setIdentity();
        continue;
      }
      since = 0;
      Matrix next_j;
      Vector next_g;
      if (!derivatives(next, next_j, next_g)) break;
      if (objective_) {
        const Vector s = next - y,
                     raw = (next_g + next_j.transpose() * scale.cwiseProduct(step.multipliers)) -
                           (g + j.transpose() * scale.cwiseProduct(step.multipliers));
        update(b, s, raw, out.iterations == 1);
      }
      y = next, c = next_c, f = next_f, j = next_j, g = next_g;
      if (!objective_) rescale();
    }
    out.status = Steady::NotFound;
    if (out.endless) return;
    for (Eigen::Index k = 0; k < n && out.subject == kNone; ++k)
      if (j.col(k).isZero(0)) out.subject = static_cast<std::uint32_t>(k);
    out.iterations = std::min<std::uint32_t>(out.iterations, kMaxIterations);
    const Vector violation = scale.cwiseProduct(c);
    std::vector<std::uint32_t> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t p, std::uint32_t q) {
      return std::abs(violation[p]) > std::abs(violation[q]);
    });
    for (std::uint32_t i : order)
      if (std::abs(violation[i]) > 1e-8 && out.conditions.size() < kFailureDetails)
        out.conditions.emplace_back(i, c[i]);
  }

 private:
  // Without a goal there is none to be seen.
  bool evaluate(const Vector& y, Vector& c, double& f) {
    const bool fine = f_.evaluate(y, c, f);
    if (!objective_) f = 0;
    return fine;
  }
  bool derivatives(const Vector& y, Matrix& jacobian, Vector& gradient) {
    const bool fine = f_.derivatives(y, jacobian, gradient);
    if (!objective_) gradient.setZero();
    return fine;
  }

  /// Damped BFGS (Powell 1978): the matrix stays positive definite.
  static void update(Matrix& b, const Vector& s, Vector raw, bool first) {
    if (s.squaredNorm() == 0) return;
    if (first && s.dot(raw) > 0) b *= raw.squaredNorm() / s.dot(raw);
    const Vector bs = b * s;
    const double sbs = s.dot(bs), sr = s.dot(raw);
    if (!(sbs > 0)) return b.setIdentity(), void();
    if (sr < 0.2 * sbs) {
      const double theta = 0.8 * sbs / (sbs - sr);
      raw = theta * raw + (1 - theta) * bs;
    }
    b += raw * raw.transpose() / s.dot(raw) - bs * bs.transpose() / sbs;
  }

  /// The point is one; without an objective it must be the only one near.
  void finish(const Vector& y, const QuadraticStep& step, const Matrix& scaled, Steady& out) {
    out.status = Steady::Found;
    Vector c, next;
    double f = 0;
    evaluate(y, c, f);
    if (const double before = c.norm(); !evaluate(y + step.d, next, f) || next.norm() > before)
      evaluate(y, c, f);
    if (objective_) return;
    std::vector<Eigen::Index> free;
    for (Eigen::Index k = 0; k < y.size(); ++k)
      if (step.active[k] == 0) free.push_back(k);
    Matrix slopes(scaled.rows(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) slopes.col(k) = scaled.col(free[k]);
    Eigen::FullPivLU<Matrix> lu(slopes);
    lu.setThreshold(kDependent);
    const Eigen::Index rank = slopes.size() == 0 ? 0 : lu.rank();
    if (rank == slopes.cols()) return;
    out.status = Steady::NotDetermined;
    out.freedom = static_cast<std::uint32_t>(slopes.cols() - rank);
    Eigen::Index most = 0;
    if (slopes.size() > 0) lu.kernel().col(0).cwiseAbs().maxCoeff(&most);
    out.subject = static_cast<std::uint32_t>(free[most]);
  }

  Functions& f_;
  bool objective_;
};

}  // namespace

Steady find_steady(const Model& model, double time, std::vector<double> values,
                   std::vector<double> parameters, const Overrides& overrides, const SteadyProblem& problem) {
  Steady out;
  Functions functions(model, time, std::move(values), std::move(parameters), overrides, problem);
  if (const std::uint32_t loop = functions.find_inputs(); loop != kNone) {
    out.status = Steady::InputInLoop;
    out.subject = loop;
    return out;
  }
  const std::size_t n = problem.free.size(), m = functions.conditions();
  if (!problem.objective && n > m) {
    out.status = Steady::NotDetermined;
    out.freedom = static_cast<std::uint32_t>(n - m);
    out.subject = static_cast<std::uint32_t>(n - 1);
  } else {
    if (problem.objective) Search(functions, false).run(out);  // first any steady state
    if (!problem.objective || out.status != Steady::NotComputed) {
      out = {};
      Search(functions, problem.objective.has_value()).run(out);
    }
  }
  out.values = functions.values();
  out.parameters = functions.parameters();
  return out;
}

}  // namespace runtime
