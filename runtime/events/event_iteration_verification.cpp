// EventIteration between instants: the verification of what was decided at zero, and the rounding errors of
// differences.
#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/events/event_iteration.h"

namespace runtime {

namespace {
// Reversals whose times differ by less than this part of them are repeated at one instant: nothing is
// integrated between them. After so many one comparison is reversed at a time.
constexpr double kSameReversal = 1e-12;
constexpr std::uint32_t kSimultaneousReversals = 4;
// The measurement of rounding errors: parts by which states are displaced, to see the effect, and to have
// loops solved from other values; this many moments between their times. What changes at most `kNotGrown`
// times as much by the largest displacement as by the smallest ones depends on no state.
constexpr double kRoundingPart = 1e-15, kSmallParts[] = {1e-14, -1e-14, 1e-13, -1e-13};
constexpr double kOtherPart = 1e-6, kFarPart = 1e-3, kOtherMoment = 1e3, kNotGrown = 16;
}  // namespace

void EventIteration::record_consistent_values(double time) {
  if (!zero_crossings_.any_unconfirmed()) return;
  last_consistent_values_ = instance_.values;
  last_consistent_time_ = time;
}

EventIteration::Verification EventIteration::verify(double time) {
  const Point now = instance_.point(time);
  if (!instance_.evaluator.run(instance_.model.compared, now)) {
    instance_.failure() = {};  // the next step will report it; until then they stay unconfirmed
    return Verification::Confirmed;
  }
  const Point before{last_consistent_time_, last_consistent_values_.data(), instance_.parameters.data()};
  const Verification result = zero_crossings_.verify(before, now, instance_.parameters);
  if (result == Verification::Confirmed)
    record_consistent_values(time);
  else
    std::ranges::copy(last_consistent_values_, instance_.values.begin());
  if (result == Verification::TurnedBack) count_reversal(last_consistent_time_);
  return result;
}

/// Comparisons that are reversed together again and again at one time may do so because each waits for the
/// other, as two diodes in series that are at zero: one of them is reversed then.
void EventIteration::count_reversal(double time) {
  if (std::abs(time - last_reversal_) > kSameReversal * std::abs(time)) reversals_ = 0;
  last_reversal_ = time;
  if (++reversals_ > kSimultaneousReversals) zero_crossings_.keep_one_reversal(reversals_);
}

bool EventIteration::turn_back(double time, std::span<const int> directions) {
  if (zero_crossings_.any_unconfirmed()) std::ranges::copy(last_consistent_values_, instance_.values.begin());
  if (!zero_crossings_.reverse(directions)) return false;
  count_reversal(time);
  return evaluate_inputs(instance_.point(time));
}

void EventIteration::measure_rounding(double time) {
  Evaluator& evaluator = instance_.evaluator;
  ZeroCrossingFunctions& functions = zero_crossings_.functions();
  here_ = instance_.values;
  const std::vector<State>& states = instance_.model.states;
  // Signs without a pattern that a difference of two variables could hide.
  auto displace = [&](std::size_t k, std::uint32_t variable, double from, double part) {
    const double size = part * std::max(std::abs(from), instance_.nominal[variable]);
    instance_.values[variable] = from + (std::popcount(k * 0x9E3779B97F4A7C15u) % 2 ? size : -size);
  };
  const std::vector<std::uint32_t>& tearing = instance_.model.tearing_variables;
  auto evaluate = [&](double at, double part) {
    for (std::size_t k = 0; k < states.size(); ++k)
      if (const std::uint32_t v = states[k].variable; !instance_.model.is_discrete(v))
        displace(k, v, here_[v], part);
    // A loop that begins at its solution, such as that of a current that is zero, has no rounding error.
    for (std::size_t k = 0; part != 0 && k < tearing.size(); ++k)
      displace(k, tearing[k], instance_.values[tearing[k]], kFarPart);
    const Point point = instance_.point(at);
    history_.evaluate(at, instance_.values);
    const bool known =
        evaluator.run(instance_.model.dynamic, point) && evaluator.run(instance_.model.compared, point);
    if (known) functions.evaluate(point);
    return known;
  };
  std::vector<double> reference;
  auto changes = [&](double at, double part, std::vector<double>& largest) {
    if (!evaluate(at, part)) return false;
    for (std::size_t k = 0; k < largest.size(); ++k)
      if (const double change = std::abs(functions.differences()[k] - reference[k]); change > largest[k])
        largest[k] = change;
    return true;
  };
  if (evaluate(time, 0)) {
    reference = functions.differences();
    std::vector<double> errors(reference.size(), 0.0), near = errors, far = errors;
    const double other = time + kOtherMoment * moment_;
    // Loops are solved again from the solution at another point.
    for (const double part : {kRoundingPart, -kRoundingPart})
      if (changes(other, part > 0 ? kOtherPart : -kOtherPart, far)) changes(time, part, errors);
    bool all = true;
    for (const double part : kSmallParts)
      all = all && changes(other, part > 0 ? kFarPart : -kFarPart, far) && changes(time, part, near);
    for (std::size_t k = 0; all && k < errors.size(); ++k)
      if (far[k] <= kNotGrown * near[k]) errors[k] = std::max({errors[k], near[k], far[k]});
    zero_crossings_.record_rounding(errors);
  }
  evaluator.failure() = {};
  std::ranges::copy(here_, instance_.values.begin());
}

}  // namespace runtime
