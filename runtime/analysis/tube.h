// Whether one curve stays in a tube around another.
//
// At time t the tube reaches from the least to the greatest value that the reference has within t - time … t
// + time, widened by absolute + relative * (greatest magnitude of the reference in the whole run). With a
// time of 0, where the reference jumps (two rows of one time), the tube holds both values. Between its rows a
// reference is a straight line, or, when piecewise constant, the row before.
#pragma once
#include <optional>
#include <span>

namespace runtime {

struct Tube {
  double relative = 1e-4, absolute = 1e-8, time = 0;
};

struct Departure {
  double time = 0, value = 0;        // where the curve is outside for the first time
  double low = 0, high = 0;          // the tube there
  double worst_time = 0, worst = 0;  // where it is farthest outside, and by how much
};

/// `curve` is looked at where it has values and the reference is known. Times ascend.
std::optional<Departure> leaves_tube(std::span<const double> reference_times,
                                     std::span<const double> reference, std::span<const double> times,
                                     std::span<const double> curve, const Tube& tube,
                                     bool piecewise_constant);

}  // namespace runtime
