#include "runtime/components/exponential_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {
using Complex = Spectrum::Complex;
constexpr int kNewtonSteps = 100;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
}  // namespace

ExponentialSum::Sample ExponentialSum::sample(const Spectrum::Block& block, double s) const {
  Complex integrals[Spectrum::kMostTerms];
  const Complex exponential =
      exponential_integrals(block.eigenvalue, s, std::span(integrals).first(block.terms));
  auto real_product = [](Complex a, Complex b) { return a.real() * b.real() - a.imag() * b.imag(); };
  const Complex* terms = terms_.data() + block.first_term;
  double value = real_product(terms[0], integrals[0]), power = 1;
  Complex polynomial = terms[0];
  for (std::uint32_t k = 1; k < block.terms; ++k) {
    power *= s / k;
    value += real_product(terms[k], integrals[k]);
    polynomial += terms[k] * power;
  }
  return {value, real_product(polynomial, exponential)};
}

ExponentialSum::Sample ExponentialSum::sample(double s) const {
  Sample sum{constant_, 0};
  for (const Spectrum::Block& block : spectrum_.blocks()) {
    const Sample at = sample(block, s);
    sum.value += at.value;
    sum.slope += at.slope;
  }
  return sum;
}

ExponentialSum::Enclosure ExponentialSum::enclose(double from, double to) const {
  const double middle = from + (to - from) / 2, radius = std::max(to - middle, middle - from);
  Enclosure result;
  result.value = constant_;
  double inclined = 0;  // slope of the blocks that are enclosed by their slope
  for (const Spectrum::Block& block : spectrum_.blocks()) {
    const Sample at = sample(block, middle);
    double first = 0, second = 0, power = 1, before = 0;  // power: to^k / k!
    for (std::uint32_t k = 0; k < block.terms; ++k) {
      const double size = std::abs(terms_[block.first_term + k]);
      first += size * power;
      second += size * (std::abs(block.eigenvalue) * power + before);
      before = power;
      power *= to / (k + 1);
    }
    const double rate = block.eigenvalue.real(), growth = std::exp(rate * (rate > 0 ? to : from));
    first *= growth;
    second *= growth;
    double whole = radius * first;
    if (block.terms == 1) whole = std::min(whole, 2 * first / std::abs(block.eigenvalue));
    result.value += at.value;
    result.slope += at.slope;
    const double curved = radius * radius / 2 * second;
    if (std::abs(at.slope) * radius + curved < whole) {
      inclined += at.slope;
      result.value_radius += curved;
    } else {
      result.value_radius += whole;
    }
    result.slope_radius += std::min(radius * second, first + std::abs(at.slope));
  }
  result.value_radius += std::abs(inclined) * radius;
  return result;
}

/// Just behind the zero of a function that is monotone from above zero to below it.
double ExponentialSum::find_zero(double from, double to) const {
  double s = from + (to - from) / 2, step = 0;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Sample at = sample(s);
    (at.value < 0 ? to : from) = s;
    double next = at.slope < 0 ? s - at.value / at.slope : to;
    if (!(next > from && next < to)) next = from + (to - from) / 2;
    step = 4 * kEpsilon * to;
    if (std::abs(next - s) <= step) break;
    s = next;
  }
  for (s = std::max(s - step, from); s < to && value(s) >= 0; step *= 2) s = std::min(s + step, to);
  return s;
}

double ExponentialSum::fall_before(double s, double level) const {
  const double last = s;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Sample at = sample(s);
    if (!(at.slope < 0)) break;  // it does not fall: the level is as far as it can be
    const double next = std::clamp(s - (at.value - level) / at.slope, 0.0, last);
    if (std::abs(next - s) <= 4 * kEpsilon * s) break;
    s = next;
  }
  return s;
}

std::optional<double> ExponentialSum::first_fall(double from, double to, double resolution,
                                                 bool& above) const {
  double width = to - from;
  while (from < to) {
    double end = to - from <= width ? to : from + width;
    const Enclosure e = enclose(from, end);
    if (e.value >= e.value_radius) {
      above = true;
    } else if (-e.value > e.value_radius) {
      if (above) return from;  // by the rounding of the interval before
    } else if (std::abs(e.slope) > e.slope_radius || end - from <= resolution) {
      const bool now = value(end) >= 0;
      if (above && !now) return find_zero(from, end);
      above = now;
    } else {
      width = (end - from) / 4;
      continue;
    }
    from = end;
    width *= 2;
  }
  return std::nullopt;
}

}  // namespace runtime
