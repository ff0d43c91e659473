// ZeroCrossings after an instant: what it decided at zero, verified one step later.
#include <algorithm>
#include <cmath>

#include "runtime/events/zero_crossings.h"

namespace runtime {

void ZeroCrossings::require_confirmation(std::uint32_t watched, Unconfirmed why) {
  if (why_unconfirmed_[watched] == Unconfirmed::No) unconfirmed_.push_back(watched);
  why_unconfirmed_[watched] = why;
}

void ZeroCrossings::end_instant(std::span<const double> parameters, std::span<const double> values) {
  std::ranges::fill(rate_before_event_, 0.0);
  unresolvable_ = false;
  const std::span<const std::uint32_t> watched = functions_.watched();
  std::erase_if(unconfirmed_, [&](std::uint32_t w) {
    const std::uint32_t k = watched[w];
    const bool confirmed = why_unconfirmed_[w] == Unconfirmed::ByRate && agrees(k, reference_[k], parameters);
    if (confirmed) why_unconfirmed_[w] = Unconfirmed::No;
    return confirmed;
  });
  for (std::uint32_t w = 0; w < watched.size(); ++w)
    if (decided_by_[watched[w]] == DecidedBy::Crossing) require_confirmation(w, Unconfirmed::Crossed);
  for (const std::uint32_t k : watched)
    if (const double now = std::abs(differences()[k]); functions_.is_comparison(k) && now < largest_[k] / 2)
      largest_[k] =
          recent_magnitude(largest_[k], now, std::max(functions_.largest_argument(k, values), nominal_[k]));
  std::ranges::fill(decided_by_, DecidedBy::Difference);
  std::ranges::fill(crossing_value_, kNotCrossed);
  std::ranges::fill(kept_, std::uint8_t(0));
  was_at_zero_ = is_at_zero_;
  any_at_zero_ = std::ranges::find(was_at_zero_, std::uint8_t(1)) != was_at_zero_.end();
}

ZeroCrossings::Verification ZeroCrossings::verify(const Point& before, const Point& now,
                                                  std::span<const double> parameters) {
  functions_.evaluate(now);
  std::ranges::fill(changed_, std::uint8_t(0));
  std::ranges::fill(reversals_, 0);
  Verification result = Verification::Confirmed;
  std::erase_if(unconfirmed_, [&](std::uint32_t w) {
    const std::uint32_t k = functions_.watched()[w];
    // What is no number keeps what is held.
    const bool holds = std::isnan(differences()[k]) || agrees(k, differences()[k], parameters);
    if (!holds && at_zero(k)) return false;
    // One that has gone through its piece since, to the one behind it, has not returned.
    const bool goes_on = !holds && !functions_.is_comparison(k) &&
                         why_unconfirmed_[w] == Unconfirmed::Crossed &&
                         beyond_zero(k, true, parameters) != left_[k];
    if (!holds && !goes_on) {
      changed_[k] = true;
      if (why_unconfirmed_[w] == Unconfirmed::ByRate) {
        result = Verification::Missed;
      } else {
        reversals_[w] = functions_.is_comparison(k) && functions_.held(k, parameters) != 0 ? 1 : -1;
        if (result == Verification::Confirmed) result = Verification::TurnedBack;
      }
    }
    why_unconfirmed_[w] = Unconfirmed::No;
    return true;
  });
  if (result == Verification::TurnedBack) functions_.evaluate(before);
  return result;
}

bool ZeroCrossings::reverse(std::span<const int> directions) {
  std::ranges::fill(changed_, std::uint8_t(0));
  reversals_.assign(directions.begin(), directions.end());
  bool missed = false;
  for (std::size_t w = 0; w < directions.size(); ++w) {
    if (directions[w] == 0) continue;
    changed_[functions_.watched()[w]] = true;
    missed = missed || why_unconfirmed_[w] == Unconfirmed::ByRate;
    why_unconfirmed_[w] = Unconfirmed::No;
  }
  std::erase_if(unconfirmed_, [&](std::uint32_t w) { return directions[w] != 0; });
  return !missed;
}

void ZeroCrossings::keep_one_reversal(std::uint32_t turn) {
  const auto any = std::ranges::count_if(reversals_, [](int direction) { return direction != 0; });
  if (any < 2) return;
  auto skipped = turn % static_cast<std::uint32_t>(any);
  for (std::size_t w = 0; w < reversals_.size(); ++w) {
    if (reversals_[w] == 0 || skipped-- == 0) continue;
    reversals_[w] = 0;
    changed_[functions_.watched()[w]] = false;
  }
}

}  // namespace runtime
