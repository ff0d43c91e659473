// Intervals with outward rounding, and enclosures of a function of time over an interval of time: of its
// value and of its derivative, carried together (forward mode). Every operation contains the exact result of
// all arguments in its operands, and the rounded results of generated code too.
//
// Bounds are rounded outward by one unit in the last place after an arithmetic operation, which rounds to
// nearest, and by kLibraryUlps after a function of the C library. (Moore, Kearfott, Cloud, Introduction to
// Interval Analysis, chapters 2, 5 and 6; derivatives as in Rall, Automatic Differentiation, 1981.)
//
// Outside of the domain of a function nothing is known: the result is the whole line.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

struct Interval {
  double low = 0, high = 0;

  static Interval of(double value) { return std::isnan(value) ? whole() : Interval{value, value}; }
  static constexpr Interval whole() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool contains(double x) const { return low <= x && x <= high; }
  bool is_point() const { return low == high; }
  bool is_bounded() const { return std::isfinite(low) && std::isfinite(high); }
  double width() const { return high - low; }
  /// A point inside, also of an unbounded interval.
  double middle() const;
};

/// The value of a function of time over an interval, and its derivative by time.
struct Enclosure {
  Interval value, derivative;
  static Enclosure constant(double value) { return {Interval::of(value), {}}; }
};

Interval operator-(Interval a);
Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// The whole line if `b` contains zero.
Interval operator/(Interval a, Interval b);
Interval hull(Interval a, Interval b);
/// The intersection. If there is none, which only rounding can cause, `a`.
Interval intersection(Interval a, Interval b);

/// The bounds of a monotone function from its rounded values at both ends, which `ulps` units may be wrong.
Interval outward(double low, double high, int ulps);
/// Larger than the error of any function of the mathematical libraries that generated code calls.
constexpr int kLibraryUlps = 8;

Interval abs(Interval a);
Interval sqrt(Interval a);
Interval exp(Interval a);
Interval log(Interval a);
Interval sin(Interval a);
Interval cos(Interval a);
Interval tan(Interval a);
Interval power(Interval a, int n);
Interval power(Interval a, Interval b);
Interval atan2(Interval y, Interval x);

}  // namespace runtime
