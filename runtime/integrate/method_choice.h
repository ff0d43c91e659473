// The choice between Adams and BDF, from step to step: Adams while the system is not stiff, BDF while it is.
//
// A system is stiff where stability and not accuracy would limit the steps of Adams: where the product of
// step and spectral radius of the Jacobian exceeds about 1. BDF has larger errors than Adams of the same
// order (four times at order 5), and takes shorter steps where both are stable. The idea, and the order of
// magnitude of the limits, are those of LSODA: Petzold, Automatic selection of methods for solving stiff and
// nonstiff systems of ordinary differential equations, SIAM J. Sci. Stat. Comput. 4 (1983). A change of
// method restarts at order 1, so it needs several steps in a row that ask for it.
//
// Waves without damping are left to Adams, however long its steps: BDF is unstable on them from order 3 on,
// and turns the slightest of them into large ones, while Adams at order 2 is the trapezoidal rule (Hairer and
// Wanner, Solving Ordinary Differential Equations II, section V.1; the beam of section IV.1).
#pragma once
#include <optional>

namespace runtime {

class MethodChoice {
 public:
  /// Whether to change the method after a step. `product`: of its length and the spectral radius of the
  /// Jacobian, if it is known; `oscillates`: whether the largest eigenvalues are imaginary.
  bool asks_for_change(bool adams, std::optional<double> product, bool oscillates) {
    const bool stiff = product && *product > kStiff && !oscillates;
    const bool not_stiff = product && (*product < kNotStiff || oscillates);
    const bool asks = adams ? stiff : not_stiff;
    in_a_row_ = asks ? in_a_row_ + 1 : 0;
    return in_a_row_ >= (adams ? kStiffSteps : kOtherSteps);
  }
  void restart() { in_a_row_ = 0; }

 private:
  static constexpr double kStiff = 1.0, kNotStiff = 0.25;
  static constexpr int kStiffSteps = 8, kOtherSteps = 30;
  int in_a_row_ = 0;  // steps that ask for the other method
};

}  // namespace runtime
