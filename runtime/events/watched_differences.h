// What the search for zero crossings watches: differences of comparisons, distances from the boundaries of
// pieces, and the side of zero on which each is held. (Those of time alone: time_events.h.)
//
// The side of a difference is what the value of its comparison says, not the sign of the difference at some
// instant: a difference that is zero after an event has a side too, and when it leaves zero to the other one
// that is an event.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/zero_crossing_functions.h"

namespace runtime {

/// The watched differences of a model, numbered among themselves; ZeroCrossingFunctions evaluates all of
/// them.
class WatchedDifferences {
 public:
  /// `nominal`: ZeroCrossings::nominal.
  WatchedDifferences(ZeroCrossingFunctions& functions, std::span<const double> nominal)
      : functions_(functions), nominal_(nominal) {}

  /// The number of watched functions.
  std::size_t watched() const { return functions_.watched().size(); }
  /// Writes the watched differences, `watched()` of them.
  void differences(const Point& point, double* out);
  /// Writes those with these watched numbers.
  void differences(const Point& point, std::span<const std::uint32_t> which, double* out);
  /// The side on which a watched difference is held: 1 above zero, -1 below.
  double side(std::size_t watched, std::span<const double> parameters) const {
    const std::uint32_t k = functions_.watched()[watched];
    return functions_.is_comparison(k) && functions_.held(k, parameters) != 0 ? -1 : 1;
  }
  /// Below this a watched difference is rounding error; 0 unless measured.
  double rounding(std::size_t watched) const { return functions_.rounding(functions_.watched()[watched]); }
  /// The estimated magnitude of the terms of a watched difference.
  double terms(std::size_t watched, std::span<const double> values) const {
    return std::max({functions_.largest_argument(functions_.watched()[watched], values), nominal(watched),
                     rounding(watched) / kDifferenceRounding});
  }
  /// The nominal magnitude of a watched difference; 0 if it has none.
  double nominal(std::size_t watched) const { return nominal_[functions_.watched()[watched]]; }

 private:
  ZeroCrossingFunctions& functions_;
  std::span<const double> nominal_;
};

}  // namespace runtime
