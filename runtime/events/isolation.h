// Isolation of the first instant at which a function of time leaves an interval of values, by enclosures: a
// guarantee, not a search. Parts of the future are looked at from the left. A part is skipped where the
// enclosure of the value excludes the boundaries; where that of the derivative excludes zero, there is at
// most one root, which interval Newton iteration finds; other parts are halved. (Moore, Kearfott, Cloud,
// Introduction to Interval Analysis, chapter 8; Hansen, Walster, Global Optimization Using Interval Analysis,
// chapter 9.)
//
// Rounding limits what can be told. Where f stays inside but for rounding over a whole part, as where it
// touches a boundary and returns (1 - (t - a)^2 at 1), there is no exit: at a single instant nothing is left.
#pragma once
#include <functional>

#include "runtime/interval.h"

namespace runtime {

using EncloseOverTime = std::function<Enclosure(Interval)>;

struct IsolationOptions {
  double window = 1;  // seconds that are looked at first: the expected distance
  double resolution =
      0;  // the length of a part that is not divided any more; at least some units of rounding
  double unknown_resolution = 0;  // the same where f has no value, as beyond the end of a square root
  double rounding = 4;  // f is at a boundary within this multiple of the width of its enclosure at one time
  int evaluations = 20'000;
};

/// The first time after `from` at which f leaves `allowed`, to rounding; infinity if it never does. The end
/// of a part of length `resolution` in which f may leave, as at a jump; after too many evaluations a time
/// before which f stays inside. So at the result f may still be inside, and before it f is, but for rounding.
double first_exit(const EncloseOverTime& f, Interval allowed, double from, const IsolationOptions& options);

/// Whether f varies over the part by no more than rounding.
bool is_constant_but_for_rounding(const EncloseOverTime& f, Interval part);

}  // namespace runtime
