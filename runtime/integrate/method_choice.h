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
#include <algorithm>
#include <cmath>
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

/// Whether Adams is limited to order 2.
///
/// Its methods of order 3 and more are unstable on the imaginary axis: where accuracy allows steps of about
/// the period of the fastest waves, these grow until the error test cuts the steps down to that period, and
/// without damping they remain for ever. Order 2, the trapezoidal rule, is stable with every step. So where
/// waves are not damped the first steps are of order 2. It is kept if they become so long that the growth
/// with higher orders is fast, and longer than those that follow the fastest waves: a wave e^(i w t) has the
/// local error (w h)^3 / 12, so these waves contribute next to nothing. Else they are a part of the solution,
/// which higher orders follow with longer steps.
class OrderLimit {
 public:
  static constexpr int kLimited = 2, kHighest = 12;
  explicit OrderLimit(double tolerance)
      : long_steps_(std::max(kFastGrowth, kNegligible * std::cbrt(12 * tolerance))) {}
  int highest() const { return limited_ ? kLimited : kHighest; }

  /// At the begin of the run, and of Adams in it: `oscillates` as for MethodChoice.
  void begin(bool oscillates) { limited_ = oscillates, in_a_row_ = 0, last_ = 0; }
  /// After a step of Adams of this length; `product` as for MethodChoice. Whether `highest` has changed.
  bool after_step(double step, double product, bool oscillates) {
    if (!limited_) return false;
    // The first steps are short whatever follows.
    const bool settled = step <= kGrowth * last_;
    last_ = step;
    in_a_row_ = settled && product < long_steps_ ? in_a_row_ + 1 : 0;
    limited_ = oscillates && in_a_row_ < kShortSteps;
    return !limited_;
  }

 private:
  // Waves are negligible below the inverse cube of this number, as a part of nominal values.
  static constexpr double kNegligible = 8, kFastGrowth = 0.25, kGrowth = 1.1;
  static constexpr int kShortSteps = 5;  // in a row
  double long_steps_;                    // of their product with the spectral radius
  bool limited_ = false;
  int in_a_row_ = 0;
  double last_ = 0;
};

}  // namespace runtime
