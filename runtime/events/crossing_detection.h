// What the search for zero crossings watches: differences of comparisons and the side of zero on which each
// is held; and the crossings of comparisons of time, which are known beforehand.
//
// The side of a difference is what the value of its comparison says, not the sign of the difference at some
// instant: a difference that is zero after an event has a side too, and when it leaves zero to the other one
// that is an event.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/zero_crossing_functions.h"

namespace runtime {

class CrossingDetection {
 public:
  explicit CrossingDetection(ZeroCrossingFunctions& functions) : functions_(functions) {}

  /// The number of watched functions.
  std::size_t watched() const { return functions_.watched().size(); }
  /// Writes the watched differences, `watched()` of them.
  void differences(const Point& point, double* out);
  /// Writes those with these watched numbers.
  void differences(const Point& point, std::span<const std::uint32_t> which, double* out);
  /// The side on which a watched difference is held: 1 above zero, -1 below.
  double side(std::size_t watched, std::span<const double> parameters) const {
    return functions_.value_of(functions_.watched()[watched], parameters) != 0 ? -1 : 1;
  }

  /// The first time after `time` at which a function that is linear in time crosses zero; infinity if none
  /// does.
  double next_time_event(const Point& point, double time);

 private:
  ZeroCrossingFunctions& functions_;
  std::vector<double> at_zero_;  // by number: differences at time 0
};

}  // namespace runtime
