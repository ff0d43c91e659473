#include "runtime/analysis/steady.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/analysis/quadratic_step.h"
#include "runtime/analysis/steady_functions.h"

namespace runtime {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr int kMaxIterations = 300;
// Largest residual of a condition, relative to its terms: derivatives by the free values times 1 plus these
// values, in their units; and where rounding errors prevent more.
constexpr double kConditionTolerance = 1e-10, kRoundingTolerance = 1e-8;
constexpr double kStepTolerance = 1e-9;  // in units of the free values
constexpr double kFar = 1e9;             // in units of a free value: no solution is looked for beyond
constexpr double kStaysOnBranch =
    1.0 / 1024;                          // steps that leave a branch of a loop are shortened to this part
constexpr double kNoDerivative = 1e-14;  // of the largest derivatives of conditions
constexpr double kDependent = 1e-9;      // a pivot below this part of the largest: conditions are dependent

/// Sequential quadratic programming; without an objective, Newton's method.
class Search {
 public:
  Search(SteadyFunctions& functions, bool objective) : f_(functions), objective_(objective) {}

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
    // A condition whose derivatives are rounding errors beside those of others depends on nothing here: it is
    // compared with the others, not with itself.
    auto rescale = [&] {
      const Vector sizes = j.rowwise().norm();
      const double largest = m > 0 ? sizes.maxCoeff() : 0;
      for (Eigen::Index i = 0; i < m; ++i)
        scale[i] = 1 / std::max(sizes[i] > kNoDerivative * largest ? sizes[i] : largest, 1e-300);
      scale = scale.cwiseMin(1e12);
    };
    rescale();
    int since = 0;  // iterations without progress
    for (out.iterations = 1; out.iterations <= kMaxIterations; ++out.iterations) {
      const Matrix scaled = scale.asDiagonal() * j;
      const Vector violation = scale.cwiseProduct(c);
      const QuadraticStep step = quadratic_step(b, g, scaled, violation, lower - y, upper - y);
      const double length = step.d.cwiseQuotient((Vector::Ones(n) + y.cwiseAbs())).lpNorm<Eigen::Infinity>();
      const double worst = m > 0 ? relative(violation, scaled, y).maxCoeff() : 0;
      for (Eigen::Index k = 0; k < n; ++k) out.at_bound[k] = step.active[k];
      if (worst <= kConditionTolerance && length <= kStepTolerance) return finish(y, step, scaled, out);
      // Nothing can change, or improve.
      if (n == 0 || (!objective_ && worst > kRoundingTolerance && length <= kStepTolerance)) break;
      if (Eigen::Index most = 0; y.cwiseAbs().maxCoeff(&most) > kFar) {
        out.endless = objective_;
        out.far = static_cast<std::uint32_t>(most);
        break;
      }
      // Large enough for a descent direction, and decreasing when less is needed (Powell 1978).
      const double needed = 1.5 * (m > 0 ? step.multipliers.lpNorm<Eigen::Infinity>() : 0) + 1e-3;
      penalty = objective_ ? std::max(needed, (penalty + needed) / 2) : 1;
      const double merit = f + penalty * violation.lpNorm<1>();
      // The decrease of the merit function to first order.
      const double fall =
          g.dot(step.d) - penalty * (violation.lpNorm<1>() - (violation + scaled * step.d).lpNorm<1>());
      double part = 1;
      bool taken = false;
      Vector next, next_c;
      double next_f = 0;
      const std::vector<double> values = f_.values(), parameters = f_.parameters();
      for (; part > 1e-10; part /= 2) {
        next = (y + part * step.d).cwiseMax(lower).cwiseMin(upper);
        f_.restore(values, parameters);
        if (evaluate(next, next_c, next_f)) {
          // Shorter steps stay on the branch, unless it ends.
          if (part >= kStaysOnBranch && f_.branch_uncertain()) continue;
          if (next_f + penalty * scale.cwiseProduct(next_c).lpNorm<1>() <=
              merit + 1e-4 * part * fall + 1e-14 * (1 + std::abs(merit))) {
            taken = true;
            break;
          }
          // Second-order correction for the curvature of the conditions, with the same Jacobian.
          if (part == 1 && m > 0 && objective_) {
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
        f_.restore(values, parameters);
        evaluate(y, same, again);
        // No better point nearby: converged up to rounding, or a failure.
        if (worst <= kRoundingTolerance && length <= 1e-5) return finish(y, step, scaled, out);
        if (b.isIdentity(0) || ++since > 1) break;
        b.setIdentity();
        continue;
      }
      since = 0;
      out.left_branch = out.left_branch || f_.branch_uncertain();
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
    if (n > 0 && m > 0) {
      const Matrix scaled = scale.asDiagonal() * j;
      const Vector target =
          y - Eigen::CompleteOrthogonalDecomposition<Matrix>(scaled).solve(scale.cwiseProduct(c));
      for (Eigen::Index k = 0; k < n; ++k)
        out.at_bound[k] = target[k] < lower[k] ? 1 : target[k] > upper[k] ? 2 : 0;
    }
    out.iterations = std::min<std::uint32_t>(out.iterations, kMaxIterations);
    const Vector violation = relative(scale.cwiseProduct(c), scale.asDiagonal() * j, y);
    std::vector<std::uint32_t> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t p, std::uint32_t q) { return violation[p] > violation[q]; });
    for (std::uint32_t i : order)
      if (violation[i] > kRoundingTolerance && out.conditions.size() < kFailureDetails)
        out.conditions.emplace_back(i, c[i]);
  }

 private:
  /// The residuals of scaled conditions, each relative to its own terms.
  static Vector relative(const Vector& violation, const Matrix& scaled, const Vector& y) {
    const Vector terms = scaled.cwiseAbs() * (Vector::Ones(y.size()) + y.cwiseAbs());
    return violation.cwiseAbs().cwiseQuotient(terms.cwiseMax(1.0));
  }
  // Without an objective its value and gradient are 0.
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

  /// Damped BFGS update (Powell 1978): the matrix stays positive definite.
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

  /// The point is a steady state. Without an objective it must be isolated.
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
    Matrix gradients(scaled.rows(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) gradients.col(k) = scaled.col(free[k]);
    if (free.empty()) return;
    Eigen::Index rank = 0, most = 0;
    if (gradients.rows() > 0) {
      Eigen::FullPivLU<Matrix> lu(gradients);
      lu.setThreshold(kDependent);
      rank = lu.rank();
      if (rank == gradients.cols()) return;
      lu.kernel().col(0).cwiseAbs().maxCoeff(&most);
    }
    out.status = Steady::NotDetermined;
    out.freedom = static_cast<std::uint32_t>(gradients.cols() - rank);
    out.subject = static_cast<std::uint32_t>(free[static_cast<std::size_t>(most)]);
  }

  SteadyFunctions& f_;
  bool objective_;
};

}  // namespace

Steady find_steady(const Model& model, double time, std::vector<double> values,
                   std::vector<double> parameters, const Overrides& overrides, const SteadyProblem& problem) {
  Steady out;
  SteadyFunctions functions(model, time, std::move(values), std::move(parameters), overrides, problem);
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
    if (problem.objective) Search(functions, false).run(out);  // starts at a steady state
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
