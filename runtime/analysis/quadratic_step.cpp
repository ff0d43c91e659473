#include "runtime/analysis/quadratic_step.h"

#include <Eigen/Dense>
#include <cmath>
#include <utility>

namespace runtime {

QuadraticStep quadratic_step(const Eigen::MatrixXd& b, const Eigen::VectorXd& g, const Eigen::MatrixXd& j,
                             const Eigen::VectorXd& c, const Eigen::VectorXd& low,
                             const Eigen::VectorXd& high) {
  const Eigen::Index n = g.size(), m = c.size();
  QuadraticStep result;
  result.active.assign(static_cast<std::size_t>(n), 0);
  for (int iteration = 0; iteration < 60; ++iteration) {
    std::vector<Eigen::Index> free;
    Eigen::VectorXd d = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (result.active[k] == 1)
        d[k] = low[k];
      else if (result.active[k] == 2)
        d[k] = high[k];
      else
        free.push_back(k);
    const auto f = static_cast<Eigen::Index>(free.size());
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(f + m, f + m);
    Eigen::VectorXd right(f + m);
    const Eigen::VectorXd rest = b * d;
    for (Eigen::Index r = 0; r < f; ++r) {
      for (Eigen::Index s = 0; s < f; ++s) kkt(r, s) = b(free[r], free[s]);
      for (Eigen::Index i = 0; i < m; ++i) kkt(f + i, r) = kkt(r, f + i) = j(i, free[r]);
      right[r] = -g[free[r]] - rest[free[r]];
    }
    right.tail(m) = -c - j * d;
    // Conditions may be dependent and consistent: the shortest solution. Without conditions, all variables
    // may be at bounds.
    Eigen::VectorXd solution(f + m);
    if (f + m > 0) solution = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(kkt).solve(right);
    for (Eigen::Index r = 0; r < f; ++r) d[free[r]] = solution[r];
    result.multipliers = solution.tail(m);
    // The gradient of the Lagrangian: not negative at a lower bound, not positive at an upper one.
    const Eigen::VectorXd gradient = b * d + g + j.transpose() * result.multipliers;
    std::vector<std::uint8_t> next(static_cast<std::size_t>(n), 0);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double slack = 1e-12 * (1 + std::abs(d[k]));
      if (result.active[k] == 1 ? gradient[k] >= 0 : d[k] < low[k] - slack)
        next[k] = 1;
      else if (result.active[k] == 2 ? gradient[k] <= 0 : d[k] > high[k] + slack)
        next[k] = 2;
    }
    result.d = d.cwiseMax(low).cwiseMin(high);
    if (next == result.active) break;
    result.active = std::move(next);
  }
  return result;
}

}  // namespace runtime
