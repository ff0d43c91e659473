#include "runtime/events/zero_crossings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {
// A difference that has just crossed is at zero while it is within this part of its largest magnitude.
constexpr double kAtZero = 1e-9;
// This part of its largest magnitude is rounding error.
constexpr double kRounding = 1e-14;
}  // namespace

ZeroCrossings::ZeroCrossings(const Model& model) : functions_(model) {
  const std::size_t all = functions_.size(), watched = functions_.watched().size();
  for (auto* list :
       {&largest_, &at_crossing_, &second_before_, &at_update_, &reference_, &rate_before_event_})
    list->assign(all, 0.0);
  decided_by_.assign(all, DecidedBy::Difference);
  changed_.assign(all, 0);
  crossing_value_.assign(all, 0);
  why_unconfirmed_.assign(watched, Unconfirmed::No);
  reversals_.assign(watched, 0);
}

void ZeroCrossings::crossed(std::span<const int> directions, std::span<double> parameters) {
  at_crossing_ = differences();
  for (std::size_t w = 0; w < directions.size(); ++w) {
    if (directions[w] == 0) continue;
    const std::uint32_t k = functions_.watched()[w];
    const double value = directions[w] < 0 ? 1.0 : 0.0;
    double& parameter = functions_.value_of(k, parameters);
    decided_by_[k] = DecidedBy::Crossing;
    crossing_value_[k] = value != 0;
    changed_[k] = parameter != value;
    parameter = value;
  }
}

/// Whether a difference that has just crossed is still where it crossed.
bool ZeroCrossings::at_zero(std::size_t k) const {
  return std::abs(differences()[k]) <= std::max(kAtZero * largest_[k], 100 * std::abs(at_crossing_[k]));
}

/// Whether the difference is below zero at the point, or right after it where it depends on time alone.
bool ZeroCrossings::below_zero(const Point& point, std::size_t k) const {
  const ZeroCrossing& crossing = functions_.crossing(k);
  const double difference = differences()[k];
  if (crossing.linear_in_time) {
    const double slope = difference - second_before_[k];  // per second
    const double root = point.time - (slope != 0 ? difference / slope : 0.0);
    const bool now = std::abs(root - point.time) <= 4 * std::numeric_limits<double>::epsilon() *
                                                        std::max(std::abs(point.time), std::abs(root));
    if (slope != 0 && now) return slope < 0;
  }
  return crossing.strict ? difference < 0 : difference <= 0;
}

bool ZeroCrossings::update(const Point& point, std::span<double> parameters, bool first_only) {
  if (functions_.any_linear_in_time()) {
    Point before = point;
    before.time = point.time - 1;
    functions_.evaluate(before);
    second_before_ = differences();
  }
  functions_.evaluate(point);
  at_update_ = differences();
  bool any = false;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    largest_[k] = std::max(largest_[k], std::abs(differences()[k]));
    const bool decided = decided_by_[k] == DecidedBy::Crossing || decided_by_[k] == DecidedBy::LookAhead ||
                         decided_by_[k] == DecidedBy::Rate;
    if (decided && at_zero(k)) continue;
    const double value = below_zero(point, k) ? 1.0 : 0.0;
    double& parameter = functions_.value_of(k, parameters);
    changed_[k] = parameter != value && !(any && first_only);
    if (!changed_[k]) continue;
    any = true;
    parameter = value;
  }
  return any;
}

bool ZeroCrossings::follow(const Point& point, std::span<double> parameters) {
  functions_.evaluate(point);
  bool any = false;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const ZeroCrossing& crossing = functions_.crossing(k);
    if (crossing.linear_in_time) continue;
    const double difference = differences()[k];
    const double value = (crossing.strict ? difference < 0 : difference <= 0) ? 1.0 : 0.0;
    double& parameter = functions_.value_of(k, parameters);
    any = any || parameter != value;
    parameter = value;
  }
  return any;
}

bool ZeroCrossings::undecided(const Point& point, bool leaving) {
  functions_.evaluate(point);
  undecided_.clear();
  auto is_undecided = [&](std::uint32_t k) {
    switch (decided_by_[k]) {
      case DecidedBy::Difference: return std::abs(differences()[k]) <= kRounding * largest_[k];
      case DecidedBy::Rate: return leaving && at_zero(k);
      case DecidedBy::Assignment: return differences()[k] == 0;
      case DecidedBy::Crossing:
      case DecidedBy::LookAhead: break;
    }
    return false;
  };
  const std::span<const std::uint32_t> watched = functions_.watched();
  for (std::uint32_t w = 0; w < watched.size(); ++w)
    if (is_undecided(watched[w])) undecided_.push_back(w);
  reference_ = differences();
  return !undecided_.empty();
}

bool ZeroCrossings::look_ahead(const Point& later, std::span<double> parameters) {
  functions_.evaluate(later);
  bool any = false;
  for (const std::uint32_t w : undecided_) {
    const std::uint32_t k = functions_.watched()[w];
    const bool by_rate = decided_by_[k] == DecidedBy::Rate;
    const double tendency = by_rate ? differences()[k] - reference_[k] : differences()[k];
    if (by_rate)
      require_confirmation(w, Unconfirmed::ByRate);
    else
      at_crossing_[k] = 0;
    decided_by_[k] = DecidedBy::LookAhead;  // once only
    if (tendency == 0) continue;
    const double value = tendency < 0 ? 1.0 : 0.0;
    double& parameter = functions_.value_of(k, parameters);
    unresolvable_ = unresolvable_ ||
                    (by_rate && crossing_value_[k] == (value != 0) && tendency * rate_before_event_[k] < 0);
    changed_[k] = parameter != value;
    any = any || changed_[k];
    parameter = value;
  }
  return any;
}

void ZeroCrossings::record_rates(const Point& here, const Point& later) {
  functions_.evaluate(here);
  reference_ = differences();
  functions_.evaluate(later);
  for (const std::uint32_t k : functions_.watched()) rate_before_event_[k] = differences()[k] - reference_[k];
}

void ZeroCrossings::assigned(const Point& point, std::span<const std::uint8_t> assigned) {
  functions_.evaluate(point);
  for (const std::uint32_t k : functions_.watched()) {
    if (decided_by_[k] == DecidedBy::Difference) continue;
    bool changed = differences()[k] != at_update_[k];
    for (std::uint32_t slot = 0; slot < functions_.batch(k).slots; ++slot)
      changed = changed || assigned[functions_.variable(k, slot)];
    decided_by_[k] = changed ? DecidedBy::Assignment : DecidedBy::Rate;
  }
}

void ZeroCrossings::require_confirmation(std::uint32_t watched, Unconfirmed why) {
  if (why_unconfirmed_[watched] == Unconfirmed::No) unconfirmed_.push_back(watched);
  why_unconfirmed_[watched] = why;
}

void ZeroCrossings::end_instant(std::span<const double> parameters) {
  std::ranges::fill(rate_before_event_, 0.0);
  unresolvable_ = false;
  const std::span<const std::uint32_t> watched = functions_.watched();
  std::erase_if(unconfirmed_, [&](std::uint32_t w) {
    const std::uint32_t k = watched[w];
    const bool below = functions_.value_of(k, parameters) != 0;
    const bool confirmed =
        why_unconfirmed_[w] == Unconfirmed::ByRate && (below ? reference_[k] < 0 : reference_[k] > 0);
    if (confirmed) why_unconfirmed_[w] = Unconfirmed::No;
    return confirmed;
  });
  for (std::uint32_t w = 0; w < watched.size(); ++w)
    if (decided_by_[watched[w]] == DecidedBy::Crossing) require_confirmation(w, Unconfirmed::Crossed);
  std::ranges::fill(decided_by_, DecidedBy::Difference);
}

ZeroCrossings::Verification ZeroCrossings::verify(const Point& before, const Point& now,
                                                  std::span<const double> parameters) {
  functions_.evaluate(now);
  std::ranges::fill(changed_, std::uint8_t(0));
  std::ranges::fill(reversals_, 0);
  Verification result = Verification::Confirmed;
  std::erase_if(unconfirmed_, [&](std::uint32_t w) {
    const std::uint32_t k = functions_.watched()[w];
    const bool below = functions_.value_of(k, parameters) != 0;
    const bool holds = below ? differences()[k] < 0 : differences()[k] > 0;
    if (!holds && at_zero(k)) return false;
    if (!holds) {
      changed_[k] = true;
      if (why_unconfirmed_[w] == Unconfirmed::ByRate) {
        result = Verification::Missed;
      } else {
        reversals_[w] = below ? 1 : -1;
        if (result == Verification::Confirmed) result = Verification::TurnedBack;
      }
    }
    why_unconfirmed_[w] = Unconfirmed::No;
    return true;
  });
  if (result == Verification::TurnedBack) functions_.evaluate(before);
  return result;
}

void ZeroCrossings::resume(const Point& point) {
  functions_.evaluate(point);
  for (std::size_t k = 0; k < functions_.size(); ++k) largest_[k] = std::abs(differences()[k]);
}

double* ZeroCrossings::save(double* out) const { return std::ranges::copy(largest_, out).out; }

const double* ZeroCrossings::load(const double* in) {
  std::copy_n(in, largest_.size(), largest_.begin());
  for (const std::uint32_t w : unconfirmed_) why_unconfirmed_[w] = Unconfirmed::No;
  unconfirmed_.clear();
  return in + largest_.size();
}

Failure ZeroCrossings::endless(const Point& point) const {
  Failure failure{.kind = FailureKind::EndlessEvents, .time = point.time};
  for (std::size_t k = 0; k < functions_.size() && failure.equations.size() < kFailureDetails; ++k) {
    if (!changed_[k]) continue;
    failure.equations.push_back({functions_.equation(k), differences()[k]});
    const std::uint32_t slots = functions_.batch(k).slots;
    for (std::uint32_t slot = 0; slot < slots && failure.variables.size() < kFailureDetails; ++slot) {
      const std::uint32_t variable = functions_.variable(k, slot);
      if (std::ranges::find(failure.variables, variable, &FailedVariable::variable) ==
          failure.variables.end())
        failure.variables.push_back({variable, point.values[variable], 0});
    }
  }
  return failure;
}

}  // namespace runtime
