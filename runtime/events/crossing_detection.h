// Locates zero crossings that depend on the solution, for the integrator's root finding. (Those of time
// alone: time_events.h.)
//
// The integrator monitors a single function, the smallest watched difference, each with the sign that makes
// it positive at the last restart. It crosses zero where the first of them does, and the cost of root finding
// does not depend on their number. A difference that is zero at the restart is ignored until it has left
// zero.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/events/zero_crossing_functions.h"

namespace runtime {

class CrossingDetection {
 public:
  explicit CrossingDetection(ZeroCrossingFunctions& functions);

  /// The number of watched functions.
  std::size_t watched() const { return functions_.watched().size(); }
  /// Writes the watched differences, `watched()` of them.
  void differences(const Point& point, double* out);
  /// The smallest signed watched difference: not positive when one has crossed zero. Before a point at which
  /// one had, only those are evaluated that had crossed there: the search for the root is within that
  /// bracket.
  double nearest(const Point& point);
  /// The signs are taken anew at the next evaluation, which is at this time.
  void restart(double time) {
    restart_time_ = time;
    bracket_end_ = -HUGE_VAL;
  }
  /// Writes the directions of the crossings at a point at which `nearest` is not positive: 1 upwards, -1
  /// downwards, 0 none, one entry for each watched function. Restarts there.
  void crossings(const Point& point, std::vector<int>& directions);

 private:
  ZeroCrossingFunctions& functions_;
  std::vector<double> signs_;  // by watched number: 1, -1, or 0 while the difference is zero
  double restart_time_ = 0;
  std::vector<std::uint32_t> bracketed_;  // watched numbers: crossed at or before `bracket_end_`
  double bracket_end_ = -HUGE_VAL;
};

}  // namespace runtime
