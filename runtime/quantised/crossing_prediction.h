// When the difference of one comparison will cross zero: a polynomial of the second degree through its values
// at three times, and how long that is to be trusted.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/quantised/polynomial.h"

namespace runtime {

struct CrossingPrediction {
  double time = 0;       // at which the difference was evaluated
  Quadratic difference;  // from `time` on
  double largest = 0;    // magnitude so far
  double interval = 0;   // seconds: the scale of finite differences
  double trusted = 0;    // seconds
  double zero = 0;       // differences of this magnitude are at zero, until one is larger
  bool below = false;    // the held value: the comparison is true

  /// Sets the polynomial by the values g, g1, g2 at `now` and h and 2 h later.
  void set(double now, double g, double g1, double g2, double h, double longest) {
    constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();
    constexpr double kError = 1e-3;  // of the largest magnitude
    constexpr double kGrowth = 4;
    constexpr double kShort = 1e-2;
    const double previous = now - time;
    const double error = std::abs(difference(previous) - g);
    largest = std::max(largest, std::abs(g));
    const double second = g - 2 * g1 + g2;
    const bool curved = std::abs(second) > kRounding * std::max({std::abs(g), std::abs(g1), std::abs(g2)});
    difference = {g, (curved ? 4 * g1 - 3 * g - g2 : g2 - g) / (2 * h), curved ? second / (2 * h * h) : 0};
    const double before = std::max(trusted, interval);
    trusted = std::min(longest, std::max(before, kGrowth * previous));
    // The error of the prediction grows with the third power of time; after a short time other errors
    // prevail.
    if (error > kRounding * largest && previous > kShort * before)
      trusted = std::min(trusted, previous * std::cbrt(kError * largest / error));
    time = now;
    if (std::abs(g) > zero) zero = 0;
  }
  /// The held value has been decided at this instant: a difference that is on the other side of zero, or
  /// within rounding errors of it, is at zero.
  void accept_held() {
    const double side = below ? -difference.c0 : difference.c0;
    if (side <= rounding()) zero = std::max(rounding(), -2 * side);
  }

  /// Differences of this magnitude are rounding errors.
  double rounding() const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    return kEpsilon * (64 * largest + 4 * std::abs(difference.c1 * time));
  }
  /// Whether the difference crosses zero now, up to rounding errors.
  bool crosses() const {
    const double side = below ? -difference.c0 : difference.c0,
                 slope = below ? -difference.c1 : difference.c1;
    return zero == 0 ? side <= 0 || (side <= rounding() && slope < 0) : side < -zero;
  }
  /// Seconds after `time` to the next crossing: 0 where the difference is on the other side already. A
  /// difference at zero, right after a crossing, has to leave it by more than rounding errors.
  double next_crossing() const {
    const Quadratic p = below ? -difference : difference;
    return first_fall(p + zero);
  }
};

}  // namespace runtime
