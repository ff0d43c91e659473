// Isolation of the first instant at which a function of time leaves an interval of values, by enclosures: a
// guarantee, not a search. Parts of the future are looked at from the left. A part is skipped where the
// enclosure of the value excludes the boundaries; where that of the derivative excludes zero, there is at
// most one root, which interval Newton iteration finds; other parts are halved. (Moore, Kearfott, Cloud,
// Introduction to Interval Analysis, chapter 8; Hansen, Walster, Global Optimization Using Interval Analysis,
// chapter 9.)
#pragma once
#include <functional>

#include "runtime/interval.h"

namespace runtime {

using EncloseOverTime = std::function<Enclosure(Interval)>;

struct IsolationOptions {
  double window = 1;  // seconds that are looked at first: the expected distance
  double resolution =
      0;  // the length of a part that is not divided any more; at least some units of rounding
  int evaluations = 20'000;
};

/// The first time after `from` at which f leaves `allowed`, to rounding; infinity if it never does. Where
/// rounding hides whether f only touches a boundary, the time of the touch; after too many evaluations a time
/// before which f certainly stays inside. So at the result f may still be inside, and before it f is,
/// whatever happens.
double first_exit(const EncloseOverTime& f, Interval allowed, double from, const IsolationOptions& options);

}  // namespace runtime
