#include "runtime/events/isolation.h"

#include <vector>

#include "runtime/rounding.h"

namespace runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallestTime = 1e-24;
constexpr int kNewtonIterations = 80;

double resolution_at(double time, double wanted) {
  return std::max({wanted, time_rounding(time), kSmallestTime});
}

bool is_inside(Interval value, Interval allowed) {
  return (std::isinf(allowed.low) || value.low > allowed.low) &&
         (std::isinf(allowed.high) || value.high < allowed.high);
}

/// Where all that shows whether a value leaves is rounding.
bool is_inside_but_for(double rounding, Interval value, Interval allowed) {
  return value.width() <= 2 * rounding && is_inside(value, {allowed.low - rounding, allowed.high + rounding});
}

/// The value over a part of which the enclosure is known, also by the mean value theorem. `rounding`: the
/// width that rounding gives the value at one time; zero where f may jump, and the width is not that of
/// rounding.
Interval tightened(const EncloseOverTime& f, Interval part, const Enclosure& over, double& rounding) {
  rounding = 0;
  if (!part.is_bounded() || !over.derivative.is_bounded()) return over.value;
  const Interval middle = Interval::of(part.middle()), value = f(middle).value;
  if (value.is_bounded()) rounding = value.width();
  return intersection(over.value, value + over.derivative * (part - middle));
}

/// The root of f - boundary in a part over which f is monotone, by interval Newton iteration. f is certainly
/// beyond the boundary at the end of the part, or the part has no end.
double monotone_root(const EncloseOverTime& f, double boundary, Interval part, Interval slope) {
  const bool rising = slope.low > 0;
  const Interval level = Interval::of(boundary);
  // From the left end: an unbounded part becomes bounded, unless the slope may vanish.
  Interval root = part;
  const Interval first = Interval::of(part.low) + (level - f(Interval::of(part.low)).value) / slope;
  root.high = std::min(root.high, std::max(part.low, first.high));
  for (int k = 0; k < kNewtonIterations && root.width() > resolution_at(root.high, 0) / 4; ++k) {
    const double middle = root.middle();
    const Interval difference = f(Interval::of(middle)).value - level;
    const double width = root.width();
    const Enclosure here = f(root);
    const Interval newton = Interval::of(middle) - difference / intersection(here.derivative, slope);
    root = intersection(root, newton);
    if (root.width() < 0.7 * width) continue;
    const bool before = rising ? difference.low > 0 : difference.high < 0;
    const bool after = rising ? difference.high < 0 : difference.low > 0;
    if (!before && !after) break;  // within rounding
    if (before) root.high = std::min(root.high, middle);
    if (after) root.low = std::max(root.low, middle);
  }
  // The bounds are those of all roundings; the likeliest point is one more step in ordinary arithmetic.
  const double middle = root.middle();
  const Enclosure here = f(Interval::of(middle));
  const double step = (here.value.middle() - boundary) / here.derivative.middle();
  return std::isfinite(step) ? std::clamp(middle - step, root.low, root.high) : middle;
}

}  // namespace

double first_exit(const EncloseOverTime& f, Interval allowed, double from, const IsolationOptions& options) {
  const double earliest = from + resolution_at(from, 0) / 4, window = from + options.window;
  std::vector<Interval> parts{{window, kInfinity}, {from, window}};
  bool varies = false;
  for (int left = options.evaluations; !parts.empty(); --left) {
    const Interval part = parts.back();
    if (left <= 0) return std::max(part.low, from + resolution_at(from, options.resolution));
    parts.pop_back();
    const Enclosure over = f(part);
    const bool rises = over.derivative.low >= 0, falls = over.derivative.high <= 0;
    if (is_inside(over.value, allowed)) continue;
    if (rises && falls) {  // constant at a boundary: since `from`, or from here on
      if (!varies) continue;
      return std::max(part.low, earliest);
    }
    varies = true;
    double rounding = 0;
    const Interval value = tightened(f, part, over, rounding);
    if (is_inside(value, allowed) || is_inside_but_for(options.rounding * rounding, value, allowed)) continue;
    if (rises || falls) {
      const double boundary = rises ? allowed.high : allowed.low;
      if (std::isinf(boundary)) continue;
      const Interval last = std::isinf(part.high) ? Interval::whole() : f(Interval::of(part.high)).value;
      if (rises ? last.high < boundary : last.low > boundary) continue;
      const bool beyond = rises ? last.low > boundary : last.high < boundary;
      if (!over.derivative.contains(0)) {
        // At the boundary within rounding, whether it is crossed is seen in the next part.
        if (!beyond && last.is_bounded()) continue;
        return std::max(monotone_root(f, boundary, part, over.derivative), earliest);
      }
    }
    const double middle = part.middle();
    if (part.is_bounded()) {
      if (part.width() <= resolution_at(part.high, options.resolution)) return std::max(part.high, earliest);
      if (part.width() <= options.unknown_resolution && !f(Interval::of(middle)).value.is_bounded())
        return std::max(part.high, earliest);
    }
    if (!(part.low < middle && middle < part.high)) continue;
    parts.push_back({middle, part.high});
    parts.push_back({part.low, middle});
  }
  return kInfinity;
}

bool is_constant_but_for_rounding(const EncloseOverTime& f, Interval part) {
  double rounding = 0;
  const Interval value = tightened(f, part, f(part), rounding);
  return value.width() <= 2 * IsolationOptions().rounding * rounding;
}

}  // namespace runtime
