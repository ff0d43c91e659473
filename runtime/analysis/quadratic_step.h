// The quadratic programme of one step of sequential quadratic programming (steady.h):
//
//   min ½ d'Bd + g'd  where  Jd = -c  and  low <= d <= high
//
// by a primal-dual active set: the bounds that hold as equations are iterated (Hintermüller, Ito, Kunisch,
// The primal-dual active set strategy as a semismooth Newton method, SIAM J. Optim. 13 (2003)).
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace runtime {

struct QuadraticStep {
  Eigen::VectorXd d, multipliers;    // the step; one multiplier for each condition
  std::vector<std::uint8_t> active;  // 1: at the lower bound, 2: at the upper one
};

/// n = size of g, m = size of c; B is n × n and positive definite, J is m × n.
QuadraticStep quadratic_step(const Eigen::MatrixXd& b, const Eigen::VectorXd& g, const Eigen::MatrixXd& j,
                             const Eigen::VectorXd& c, const Eigen::VectorXd& low,
                             const Eigen::VectorXd& high);

}  // namespace runtime
