#include "runtime/events/isolation.h"

#include <vector>

namespace runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon(), kSmallestTime = 1e-24;
constexpr int kNewtonIterations = 80;
// A value is at a boundary within this multiple of the width that rounding gives the enclosure at one time.
constexpr double kRoundingWidths = 4, kLongestTouch = 1e-3;

double resolution_at(double time, double wanted) {
  return std::max({wanted, kRounding * std::abs(time), kSmallestTime});
}

bool is_inside(Interval value, Interval allowed) {
  return (std::isinf(allowed.low) || value.low > allowed.low) &&
         (std::isinf(allowed.high) || value.high < allowed.high);
}

/// The value over a part, also by the mean value theorem.
Interval tightened(const EncloseOverTime& f, Interval part, const Enclosure& over) {
  if (!part.is_bounded() || !over.derivative.is_bounded()) return over.value;
  const double middle = part.middle();
  const Interval by_mean = f(Interval::of(middle)).value + over.derivative * (part - Interval::of(middle));
  return intersection(over.value, by_mean);
}

/// The root of f - boundary in a part over which f is monotone, by interval Newton iteration; infinity if
/// there is certainly none.
double monotone_root(const EncloseOverTime& f, double boundary, Interval part, Interval slope) {
  const bool rising = slope.low > 0;
  const Interval level = Interval::of(boundary);
  // From the left end: an unbounded part becomes bounded, unless the slope may vanish.
  Interval root = part;
  const Interval first = Interval::of(part.low) + (level - f(Interval::of(part.low)).value) / slope;
  root.high = std::min(root.high, std::max(part.low, first.high));
  if (std::isfinite(part.high)) {
    const Interval last = f(Interval::of(part.high)).value;
    if (rising ? last.high < boundary : last.low > boundary) return kInfinity;
  }
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

/// The end of the time from `from` on for which the value is inside, but for rounding: where it starts at a
/// boundary, as after a crossing, or where it touches one.
double leave_boundary(const EncloseOverTime& f, Interval allowed, double from) {
  const Enclosure start = f(Interval::of(from));
  // A slope decides by itself. Where the function jumps, the width is not that of rounding.
  if (!start.derivative.contains(0)) return from;
  if (!start.value.is_bounded() || !start.derivative.is_bounded() || is_inside(start.value, allowed))
    return from;
  const double rounding = kRoundingWidths * start.value.width();
  const Interval widened{allowed.low - rounding, allowed.high + rounding};
  double end = from;
  for (double step = resolution_at(from, 0); step < kLongestTouch * std::max(1.0, std::abs(from));
       step *= 2) {
    const Interval part{from, from + step};
    const Enclosure over = f(part);
    if (!over.derivative.is_bounded() || !is_inside(tightened(f, part, over), widened)) break;
    end = part.high;
  }
  return end;
}

}  // namespace

double first_exit(const EncloseOverTime& f, Interval allowed, double from, const IsolationOptions& options) {
  const double earliest = from + resolution_at(from, 0) / 4;
  const double begin = leave_boundary(f, allowed, from), window = begin + options.window;
  std::vector<Interval> parts{{window, kInfinity}, {begin, window}};
  for (int left = options.evaluations; !parts.empty(); --left) {
    const Interval part = parts.back();
    if (left <= 0) return std::max(part.low, from + resolution_at(from, options.resolution));
    parts.pop_back();
    const Enclosure over = f(part);
    if (over.derivative.low == 0 && over.derivative.high == 0) continue;  // constant
    if (is_inside(over.value, allowed) || is_inside(tightened(f, part, over), allowed)) continue;
    if (over.derivative.low > 0 || over.derivative.high < 0) {
      const double boundary = over.derivative.low > 0 ? allowed.high : allowed.low;
      if (std::isinf(boundary)) continue;
      const double root = monotone_root(f, boundary, part, over.derivative);
      if (root < kInfinity) return std::max(root, earliest);
      continue;
    }
    if (part.is_bounded() && part.width() <= resolution_at(part.high, options.resolution))
      return std::max(part.high, earliest);
    const double middle = part.middle();
    if (!(part.low < middle && middle < part.high)) continue;
    parts.push_back({middle, part.high});
    parts.push_back({part.low, middle});
  }
  return kInfinity;
}

}  // namespace runtime
