// Arrays of numbers, and numbers that look random without a generator.
#pragma once
#include <cmath>
#include <span>

namespace runtime {

/// Zero times infinity or NaN is NaN: without branches, so that the loop is vectorised.
inline bool all_finite(std::span<const double> values) {
  double probe = 0;
  for (const double v : values) probe += v * 0.0;
  return probe == 0;
}

/// The fractional part of `k` golden ratios, `k` >= 0: for k = 0, 1, 2, … they fill [0, 1) evenly (Knuth, The
/// Art of Computer Programming 3, section 6.4, theorem S), and no two unknowns are moved alike.
inline double golden_fraction(double k) { return std::fmod(0.6180339887498949 * k, 1.0); }

}  // namespace runtime
