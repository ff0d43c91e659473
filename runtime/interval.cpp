#include "runtime/interval.h"

#include <cstdlib>

namespace runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;

double down(double x) {
  return std::isfinite(x) ? std::nextafter(x, -kInfinity)
         : x == kInfinity ? std::numeric_limits<double>::max()
                          : x;
}
double up(double x) { return -down(-x); }

/// A product of bounds: zero times infinity is zero, since an infinite bound is not a value.
double times(double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; }

/// Bounds of sin, where `phase` is 0, of cos, where it is a quarter: extrema are at (k + 1/4 - phase)
/// periods.
Interval wave(Interval a, double phase, double (*f)(double)) {
  if (!a.is_bounded() || a.width() >= 2 * kPi) return {-1, 1};
  auto has_extremum = [&](double at) {
    const double first = a.low / (2 * kPi) - at, last = a.high / (2 * kPi) - at;
    const double slack = 8 * std::numeric_limits<double>::epsilon() * (std::abs(first) + std::abs(last) + 1);
    return std::ceil(first - slack) <= std::floor(last + slack);
  };
  const double x = f(a.low), y = f(a.high);
  const Interval ends = outward(std::min(x, y), std::max(x, y), kLibraryUlps);
  return {has_extremum(0.75 - phase) ? -1.0 : std::max(-1.0, ends.low),
          has_extremum(0.25 - phase) ? 1.0 : std::min(1.0, ends.high)};
}

}  // namespace

double Interval::middle() const {
  if (is_bounded()) {
    // Far from zero at one end only: by magnitude, so that intervals of many decades are soon small.
    if (low >= 0 && high > 1 && high > 16 * (low + 1)) return std::sqrt(low + 1) * std::sqrt(high);
    return low + 0.5 * (high - low);
  }
  if (std::isfinite(low)) return std::max(1.0, 2 * std::abs(low));
  return std::isfinite(high) ? -std::max(1.0, 2 * std::abs(high)) : 0.0;
}

Interval outward(double low, double high, int ulps) {
  if (std::isnan(low) || std::isnan(high)) return Interval::whole();
  const double part = ulps * std::numeric_limits<double>::epsilon();
  auto margin = [&](double x) {
    return std::isfinite(x) ? part * std::abs(x) + ulps * std::numeric_limits<double>::denorm_min() : 0.0;
  };
  return {down(low - margin(low)), up(high + margin(high))};
}

Interval operator-(Interval a) { return {-a.high, -a.low}; }

Interval operator+(Interval a, Interval b) {
  auto exact = [](double x, double y) { return x == 0 || y == 0; };
  const double low = a.low + b.low, high = a.high + b.high;
  return {exact(a.low, b.low) ? low : down(low), exact(a.high, b.high) ? high : up(high)};
}

Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
  if ((a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0)) return {0, 0};
  if (a.is_point() && a.low == 1) return b;
  if (b.is_point() && b.low == 1) return a;
  const double p[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  return {down(std::min({p[0], p[1], p[2], p[3]})), up(std::max({p[0], p[1], p[2], p[3]}))};
}

Interval operator/(Interval a, Interval b) {
  if (b.contains(0)) return Interval::whole();
  if (a.low == 0 && a.high == 0) return {0, 0};
  auto over = [](double x, double y) {
    return std::isinf(y) ? (std::isinf(x) ? (x < 0) == (y < 0) ? kInfinity : -kInfinity : 0.0) : x / y;
  };
  double p[] = {over(a.low, b.low), over(a.low, b.high), over(a.high, b.low), over(a.high, b.high)};
  double low = std::min({p[0], p[1], p[2], p[3]}), high = std::max({p[0], p[1], p[2], p[3]});
  // An infinite over an infinite bound: everything between zero and infinity.
  if (!a.is_bounded() && !b.is_bounded()) low = std::min(low, 0.0), high = std::max(high, 0.0);
  return {down(low), up(high)};
}

Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Interval intersection(Interval a, Interval b) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : a;
}

Interval abs(Interval a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return -a;
  return {0, std::max(-a.low, a.high)};
}

Interval sqrt(Interval a) {
  if (a.low < 0) return Interval::whole();
  Interval result = outward(std::sqrt(a.low), std::sqrt(a.high), 1);
  result.low = std::max(result.low, 0.0);
  return result;
}

Interval exp(Interval a) {
  Interval result = outward(std::exp(a.low), std::exp(a.high), kLibraryUlps);
  result.low = std::max(result.low, 0.0);
  return result;
}

Interval log(Interval a) {
  return a.low <= 0 ? Interval::whole() : outward(std::log(a.low), std::log(a.high), kLibraryUlps);
}

Interval sin(Interval a) {
  return wave(a, 0, [](double x) { return std::sin(x); });
}

Interval cos(Interval a) {
  return wave(a, 0.25, [](double x) { return std::cos(x); });
}

Interval tan(Interval a) { return sin(a) / cos(a); }

Interval power(Interval a, int n) {
  if (n == 0) return {1, 1};
  if (n < 0) return Interval{1, 1} / power(a, n == std::numeric_limits<int>::min() ? n : -n);
  // Repeated multiplication rounds once for each factor, in the kernels as well.
  const int ulps = std::min(2 * n, 64) + kLibraryUlps;
  const double x = std::pow(a.low, n), y = std::pow(a.high, n);
  if (n % 2 != 0) return outward(x, y, ulps);
  Interval result = outward(std::min(x, y), std::max(x, y), ulps);
  result.low = a.contains(0) ? 0.0 : std::max(result.low, 0.0);
  return result;
}

/// Monotone in the base and in the exponent, for positive bases: extrema are at the corners.
Interval power(Interval a, Interval b) {
  if (a.low < 0 || (a.low == 0 && b.low <= 0)) return Interval::whole();
  const double p[] = {std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low),
                      std::pow(a.high, b.high)};
  for (double corner : p)
    if (std::isnan(corner)) return Interval::whole();
  Interval result =
      outward(std::min({p[0], p[1], p[2], p[3]}), std::max({p[0], p[1], p[2], p[3]}), kLibraryUlps);
  result.low = std::max(result.low, 0.0);
  return result;
}

Interval atan2(Interval y, Interval x) {
  if (x.low <= 0 && y.contains(0)) return outward(-kPi, kPi, kLibraryUlps);  // origin or branch cut
  const double p[] = {std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                      std::atan2(y.high, x.high)};
  return outward(std::min({p[0], p[1], p[2], p[3]}), std::max({p[0], p[1], p[2], p[3]}), kLibraryUlps);
}

}  // namespace runtime
