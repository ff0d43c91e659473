#include "runtime/integrate/state_scales.h"

#include <algorithm>

namespace runtime {
namespace {

// A state is far below its nominal value if it stays below this part of it, and hidden if, besides, the
// absolute tolerance leaves it less than this relative accuracy.
constexpr double kFar = 1e-3, kAccuracy = 1e-3;
// A state that stays below this part of its nominal value is zero, up to the rounding of other quantities.
constexpr double kZero = 1e-15;

}  // namespace

bool is_far_below(const StateScale& state) { return state.largest < kFar * state.nominal; }

bool is_hidden(const StateScale& state, double tolerance) {
  return is_far_below(state) && state.largest > kZero * state.nominal &&
         kAccuracy * state.largest < tolerance * state.nominal;
}

std::vector<StateScale> StateScales::scales() const {
  std::vector<StateScale> all;
  for (std::size_t k = 0; k < largest_.size(); ++k)
    all.push_back({system_.unknowns()[k], largest_[k], system_.nominal(k)});
  if (std::ranges::none_of(all, [&](const StateScale& s) { return is_hidden(s, tolerance_); })) all.clear();
  return all;
}

}  // namespace runtime
