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

}  // namespace

std::optional<Departure> leaves_tube(std::span<const double> reference_times,
                                     std::span<const double> reference, std::span<const double> times,
                                     std::span<const double> curve, const Tube& tube,
                                     bool piecewise_constant) {
  const std::size_t count = reference_times.size();
  if (count == 0) return std::nullopt;
  double magnitude = 0;
  for (double value : reference)
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
  const double width = tube.absolute + tube.relative * magnitude;
  // The reference between rows `after` - 1 and `after`, which enclose t.
  auto between = [&](std::size_t after, double t) {
    if (after == 0) return reference[0];
    if (after == count || piecewise_constant) return reference[after - 1];
    const double part =
        (t - reference_times[after - 1]) / (reference_times[after] - reference_times[after - 1]);
    return reference[after - 1] + part * (reference[after] - reference[after - 1]);
  };

  std::optional<Departure> found;
  WindowMaximum greatest, least;   // `least`: of the negated reference
  std::size_t begin = 0, end = 0;  // rows of the reference inside the window
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = times[k], from = t - tube.time, to = t + tube.time;
    if (to < reference_times.front() || from > reference_times.back()) continue;
    for (; end < count && reference_times[end] <= to; ++end) {
      greatest.add(end, reference[end]);
      least.add(end, -reference[end]);
    }
    while (begin < end && reference_times[begin] < from) ++begin;
    greatest.drop_before(begin);
    least.drop_before(begin);
    const double left = between(begin, from), right = between(end, to);
    const double high = std::max({greatest.greatest(), left, right}) + width;
    const double low = std::min({-least.greatest(), left, right}) - width;
    const double value = curve[k];
    if ((value >= low && value <= high) || (std::isnan(value) && std::isnan(left))) continue;
    const double outside = std::isfinite(value) ? std::max(low - value, value - high) : HUGE_VAL;
    if (!found) found = Departure{t, value, low, high, t, outside};
    if (outside > found->worst) found->worst = outside, found->worst_time = t;
  }
  return found;
}

}  // namespace runtime
