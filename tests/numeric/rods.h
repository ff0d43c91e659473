// Chains of rods by angles: the reference for models in Cartesian coordinates.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace numeric {

inline constexpr double kGravity = 9.81;

/// n rods of length 1 by their angles from the vertical, with masses of 1 at their ends. By the Lagrange
/// equations: sum over k of c_ik (cos(a_i - a_k) w_k' + sin(a_i - a_k) w_k^2) = -c_ii g sin a_i, where c_ik
/// is the number of masses from max(i, k) on.
struct Rods {
  std::vector<double> angle, rate;

  std::size_t count() const { return angle.size(); }

  std::vector<double> acceleration() const {
    const std::size_t n = count();
    std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      m[i][n] = -static_cast<double>(n - i) * kGravity * std::sin(angle[i]);
      for (std::size_t k = 0; k < n; ++k) {
        const double masses = static_cast<double>(n - std::max(i, k)), between = angle[i] - angle[k];
        m[i][k] = masses * std::cos(between);
        m[i][n] -= masses * std::sin(between) * rate[k] * rate[k];
      }
    }
    for (std::size_t p = 0; p < n; ++p)  // positive definite: no pivoting
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = n + 1; i != p && k-- > p;) m[i][k] -= m[i][p] / m[p][p] * m[p][k];
    std::vector<double> result(n);
    for (std::size_t i = 0; i < n; ++i) result[i] = m[i][n] / m[i][i];
    return result;
  }

  /// By the rule of Runge and Kutta.
  void advance(double time, int steps) {
    const double h = time / steps;
    for (int s = 0; s < steps; ++s) {
      Rods at = *this;
      std::vector<double> da(count()), dw(count());
      for (const auto& [weight, next] : {std::pair{1.0, 0.5}, {2.0, 0.5}, {2.0, 1.0}, {1.0, 0.0}}) {
        const std::vector<double> w = at.rate, dwdt = at.acceleration();
        for (std::size_t i = 0; i < count(); ++i) {
          da[i] += weight / 6 * w[i], dw[i] += weight / 6 * dwdt[i];
          at.angle[i] = angle[i] + next * h * w[i], at.rate[i] = rate[i] + next * h * dwdt[i];
        }
      }
      for (std::size_t i = 0; i < count(); ++i) angle[i] += h * da[i], rate[i] += h * dw[i];
    }
  }

  struct End {
    double x = 0, y = 0, u = 0, v = 0, force = 0;
  };
  std::vector<End> ends() const {
    const std::size_t n = count();
    const std::vector<double> dw = acceleration();
    std::vector<End> result(n);
    std::vector<std::array<double, 2>> acceleration(n);
    End end;
    std::array<double, 2> a{0, kGravity};
    for (std::size_t i = 0; i < n; ++i) {
      const double s = std::sin(angle[i]), c = std::cos(angle[i]), w = rate[i];
      end.x += s, end.y -= c, end.u += c * w, end.v += s * w;
      a[0] += c * dw[i] - s * w * w, a[1] += s * dw[i] + c * w * w;
      result[i] = end, acceleration[i] = a;
    }
    std::array<double, 2> below{0, 0};  // what a rod carries, from the last one up
    for (std::size_t i = n; i-- > 0;) {
      below[0] += acceleration[i][0], below[1] += acceleration[i][1];
      result[i].force = -below[0] * std::sin(angle[i]) + below[1] * std::cos(angle[i]);
    }
    return result;
  }
};

}  // namespace numeric
