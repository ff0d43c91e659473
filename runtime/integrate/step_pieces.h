// How a step is cut into pieces to look for what is hidden in it.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

/// Where a piece is cut, as a part of its length. A little before the middle: a pulse about the middle of a
/// step has no slope there.
constexpr double kCut = 0.48;

/// The length at which a piece of the step from `begin` to `end` is not cut any more, in seconds.
inline double shortest_piece(double begin, double end) {
  return 64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(begin), std::abs(end)) +
         1e-12 * (end - begin);
}

}  // namespace runtime
