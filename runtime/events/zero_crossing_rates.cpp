// ZeroCrossings at zero: by their rates before and after the instant.
#include <algorithm>
#include <cmath>

#include "runtime/events/assignments.h"
#include "runtime/events/zero_crossings.h"

namespace runtime {

namespace {
// The growth of a rate in a moment, as a multiple of the rate, that shows that the rate is rounding error.
constexpr double kOvertakes = 8;
}  // namespace

bool ZeroCrossings::undecided(bool after_assignment) {
  undecided_.clear();
  auto is_undecided = [&](std::uint32_t k) {
    switch (decided_by_[k]) {
      case DecidedBy::Difference:
      case DecidedBy::EarlierCrossing:
      case DecidedBy::Discrete:
      case DecidedBy::LookAhead: return std::abs(differences()[k]) <= noise(k);
      case DecidedBy::Rate: return after_assignment && at_zero(k);
      case DecidedBy::Assignment: return differences()[k] == 0;
      case DecidedBy::Crossing:
      case DecidedBy::RateAfter: break;
    }
    return false;
  };
  const std::span<const std::uint32_t> watched = functions_.watched();
  for (std::uint32_t w = 0; w < watched.size(); ++w)
    if (is_undecided(watched[w])) undecided_.push_back(w);
  reference_ = differences();
  return !undecided_.empty();
}

/// Of a difference that crossed before variables were assigned, this is its change, as its value is the error
/// of the instant. One that was at zero, up to rounding, may be a state that comes to rest there.
double ZeroCrossings::rate_after(std::uint32_t k) const {
  const bool crossed = !std::isnan(crossing_value_[k]);
  return decided_by_[k] == DecidedBy::Rate && crossed ? differences()[k] - reference_[k] : differences()[k];
}

/// Whether a difference crossed with a rate before the event that is more than rounding error. If that after
/// the event is not, both sides remain equal, and the comparison keeps its new value.
bool ZeroCrossings::crossed_with_rate(std::uint32_t k) const {
  return std::isfinite(crossing_value_[k]) && std::abs(rate_before_event_[k]) > noise(k);
}

bool ZeroCrossings::measure_rates_after(const Point& later, double part) {
  functions_.evaluate(later);
  small_rates_.clear();
  for (const std::uint32_t w : undecided_) {
    const std::uint32_t k = functions_.watched()[w];
    const double change = rate_after(k);
    rate_after_[k] = change / part;
    if (std::abs(change) <= noise(k)) small_rates_.push_back(k);
  }
  return !small_rates_.empty();
}

bool ZeroCrossings::measure_small_rates_after(const Point& later) {
  functions_.evaluate(later);
  std::erase_if(small_rates_, [&](std::uint32_t k) {
    rate_after_[k] = rate_after(k);
    return std::abs(rate_after_[k]) > noise(k);
  });
  return !small_rates_.empty();
}

void ZeroCrossings::measure_small_rates_after_two(const Point& later) {
  functions_.evaluate(later);
  for (const std::uint32_t k : small_rates_) {
    const double first = rate_after_[k], both = rate_after(k);
    // Rounding would decide unless the second moment does: a rate that is one is overtaken by its growth.
    const bool decides = first != 0 || decided_by_[k] == DecidedBy::Rate;
    const bool overtaken = decides && std::abs(both - 2 * first) > kOvertakes * std::abs(first);
    if (overtaken || std::abs(both) > noise(k)) rate_after_[k] = both;
    if (decided_by_[k] == DecidedBy::Rate && std::abs(both) <= noise(k) && crossed_with_rate(k))
      rate_after_[k] = 0;
  }
}

bool ZeroCrossings::look_ahead(std::span<double> parameters, bool first_only) {
  bool any = false;
  for (const std::uint32_t w : undecided_) {
    const std::uint32_t k = functions_.watched()[w];
    const bool by_rate = decided_by_[k] == DecidedBy::Rate, again = decided_by_[k] == DecidedBy::LookAhead;
    const double rate_after = std::isnan(rate_after_[k]) ? 0 : rate_after_[k];  // NaN: it is not known
    if (any && first_only) continue;
    if (by_rate && (rate_after != 0 || !crossed_with_rate(k)))
      require_confirmation(w, Unconfirmed::ByRate);
    else if (!by_rate)
      at_crossing_[k] = 0;
    decided_by_[k] = by_rate ? DecidedBy::RateAfter : DecidedBy::LookAhead;
    if (rate_after == 0) any = hold_equal(k, parameters) || any;
    // Others that are at zero may have changed the rates; what is rounding decides once only.
    if (rate_after == 0 || (again && std::abs(rate_after) <= noise(k))) continue;
    kept_[k] = 0;
    const double value = beyond_zero(k, rate_after < 0, parameters);
    // Of a piece, the difference before the event is that of another piece. An assignment reverses a rate
    // without making it larger; what is overtaken by the rate after it was at rest.
    const double rate_before = rate_before_event_[k];
    unresolvable_ = unresolvable_ || (functions_.is_comparison(k) && by_rate && crossing_value_[k] == value &&
                                      rate_after * rate_before < 0 &&
                                      std::abs(rate_after) <= kOvertakes * std::abs(rate_before));
    changed_[k] = hold(k, value, parameters);
    any = any || changed_[k];
  }
  return any;
}

void ZeroCrossings::record_rates(const Point& later) {
  reference_ = differences();
  functions_.evaluate(later);
  for (const std::uint32_t k : functions_.watched()) rate_before_event_[k] = differences()[k] - reference_[k];
}

void ZeroCrossings::assigned(const Point& point, std::span<const std::uint8_t> assigned, bool rates_change) {
  functions_.evaluate_all(point);
  unresolved_moments_ = 0;
  // All variables of a model may be zero: then it has none.
  const std::uint8_t most_of_all = assigned.empty() ? std::uint8_t{0} : std::ranges::max(assigned);
  for (const std::uint32_t k : functions_.watched()) {
    if (decided_by_[k] == DecidedBy::Difference || decided_by_[k] == DecidedBy::EarlierCrossing) continue;
    const double change = std::abs(functions_.arguments()[k] - at_update_[k]);
    std::uint8_t most = 0;  // of what it reads
    for (std::uint32_t slot = 0; slot < functions_.batch(k).slots; ++slot)
      most = std::max(most, assigned[functions_.variable(k, slot)]);
    // By equations, but for the error with which they are solved again.
    if (most == 0 && !(change <= kAtZero * largest_[k])) most = most_of_all;
    if (most > 0)
      decided_by_[k] = most == Assignments::kState ? DecidedBy::Assignment : DecidedBy::Discrete;
    else if (rates_change)
      decided_by_[k] = DecidedBy::Rate;
  }
}

}  // namespace runtime
