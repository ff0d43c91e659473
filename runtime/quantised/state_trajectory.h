// The trajectory of one state between two updates: a polynomial of the third degree, and the line that
// equations read in its place.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/quantised/polynomial.h"
#include "runtime/quantised/quantiser.h"

namespace runtime {

struct StateTrajectory {
  double time = 0;                       // the polynomial's origin
  double evaluated = 0;                  // when its derivative was evaluated
  double x = 0, x1 = 0, x2 = 0, x3 = 0;  // x + x1 t + x2 t^2 + x3 t^3
  double quantised_time = 0;             // origin of the line
  QuantisedState q;
  double quantum = 0;
  double a = 0;         // estimate of the derivative of x' by the state itself
  double interval = 0;  // seconds: expected time to the next update; the scale of finite differences
  double refresh = 0;   // seconds after `time` up to which the polynomial is accurate

  double at(double t) const {
    const double dt = t - time;
    return x + dt * (x1 + dt * (x2 + dt * x3));
  }
  double quantised_at(double t) const { return q.value + (t - quantised_time) * q.slope; }

  /// Moves the origin of the polynomial.
  void advance(double t) {
    const double dt = t - time;
    x = at(t);
    x1 += dt * (2 * x2 + dt * 3 * x3);
    x2 += 3 * dt * x3;
    time = t;
  }

  /// Sets the derivative by its values f, f1, f2 at `time` and h and 2 h later. `previous`: the time since
  /// the last evaluation. The polynomial is not trusted for much longer than that or the one before, because
  /// a curvature that is zero here may not be so later, and never for more than `longest`.
  void set_derivative(double f, double f1, double f2, double h, double previous, double longest) {
    constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();
    constexpr double kTruncation = 0.1;  // of the quantum, for each evaluation
    constexpr double kGrowth = 16;
    const double scale = std::max({std::abs(f), std::abs(f1), std::abs(f2)}) + std::abs(a * q.value);
    const double second = f - 2 * f1 + f2;
    const bool curved = std::abs(second) > kRounding * scale;
    x1 = f;
    x2 = (curved ? 4 * f1 - 3 * f - f2 : f2 - f) / (4 * h);
    x3 = curved ? second / (6 * h * h) : 0;
    refresh = std::min(longest, std::max(refresh, kGrowth * previous));
    if (curved) refresh = std::min(refresh, std::cbrt(kTruncation * quantum / std::abs(x3)));
  }

  /// Seconds after `time` at which the state is to be updated: it is a quantum away from the line and moves
  /// off further, or it has met the line, or is as close to it as it will be.
  double next_update() const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    constexpr double kMet = 0.01;   // of a quantum
    constexpr double kStiff = 0.1;  // of a times the interval; below, meeting the line is no reason
    Quadratic d{x - quantised_at(time), x1 - q.slope, x2};
    if (d.c0 < 0) d = -d;
    // Above: quantum - d falls below zero. Below: quantum + d does.
    double next = d.c0 < quantum                        ? first_fall(-d + quantum)
                  : d.c1 > 0 || (d.c1 == 0 && d.c2 > 0) ? 0
                                                        : kNever;
    next = std::min(next, first_fall(d + quantum));
    if (d.c0 > kMet * quantum && d.c1 < 0) {
      const double closest = d.c2 > 0 ? -d.c1 / (2 * d.c2) : kNever;
      const double met = std::min(closest, first_fall(d));
      if (std::abs(a) * met > kStiff || d.c0 >= quantum) next = std::min(next, met);
    }
    return std::min(next, refresh);
  }
};

}  // namespace runtime
