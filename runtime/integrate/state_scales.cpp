#include "runtime/integrate/state_scales.h"

#include <algorithm>

namespace runtime {
namespace {

// A state is far below its nominal value if it stays below this part of it, and hidden if, besides, the
// absolute tolerance leaves it less than this relative accuracy.
constexpr double kFar = 1e-3, kAccuracy = 1e-3;
// A state that stays below this part of its nominal value is zero, up to the rounding of other quantities.
constexpr double kZero = 1e-15;
constexpr std::size_t kWorst = 3;

}  // namespace

HiddenStates StateScales::hidden() const {
  HiddenStates found;
  for (std::size_t k = 0; k < largest_.size(); ++k) {
    const double largest = largest_[k], nominal = system_.nominal(k);
    if (!(largest > kZero * nominal) || !(largest < kFar * nominal) ||
        !(kAccuracy * largest < tolerance_ * nominal))
      continue;
    ++found.count;
    found.worst.push_back({system_.unknowns()[k], largest, nominal});
    std::ranges::sort(found.worst, {}, [](const HiddenStates::State& s) { return s.largest / s.nominal; });
    if (found.worst.size() > kWorst) found.worst.pop_back();
  }
  return found;
}

}  // namespace runtime
