#include "runtime/integrate/crossing_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/numbers.h"

namespace runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A difference is quiet while it is this many times as far from zero as it varies in the step.
constexpr double kQuiet = 4;
// A past variation counts for this part of itself one step later.
constexpr double kMemory = 0.7;
// The error of a cubic polynomial is taken as this multiple of what the check point shows.
constexpr double kSafety = 4;
// A polynomial describes a difference where its error is below this part of its variation, or its distance
// from zero above this multiple of it.
constexpr double kResolved = 0.05, kFar = 1;
// Rates are differences over this part of an interval; over up to the second one where rounding disturbs
// them.
constexpr double kRateStep = 1e-5, kLongestRateStep = 3e-3;
// The error of the integrator at a restart, relative to a difference of late, as a multiple of the tolerance.
constexpr double kProjected = 10;
// Intervals are not cut below this part of the step; they, and those of rates, not below these parts of the
// time.
constexpr double kNarrowest = 1e-9, kNarrowestTime = 256 * kEpsilon, kShortestRateStep = 16 * kEpsilon;
// Intervals after a search that has come to kMostEvaluations.
constexpr double kNarrowestAgain = 1e-3;
constexpr int kMostEvaluations = 600;  // of one search; the rest of the step is left to the next one

/// The position of a check point in its interval: at a third of it from one end or the other, about, because
/// an error that is odd about the middle would not show there. Spread evenly, whatever their
/// number.
double check_position(std::uint32_t number) {
  const double position = 0.25 + 0.15 * golden_fraction(number);
  return number % 2 ? position : 1 - position;
}

}  // namespace

CrossingSearch::CrossingSearch(CrossingFunctions& functions, Integrator& integrator, double tolerance)
    : functions_(functions),
      integrator_(integrator),
      projected_(kProjected * tolerance),
      before_(functions.count(), 0.0),
      now_(before_),
      variation_(before_),
      largest_(before_),
      magnitudes_(before_) {}

void CrossingSearch::restart(bool discontinuous) {
  known_ = false;
  discontinuous_ = discontinuous;
  for (std::size_t k = 0; k < largest_.size(); ++k)
    largest_[k] = std::max(largest_[k], functions_.rounding(k) / kDifferenceRounding);
  if (discontinuous) steady_ = false;
}

bool CrossingSearch::begin(double time) {
  if (known_ || !discontinuous_ || before_.empty()) return true;
  start_.resize(before_.size());
  return functions_.differences(time, integrator_.y(), integrator_.rates(), start_.data());
}

CrossingSearch::Node CrossingSearch::take_node() {
  if (spare_.empty()) return {};
  Node node = std::move(spare_.back());
  spare_.pop_back();
  return node;
}

bool CrossingSearch::find(double from, double to, std::span<const double> cuts) {
  found_ = left_zero_ = false;
  time_ = to;
  directions_.clear();
  if (before_.empty() || to <= from) return true;
  auto all = [&](double time, std::vector<double>& out) {
    integrator_.interpolate(time);
    return functions_.differences(time, integrator_.y(), integrator_.rates(), out.data());
  };
  if (!known_ && !all(from, before_)) return false;
  for (std::size_t k = 0; k < start_.size(); ++k)
    if (functions_.side(k) * before_[k] < 0 && functions_.side(k) * start_[k] >= 0) before_[k] = start_[k];
  start_.clear();
  // The event left it there for zero; the interpolation adds another rounding error.
  for (std::size_t k = 0; k < before_.size() && !known_; ++k) {
    const double rounding = 2 * kDifferenceRounding * std::max(largest_[k], functions_.nominal(k));
    if (functions_.side(k) * before_[k] < 0 && std::abs(before_[k]) <= rounding) before_[k] = 0;
  }
  for (auto cut = std::ranges::upper_bound(cuts, from);;) {
    double end = cut == cuts.end() ? to : std::min(*cut, to);
    if (!all(end, now_)) return false;
    const double domain_end = end_of_domain(from, end);
    const bool whole = domain_end == end;
    end = domain_end;
    time_ = end;
    if (!cuts.empty() || !whole) steady_ = false;  // the rates of the part before say nothing about this one
    if (collect_suspects(from, end) && !examine(from, end)) return false;
    if (!found_ && time_ == end) enter_domain(end);
    known_ = !found_ && time_ == end;
    steady_ = true;
    before_.swap(now_);
    if (!known_ || end == to) return true;
    if (whole && cut != cuts.end()) ++cut;
    from = end;
  }
}

/// The nearest time up to `to` at which a difference ceases to be a number, the last one at which it is, or
/// begins to, the first one; `to` if none does. `now_` becomes the values there.
double CrossingSearch::end_of_domain(double from, double to) {
  entered_.clear();
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const bool begins = std::isnan(before_[k]);
    if (begins == std::isnan(now_[k])) continue;
    double defined = begins ? to : from, undefined = begins ? from : to;
    trial_ = now_;
    while (true) {
      const double middle = defined + (undefined - defined) / 2;
      if (middle == defined || middle == undefined) break;
      integrator_.interpolate(middle);
      if (!functions_.differences(middle, integrator_.y(), integrator_.rates(), trial_.data())) break;
      (std::isnan(trial_[k]) ? undefined : defined) = middle;
    }
    if (!(defined > from)) continue;
    to = defined;
    integrator_.interpolate(to);
    if (!functions_.differences(to, integrator_.y(), integrator_.rates(), now_.data())) return to;
  }
  for (std::size_t k = 0; k < before_.size(); ++k)
    if (std::isnan(before_[k]) && !std::isnan(now_[k])) entered_.push_back(static_cast<std::uint32_t>(k));
  return to;
}

/// Differences that have begun to be numbers at `time`, on the other side than the one that is held, cross
/// there: what was held was that of an earlier time.
void CrossingSearch::enter_domain(double time) {
  for (const std::uint32_t k : entered_) {
    if (!(functions_.side(k) * now_[k] < -kDifferenceRounding * largest_[k])) continue;
    if (directions_.empty()) directions_.assign(before_.size(), 0);
    directions_[k] = functions_.side(k) > 0 ? -1 : 1;
    found_ = true;
    time_ = time;
  }
}

/// The part of an interval over which a difference gives the rate: rounding of the values and the curvature
/// disturb it alike.
double CrossingSearch::rate_part(const std::vector<double>& a, const std::vector<double>& b) const {
  double part = kRateStep;
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const double noise = kDifferenceRounding * largest_[suspects_[i]];
    part = std::max(part, std::sqrt(noise / std::max(std::abs(a[i] - b[i]), noise)));
  }
  return std::min(part, kLongestRateStep);
}

/// `begin` and `end`: magnitudes at the ends of an interval.
void CrossingSearch::record_magnitude(std::size_t k, double begin, double end) {
  const double now = std::isfinite(begin) && std::isfinite(end) ? std::max(begin, end) : begin;
  const bool smaller = now < largest_[k] / 2 || begin < magnitudes_[k] / 2;
  const double terms = smaller ? functions_.terms(k) : 0;
  largest_[k] = recent_magnitude(largest_[k], now, terms);
  magnitudes_[k] = recent_magnitude(magnitudes_[k], begin, terms);
}

/// Collects the differences that are not quiet between both ends. Whether there are any.
bool CrossingSearch::collect_suspects(double from, double to) {
  suspects_.clear();
  sides_.clear();
  const double step = to - from, memory = to > last_end_ ? kMemory : 1.0;
  last_end_ = to;
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const double a = before_[k], b = now_[k], side = functions_.side(k);
    const double change = std::abs(b - a) / step;
    const double variation = steady_ ? std::max(change, memory * variation_[k]) : change;
    record_magnitude(k, std::abs(a), std::abs(b));
    variation_[k] = variation;
    const double nearest = std::min(side * a, side * b);
    if (nearest > 0 && steady_ && nearest > kQuiet * variation * step) continue;
    if (std::abs(a) <= kDifferenceRounding * largest_[k] &&
        std::abs(b) <= kDifferenceRounding * largest_[k] && steady_)
      continue;  // stays at zero
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    suspects_.push_back(static_cast<std::uint32_t>(k));
    sides_.push_back(side);
  }
  return !suspects_.empty();
}

bool CrossingSearch::evaluate(double time, std::vector<double>& values) {
  ++evaluations_;
  values.resize(suspects_.size());
  integrator_.interpolate(time);
  return functions_.differences(time, integrator_.y(), integrator_.rates(), suspects_, values.data());
}

bool CrossingSearch::evaluate_rates(Node& node, double step) {
  const double time = node.time + step;
  if (!evaluate(time, node.rates)) return false;
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    node.rates[i] = (node.rates[i] - node.values[i]) / (time - node.time);
  return true;
}

/// The first crossing of a suspect. `stack` holds the right ends of the intervals that are still to be
/// examined, the nearest last.
bool CrossingSearch::examine(double from, double to) {
  // Where differences are not smooth up to the end of the step, what was left must not take many searches.
  const double part = evaluations_ >= kMostEvaluations ? kNarrowestAgain : kNarrowest;
  evaluations_ = 0;
  const double narrowest = part * (to - from) + kNarrowestTime * std::max(std::abs(from), std::abs(to));
  auto rate_step = [&](double width, const std::vector<double>& a, const std::vector<double>& b) {
    return std::max(rate_part(a, b) * width, kShortestRateStep * std::max(std::abs(from), std::abs(to)));
  };
  auto end = [&](double time, const std::vector<double>& all) {
    Node node = take_node();
    node.time = time;
    node.values.resize(suspects_.size());
    for (std::size_t i = 0; i < suspects_.size(); ++i) node.values[i] = all[suspects_[i]];
    return node;
  };
  Node left = end(from, before_);
  std::vector<Node> stack;
  stack.push_back(end(to, now_));
  const double first_step = rate_step(to - from, left.values, stack.back().values);
  bool done = evaluate_rates(left, first_step) && evaluate_rates(stack.back(), -first_step);
  for (std::size_t i = 0; done && i < suspects_.size(); ++i)
    for (const double rate : {left.rates[i], stack.back().rates[i]})
      variation_[suspects_[i]] = std::max(variation_[suspects_[i]], std::abs(rate));
  while (done && !stack.empty() && !found_) {
    Node& right = stack.back();
    const double width = right.time - left.time;
    const double check = check_position(check_++);
    const double time = left.time + check * width;
    if (!(done = evaluate(time, at_check_))) break;
    const bool first = left.time == from;
    bool crosses = false, leaves = false, unclear = false;
    for (std::size_t i = 0; i < suspects_.size(); ++i) switch (examine(i, left, right, check, first)) {
        case Verdict::Clear: break;
        case Verdict::Crosses: crosses = true; break;
        case Verdict::LeavesZero: leaves = true; break;
        case Verdict::Unclear: unclear = true; break;
      }
    if (unclear && !leaves && !first && evaluations_ >= kMostEvaluations) {
      time_ = left.time;
      break;
    }
    if (leaves) {
      leave_zero(left, right, check, first);
    } else if (unclear && width > narrowest && evaluations_ < kMostEvaluations) {
      Node middle = take_node();
      middle.time = time;
      middle.values = at_check_;
      if (!(done = evaluate_rates(middle, -rate_step(width, left.values, at_check_)))) break;
      // At zero but for rounding it may only have touched it.
      bool crossed_here = false;
      for (std::size_t i = 0; i < suspects_.size() && !crossed_here; ++i)
        crossed_here = crosses_between(i, left.values, middle.values) &&
                       std::abs(middle.values[i]) > kDifferenceRounding * largest_[suspects_[i]];
      if (crossed_here) {  // what is behind it does not matter
        for (Node& node : stack) give_back(std::move(node));
        stack.clear();
      }
      stack.push_back(std::move(middle));
    } else {
      if (unclear) leave_zero(left, right, check, first);
      bool any = crosses;
      for (std::size_t i = 0; i < suspects_.size() && unclear && !any; ++i)
        any = crosses_between(i, left.values, right.values);
      if (!found_ && any) done = locate(left, right);
      if (!found_) {
        give_back(std::exchange(left, std::move(right)));
        stack.pop_back();
      }
    }
  }
  give_back(std::move(left));
  for (Node& node : stack) give_back(std::move(node));
  return done;
}

/// What a suspect does between two nodes; `check`: the position of the check point, with values `at_check_`;
/// `first`: the search begins at the left node.
CrossingSearch::Verdict CrossingSearch::examine(std::size_t i, const Node& left, const Node& right,
                                                double check, bool first) const {
  const double side = sides_[i], width = right.time - left.time, largest = largest_[suspects_[i]];
  const double noise = kDifferenceRounding * largest;
  // Bernstein coefficients of the cubic polynomial on [0, 1], positive on the right side of zero.
  const double p0 = side * left.values[i], p3 = side * right.values[i], at_check = side * at_check_[i];
  const double d0 = side * left.rates[i] * width / 3, d3 = side * right.rates[i] * width / 3;
  const double p1 = p0 + d0, p2 = p3 - d3;
  if (std::isnan(p1 + p2 + at_check)) return Verdict::Clear;
  const double x = check, z = 1 - check;
  const double predicted = z * z * (z * p0 + 3 * x * p1) + x * x * (3 * z * p2 + x * p3);
  // The error is taken as quartic * x^2 (1 - x)^2, which is at most 1/16, with a slope of at most 0.19.
  const double quartic = kSafety * std::abs(at_check - predicted) / (x * x * z * z);
  if (std::max({std::abs(p0), std::abs(p3), std::abs(at_check)}) <= noise) return Verdict::Clear;  // at rest
  // A check that agrees by chance, where the difference has many periods in the interval, hardly agrees so
  // well; where the difference is far from zero it need not.
  const auto [low, high] = std::minmax({p0, p1, p2, p3});
  const double error = quartic / 16 + noise;
  if (low > error + kFar * (high - low)) return Verdict::Clear;
  if (error > kResolved * (high - low) + noise) return Verdict::Unclear;
  if (p0 <= (first ? kAtZero * largest : 0)) {
    const double q1 = p1 - p0, q2 = p2 - p0, q3 = p3 - p0;  // over p0, of the order of x
    if (p0 < -kAtZero * largest) {
      // Where an event restarts, constraints move variables by the error of the integrator: one that has just
      // crossed may have to cross again.
      const bool goes_on = first && p0 > -projected_ * largest && q1 > 0 && q2 > q1 && q3 > q2 && p3 > error;
      return goes_on ? Verdict::Clear : Verdict::LeavesZero;
    }
    if (q1 >= 0 && q2 >= 0 && q3 > 0 && (q1 > quartic / 3 || q2 > quartic / 3)) return Verdict::Clear;
    if (p0 <= 0) return q1 < -quartic / 3 && p0 + q1 < -noise ? Verdict::LeavesZero : Verdict::Unclear;
  }
  if (low > error) return Verdict::Clear;
  if (p3 <= 0 && 3 * std::max({p1 - p0, p2 - p1, p3 - p2}) < -0.2 * quartic) return Verdict::Crosses;
  return Verdict::Unclear;
}

/// Reports the differences that leave zero to the wrong side at the left node. In an interval that is not cut
/// any more the value at its end tells.
void CrossingSearch::leave_zero(const Node& left, const Node& right, double check, bool first) {
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const Verdict verdict = examine(i, left, right, check, first);
    const bool leaves = verdict == Verdict::LeavesZero ||
                        (verdict == Verdict::Unclear && sides_[i] * left.values[i] <= 0 &&
                         sides_[i] * right.values[i] < -kDifferenceRounding * largest_[suspects_[i]]);
    if (!leaves) continue;
    if (directions_.empty()) directions_.assign(before_.size(), 0);
    directions_[suspects_[i]] = sides_[i] > 0 ? -1 : 1;
    found_ = left_zero_ = true;
    time_ = left.time;
  }
}

/// The first crossing of the suspects that cross zero between two nodes: the zero of the smallest of them.
bool CrossingSearch::locate(const Node& left, const Node& right) {
  std::vector<std::uint32_t> crossing;
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    if (crosses_between(i, left.values, right.values)) crossing.push_back(static_cast<std::uint32_t>(i));
  auto smallest = [&](const std::vector<double>& values) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t i : crossing) least = std::min(least, sides_[i] * values[i]);
    return least;
  };
  // Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function,
  // 1997: a is the newer end of the bracket [a, b], c the point before it. The end that has crossed is kept.
  double a = right.time, b = left.time, fa = smallest(right.values), fb = smallest(left.values);
  double c = a, fc = fa;
  std::vector<double> last = right.values;
  double position = 0.5;
  for (double at = right.time;;) {
    const double tolerance = 2 * kEpsilon * std::max(std::abs(a), std::abs(b));
    const double width = std::abs(b - a);
    if (width <= tolerance) break;
    const double margin = std::min(0.5, tolerance / width);
    at = a + std::clamp(position, margin, 1 - margin) * (b - a);
    if (at == a || at == b) break;
    if (!evaluate(at, trial_)) return false;
    const double f = smallest(trial_);
    c = a, fc = fa;
    if ((f > 0) != (fa > 0)) c = std::exchange(b, a), fc = std::exchange(fb, fa);
    a = at, fa = f;
    if (f <= 0) last = trial_;
    position = 0.5;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      position = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    if (!(position > 0 && position < 1)) position = 0.5;
  }
  directions_.assign(before_.size(), 0);
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    if (crosses_between(i, left.values, last)) directions_[suspects_[i]] = sides_[i] > 0 ? -1 : 1;
  found_ = true;
  time_ = fa <= 0 ? a : b;
  return true;
}

}  // namespace runtime
