#include "runtime/events/crossing_detection.h"

#include <limits>

namespace runtime {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

void CrossingDetection::differences(const Point& point, double* out) {
  functions_.evaluate(point);
  for (const std::uint32_t k : functions_.watched()) *out++ = functions_.differences()[k];
}

void CrossingDetection::differences(const Point& point, std::span<const std::uint32_t> which, double* out) {
  constexpr std::size_t kFew = 8;  // a row evaluated by itself costs about as much as this many of a batch
  if (which.size() * kFew > watched()) {
    functions_.evaluate(point);
    for (const std::uint32_t w : which) *out++ = functions_.differences()[functions_.watched()[w]];
  } else {
    for (const std::uint32_t w : which) *out++ = functions_.evaluate_one(point, functions_.watched()[w]);
  }
}

double CrossingDetection::next_time_event(const Point& point, double time) {
  if (!functions_.any_linear_in_time()) return kNever;
  // The values at two times determine a linear function.
  Point at = point;
  at.time = 0;
  functions_.evaluate(at);
  at_zero_ = functions_.differences();
  at.time = 1;
  functions_.evaluate(at);
  const std::vector<double>& at_one = functions_.differences();
  double next = kNever;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    if (!functions_.crossing(k).linear_in_time || at_one[k] == at_zero_[k]) continue;
    const double root = at_zero_[k] / (at_zero_[k] - at_one[k]);
    if (root > time && root < next) next = root;
  }
  return next;
}

}  // namespace runtime
