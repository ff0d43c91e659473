// When two times are the same up to rounding.
#pragma once
#include <cmath>
#include <limits>

namespace runtime {

/// Times that are computed in different ways, `start + k * period` and a sum of steps, for example, differ by
/// a few rounding errors. Eight of them cover these sums, and are far below every step of an integrator.
constexpr double kTimeRounding = 8 * std::numeric_limits<double>::epsilon();

/// Times near `time` that differ by less are the same, up to rounding.
inline double time_rounding(double time) { return kTimeRounding * std::abs(time); }

/// The latest time that is the same as `time`, up to rounding.
inline double just_after(double time) { return time + time_rounding(time); }

}  // namespace runtime
