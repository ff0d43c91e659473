#include "runtime/analysis/tube.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace runtime {

namespace {

/// The maximum of a sliding window: a queue of the numbers that can still become the maximum, descending.
class WindowMaximum {
 public:
  void add(std::size_t at, double value) {
    while (!queue_.empty() && queue_.back().second <= value) queue_.pop_back();
    queue_.emplace_back(at, value);
  }
  void drop_before(std::size_t at) {
    while (!queue_.empty() && queue_.front().first < at) queue_.pop_front();
  }
  double greatest() const { return queue_.empty() ? -HUGE_VAL : queue_.front().second; }

 private:
  std::deque<std::pair<std::size_t, double>> queue_;
};

/// The least and greatest value of a curve in a window that moves forward.
class SlidingRange {
 public:
  SlidingRange(std::span<const double> times, std::span<const double> values, bool piecewise_constant)
      : times_(times), values_(values), piecewise_constant_(piecewise_constant) {}

  /// Moves the window to [from, to], neither earlier than before. The ends count by their interpolated
  /// values, or, if `enclosing`, by those of the rows around them.
  void move(double from, double to, bool enclosing) {
    for (; end_ < times_.size() && times_[end_] <= to; ++end_) {
      greatest_.add(end_, values_[end_]);
      least_.add(end_, -values_[end_]);
    }
    while (begin_ < end_ && times_[begin_] < from) ++begin_;
    greatest_.drop_before(begin_);
    least_.drop_before(begin_);
    left = enclosing ? values_[begin_ == 0 ? 0 : begin_ - 1] : between(begin_, from);
    const double right = enclosing ? values_[std::min(end_, times_.size() - 1)] : between(end_, to);
    high = std::max({greatest_.greatest(), left, right});
    low = std::min({-least_.greatest(), left, right});
  }
  double low = 0, high = 0, left = 0;  // `left`: at the begin of the window

 private:
  /// The curve between rows `after` - 1 and `after`, which enclose t.
  double between(std::size_t after, double t) const {
    if (after == 0) return values_[0];
    if (after == times_.size() || piecewise_constant_) return values_[after - 1];
    const double part = (t - times_[after - 1]) / (times_[after] - times_[after - 1]);
    return values_[after - 1] + part * (values_[after] - values_[after - 1]);
  }

  std::span<const double> times_, values_;
  bool piecewise_constant_;
  WindowMaximum greatest_, least_;   // `least_`: of the negated values
  std::size_t begin_ = 0, end_ = 0;  // rows inside the window
};

}  // namespace

std::optional<Departure> leaves_tube(std::span<const double> reference_times,
                                     std::span<const double> reference, std::span<const double> times,
                                     std::span<const double> curve, const Tube& tube,
                                     bool piecewise_constant) {
  if (reference_times.empty()) return std::nullopt;
  double magnitude = 0;
  for (double value : reference)
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
  const double width = tube.absolute + tube.relative * magnitude;
  const double event_reach =
      std::max(tube.time, tube.relative * (reference_times.back() - reference_times.front()));

  const bool grid_alone = std::ranges::adjacent_find(reference_times) == reference_times.end();

  std::optional<Departure> found;
  SlidingRange at_rows(reference_times, reference, piecewise_constant), at_events = at_rows;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = times[k];
    const bool event = (k > 0 && times[k - 1] == t) || (k + 1 < times.size() && times[k + 1] == t);
    const double reach = event ? event_reach : tube.time;
    if (t + reach < reference_times.front() || t - reach > reference_times.back()) continue;
    SlidingRange& range = event ? at_events : at_rows;
    range.move(t - reach, t + reach, event && grid_alone);
    const double low = range.low - width, high = range.high + width, value = curve[k];
    if ((value >= low && value <= high) || (std::isnan(value) && std::isnan(range.left))) continue;
    const double outside = std::isfinite(value) ? std::max(low - value, value - high) : HUGE_VAL;
    if (!found) found = Departure{t, value, low, high, t, outside};
    if (outside > found->worst) found->worst = outside, found->worst_time = t;
  }
  return found;
}

}  // namespace runtime
