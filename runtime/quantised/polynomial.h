// Roots of the polynomials of the second degree that predict events: p(t) = c0 + c1 t + c2 t^2.
#pragma once
#include <cmath>
#include <limits>
#include <utility>

namespace runtime {

struct Quadratic {
  double c0 = 0, c1 = 0, c2 = 0;

  double operator()(double t) const { return c0 + t * (c1 + t * c2); }
  Quadratic operator-() const { return {-c0, -c1, -c2}; }
  Quadratic operator+(double c) const { return {c0 + c, c1, c2}; }
};

/// The first t > 0 at which the polynomial falls below zero: it is positive just before, or zero at 0 and
/// positive until then. Infinity if it never does. A polynomial that is negative at 0, or leaves zero
/// downwards there, gives 0.
inline double first_fall(const Quadratic& p) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (p.c0 < 0) return 0;
  if (p.c0 == 0) {
    if (p.c1 < 0 || (p.c1 == 0 && p.c2 < 0)) return 0;
    return p.c1 > 0 && p.c2 < 0 ? -p.c1 / p.c2 : kNever;
  }
  if (p.c2 == 0) return p.c1 < 0 ? -p.c0 / p.c1 : kNever;
  const double discriminant = p.c1 * p.c1 - 4 * p.c0 * p.c2;
  if (!(discriminant > 0)) return kNever;  // a double root is touched, not crossed
  // Without cancellation: s / c2 and c0 / s are the roots.
  const double s = -(p.c1 + std::copysign(std::sqrt(discriminant), p.c1)) / 2;
  double first = s / p.c2, second = p.c0 / s;
  if (first > second) std::swap(first, second);
  if (first > 0) return first;
  return second > 0 ? second : kNever;
}

}  // namespace runtime
