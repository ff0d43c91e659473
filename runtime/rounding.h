// When two times are the same up to rounding.
//
// Other distances of times are errors of what found them, and are defined there: how far an event lies behind
// its crossing (kBehind, integrate/time_loop_rows.cpp), reversals with nothing integrated between them
// (kSameReversal, events/event_iteration_verification.cpp), the roots of functions of time (kSameInstant,
// events/time_functions.cpp), events of a sequence without end (kShortest, events/event_iteration.cpp).
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
