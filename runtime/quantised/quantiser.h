// The choice of the quantised trajectory of a state: LIQSS2 (Migoni, Bortolotto, Kofman, Cellier: Linearly
// implicit quantization-based integration methods for stiff ordinary differential equations, Simulation
// Modelling Practice and Theory 35, 2013, section 3.2).
//
// Equations read the quantised state q(t) = q0 + q1 t in place of the state x(t), and |x - q| never exceeds
// the quantum. With x' = a q + u0 + u1 t near the present, q is the line that x touches after a time h:
//
//   x(h) = q(h), x'(h) = q1     for the largest h at which |q0 - x(0)| is at most the quantum.
//
// So h is a step of an implicit method of one scalar equation, solved in closed form; for a = 0 it is the
// explicit method QSS2. Near an equilibrium of a stable state no h is too large: q becomes the moving
// equilibrium a q + u = q'.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

/// A line: value and slope at a time.
struct QuantisedState {
  double value = 0, slope = 0;
};

struct QuantiserInput {
  double x = 0;           // the state
  double a = 0;           // derivative of x' by the state itself, an estimate
  double u0 = 0, u1 = 0;  // x' - a q and its rate
  double quantum = 0;     // positive
  double longest = 0;     // limit of h, positive
};

/// The trajectory for a given h. Requires a h < 1.
inline QuantisedState quantised_after(const QuantiserInput& in, double h) {
  const double ah = in.a * h, u = in.u0 + h * in.u1;
  const double value =
      ((1 - ah) * (in.x + h * (in.u0 + h / 2 * in.u1)) - h * (1 - ah / 2) * u) / (1 - ah * (1 - ah / 2));
  return {value, (in.a * value + u) / (1 - ah)};
}

/// The trajectory for the largest admissible h, up to a few percent.
inline QuantisedState choose_quantised(const QuantiserInput& in) {
  constexpr double kGrowth = 2, kPrecision = 0.02;
  constexpr int kLargestExponent = 60;
  if (in.a < 0) {
    const double slope = -in.u1 / in.a;
    const QuantisedState equilibrium{(slope - in.u0) / in.a, slope};
    if (std::abs(equilibrium.value - in.x) <= in.quantum) return equilibrium;
  }
  const double longest = in.a > 0 ? std::min(in.longest, 0.5 / in.a) : in.longest;
  auto fits = [&](double h) { return std::abs(quantised_after(in, h).value - in.x) <= in.quantum; };
  const double curvature = std::abs(in.a * (in.a * in.x + in.u0) + in.u1);
  double low = curvature > 0 ? std::min(longest, std::sqrt(2 * in.quantum / curvature)) : longest;
  double high = low;
  if (fits(low)) {
    for (int k = 0; k < kLargestExponent && low < longest; ++k) {
      high = std::min(longest, kGrowth * low);
      if (!fits(high)) break;
      low = high;
    }
  } else {
    for (int k = 0; k < kLargestExponent && !fits(low); ++k) {
      high = low;
      low /= kGrowth;
    }
  }
  while (high - low > kPrecision * high) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (fits(middle) ? low : high) = middle;
  }
  return quantised_after(in, low);
}

}  // namespace runtime
