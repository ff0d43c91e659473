#include "runtime/events/crossing_detection.h"

#include <algorithm>
#include <limits>

namespace runtime {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

CrossingDetection::CrossingDetection(ZeroCrossingFunctions& functions)
    : functions_(functions), signs_(functions.watched().size(), 0.0) {}

void CrossingDetection::differences(const Point& point, double* out) {
  functions_.evaluate(point);
  for (const std::uint32_t k : functions_.watched()) *out++ = functions_.differences()[k];
}

double CrossingDetection::nearest(const Point& point) {
  const std::span<const std::uint32_t> watched = functions_.watched();
  double nearest = kNever;
  if (point.time > restart_time_ && point.time < bracket_end_) {
    for (const std::uint32_t w : bracketed_)
      nearest = std::min(nearest, signs_[w] * functions_.evaluate_one(point, watched[w]));
    return nearest;
  }
  functions_.evaluate(point);
  const std::vector<double>& differences = functions_.differences();
  const bool at_restart = point.time <= restart_time_;
  for (std::size_t w = 0; w < watched.size(); ++w) {
    const double difference = differences[watched[w]];
    double& sign = signs_[w];
    if (at_restart || sign == 0) sign = difference > 0 ? 1.0 : difference < 0 ? -1.0 : 0.0;
    if (sign != 0) nearest = std::min(nearest, sign * difference);
  }
  if (nearest <= 0) {
    bracket_end_ = point.time;
    bracketed_.clear();
    for (std::uint32_t w = 0; w < watched.size(); ++w)
      if (signs_[w] * differences[watched[w]] <= 0 && signs_[w] != 0) bracketed_.push_back(w);
  }
  return std::isfinite(nearest) ? nearest : 1.0;
}

void CrossingDetection::crossings(const Point& point, std::vector<int>& directions) {
  functions_.evaluate(point);
  const std::span<const std::uint32_t> watched = functions_.watched();
  directions.assign(watched.size(), 0);
  std::size_t first = 0;
  double least = kNever;
  auto cross = [&](std::size_t w) { directions[w] = signs_[w] > 0 ? -1 : 1; };
  for (std::size_t w = 0; w < watched.size(); ++w) {
    if (signs_[w] == 0) continue;
    const double distance = signs_[w] * functions_.differences()[watched[w]];
    if (distance <= 0) cross(w);
    if (distance < least) {
      least = distance;
      first = w;
    }
  }
  // The integrator found the root at a point that differs from this one by rounding.
  if (least > 0 && std::isfinite(least)) cross(first);
  restart(point.time);
}

}  // namespace runtime
