// Whether one curve stays in a tube around another.
//
// At time t the tube extends from the least to the greatest value of the reference within [t - time, t +
// time], widened by absolute + relative * (greatest magnitude of the reference overall). With a time of 0,
// where the reference jumps (two rows of one time), the tube contains both values. Between rows the reference
// is interpolated linearly, or, when piecewise constant, has the value of the row before.
//
// The time of an event has an error, too: a row of the curve at an event (two rows of one time) is compared
// with the reference within relative * (time range) around it. If the reference has no rows at events, its
// rows on both sides of this window count, too.
#pragma once
#include <optional>
#include <span>

namespace runtime {

struct Tube {
  double relative = 1e-4, absolute = 1e-8, time = 0;
};

struct Departure {
  double time = 0, value = 0;        // first point outside
  double low = 0, high = 0;          // the tube there
  double worst_time = 0, worst = 0;  // point farthest outside, and its distance
};

/// Compares `curve` within the time range of the reference. Times are ascending.
std::optional<Departure> leaves_tube(std::span<const double> reference_times,
                                     std::span<const double> reference, std::span<const double> times,
                                     std::span<const double> curve, const Tube& tube,
                                     bool piecewise_constant);

}  // namespace runtime
