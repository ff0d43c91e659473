#include "runtime/events/zero_crossings.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace runtime {

namespace {
// A difference that has just crossed is also at zero within this multiple of its value where it was located.
constexpr double kLocated = 100;
// Rounding error that is measured: this multiple of what is seen, up to this part of the largest magnitude.
constexpr double kRoundingMargin = 8, kMostRounding = 1e-8;
}  // namespace

ZeroCrossings::ZeroCrossings(const Model& model, std::span<const double> nominal)
    : functions_(model), time_functions_(model) {
  const std::size_t all = functions_.size(), watched = functions_.watched().size();
  for (auto* list : {&largest_, &at_crossing_, &at_update_, &at_boundary_, &reference_, &rate_before_event_,
                     &rate_after_, &crossing_value_, &nominal_, &left_})
    list->assign(all, 0.0);
  std::ranges::fill(crossing_value_, kNotCrossed);
  decided_by_.assign(all, DecidedBy::Difference);
  for (auto* list : {&changed_, &was_at_zero_, &is_at_zero_, &kept_}) list->assign(all, 0);
  // What events alone change has the value that it was given, without error; most of it has no nominal value.
  std::vector<std::uint8_t> exact = model.discrete;
  exact.resize(model.variables, 0);
  for (const Assignment& assignment : model.events.assignments) exact[assignment.variable] = 1;
  for (const Events::Previous& previous : model.events.previous) exact[previous.variable] = 1;
  for (const State& state : model.states) exact[state.variable] = 0;
  for (const std::uint32_t k : functions_.watched())
    for (std::uint32_t slot = 0; functions_.is_comparison(k) && slot < functions_.batch(k).slots; ++slot)
      if (const std::uint32_t v = functions_.variable(k, slot); !exact[v])
        nominal_[k] = std::max(nominal_[k], nominal[v]);
  why_unconfirmed_.assign(watched, Unconfirmed::No);
  reversals_.assign(watched, 0);
  read_by_equations_.assign(all, 1);
}

void ZeroCrossings::find_readers(std::span<const std::uint8_t> read_parameters) {
  for (std::size_t k = 0; k < functions_.size(); ++k)
    read_by_equations_[k] =
        !functions_.is_comparison(k) || read_parameters[functions_.crossing(k).first + functions_.row(k)];
}

void ZeroCrossings::get_decisions(Decisions& decisions) const {
  decisions.decided_by = decided_by_;
  decisions.at_crossing = at_crossing_;
  decisions.at_update = at_update_;
  decisions.at_boundary = at_boundary_;
  decisions.unconfirmed = unconfirmed_;
  decisions.why_unconfirmed = why_unconfirmed_;
  decisions.unresolvable = unresolvable_;
  decisions.was_at_zero = was_at_zero_;
  decisions.kept = kept_;
}

void ZeroCrossings::set_decisions(const Decisions& decisions) {
  decided_by_ = decisions.decided_by;
  at_crossing_ = decisions.at_crossing;
  at_update_ = decisions.at_update;
  at_boundary_ = decisions.at_boundary;
  unconfirmed_ = decisions.unconfirmed;
  why_unconfirmed_ = decisions.why_unconfirmed;
  unresolvable_ = decisions.unresolvable;
  was_at_zero_ = decisions.was_at_zero;
  kept_ = decisions.kept;
}

void ZeroCrossings::crossed(std::span<const int> directions, std::span<double> parameters) {
  // One that is not confirmed yet is where it was located, and may be just before its crossing.
  const std::vector<double> before = std::exchange(at_crossing_, differences());
  for (const std::uint32_t w : unconfirmed_) {
    const std::uint32_t k = functions_.watched()[w];
    if (why_unconfirmed_[w] != Unconfirmed::Crossed) continue;
    decided_by_[k] = DecidedBy::EarlierCrossing;
    at_crossing_[k] = before[k];
  }
  for (std::size_t w = 0; w < directions.size(); ++w) {
    if (directions[w] == 0) continue;
    const std::uint32_t k = functions_.watched()[w];
    decided_by_[k] = DecidedBy::Crossing;
    at_crossing_[k] = differences()[k];
    at_boundary_[k] = functions_.arguments()[k];
    left_[k] = functions_.held(k, parameters);
    crossing_value_[k] = beyond_zero(k, directions[w] < 0, parameters);
    changed_[k] = hold(k, crossing_value_[k], parameters);
  }
}

/// Holds another value. Whether it is another one.
bool ZeroCrossings::hold(std::size_t k, double value, std::span<double> parameters) {
  const bool other = functions_.hold(k, value, parameters);
  equations_changed_ = equations_changed_ || (other && read_by_equations_[k]);
  return other;
}

/// Whether a difference that has just crossed is still where it crossed.
bool ZeroCrossings::at_zero(std::size_t k) const {
  // At zero it changes nothing but how large differences are.
  const double largest =
      decided_by_[k] == DecidedBy::LookAhead ? std::max(largest_[k], nominal_[k]) : largest_[k];
  return std::abs(differences()[k]) <=
         std::max({kAtZero * largest, kLocated * std::abs(at_crossing_[k]), noise(k)});
}

/// The rounding error of a difference.
double ZeroCrossings::noise(std::size_t k) const {
  return roundings_ *
         std::max(kDifferenceRounding * std::max(largest_[k], nominal_[k]), functions_.rounding(k));
}

void ZeroCrossings::record_rounding(std::span<const double> errors) {
  for (const std::uint32_t k : functions_.watched())
    functions_.record_rounding(
        k, std::min(kRoundingMargin * errors[k], kMostRounding * std::max(largest_[k], nominal_[k])));
}

void ZeroCrossings::record_magnitudes(std::span<const double> largest) {
  const std::span<const std::uint32_t> watched = functions_.watched();
  for (std::size_t w = 0; w < watched.size(); ++w)
    if (functions_.is_comparison(watched[w]))
      largest_[watched[w]] = std::max(largest[w], std::min(largest_[watched[w]], nominal_[watched[w]]));
}

double ZeroCrossings::beyond_zero(std::size_t k, bool below, std::span<const double> parameters) const {
  if (functions_.is_comparison(k)) return below ? 1.0 : 0.0;
  const double held = functions_.held(k, parameters);
  return below ? functions_.pieces(k, parameters.data()).next_to(held, functions_.arguments()[k]) : held;
}

bool ZeroCrossings::agrees(std::size_t k, double difference, std::span<const double> parameters) const {
  const bool negative = functions_.is_comparison(k) && functions_.held(k, parameters) != 0;
  return negative ? difference < 0 : difference > 0;
}

/// The value that holds at the point, or right after it where the difference is at zero and known beforehand.
double ZeroCrossings::right_value(const Point& point, std::size_t k) {
  const std::uint32_t f = functions_.time_function(k);
  double argument = functions_.arguments()[k];
  if (f == kNone && functions_.is_comparison(k) && std::abs(argument) <= noise(k)) argument = 0;
  if (f == kNone && functions_.is_comparison(k))
    return (functions_.crossing(k).strict ? argument < 0 : argument <= 0) ? 1.0 : 0.0;
  const Pieces pieces = functions_.pieces(k, point.parameters);
  const double value = pieces.at(argument);
  if (f == kNone) return value;
  // The sign may be rounding where the difference is small, and where what is held contradicts it.
  const double held = Pieces::held(functions_.crossing(k), functions_.row(k), point.parameters);
  if (std::abs(differences()[k]) <= kAtZero * largest_[k] ||
      (value != held && time_functions_.at_boundary(f, point)))
    if (const auto later = time_functions_.right_limit(f, point)) return pieces.at(*later);
  return value;
}

bool ZeroCrossings::update(const Point& point, std::span<double> parameters, bool first_only, bool start) {
  functions_.evaluate_all(point);
  return update_those(point, parameters, {.first_only = first_only, .start = start});
}

bool ZeroCrossings::update_by_guesses(const Point& point, std::span<double> parameters) {
  functions_.evaluate_all(point);
  return update_those(point, parameters, {.only_finite = true, .start = true});
}

bool ZeroCrossings::update_evaluated(const Point& point, std::span<double> parameters, bool first_only) {
  return update_those(point, parameters, {.first_only = first_only});
}

bool ZeroCrossings::update_those(const Point& point, std::span<double> parameters, const Which& which) {
  at_update_ = functions_.arguments();
  bool any = false;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    if (functions_.is_unchanged(k)) continue;
    const double difference = differences()[k];
    const double argument = functions_.arguments()[k];
    if (std::isnan(argument)) continue;
    if (which.only_finite && std::isinf(argument) && !functions_.is_comparison(k)) continue;
    // Of a piece, the distance by which a jump has left it is no measure.
    if ((functions_.is_comparison(k) || difference > 0) && std::isfinite(difference))
      largest_[k] = std::max(largest_[k], std::abs(difference));
    is_at_zero_[k] = functions_.time_function(k) == kNone && std::abs(difference) <= noise(k);
    if (!keeps_value(k, which, parameters)) {
      changed_[k] = !(any && which.first_only) && hold(k, right_value(point, k), parameters);
      any = any || changed_[k];
    }
    if (is_at_zero_[k]) at_boundary_[k] = argument;
    const bool assigned_here = is_at_zero_[k] && is_assigned(k) && !std::isnan(crossing_value_[k]);
    if (assigned_here && difference != 0 && !agrees(k, difference, parameters))
      unresolved_moments_ = std::max(unresolved_moments_, noise(k) / std::abs(rate_before_event_[k]));
  }
  return any;
}

/// Whether the difference does not decide: it is where it crossed, or at zero, where it has no sign. One that
/// has just come there keeps the value before, until `look_ahead` gives it the one that it has immediately
/// afterwards.
bool ZeroCrossings::keeps_value(std::size_t k, const Which& which, std::span<const double> parameters) {
  if (is_at_other_boundary(k, parameters)) {
    decided_by_[k] = DecidedBy::Difference;
    was_at_zero_[k] = is_at_zero_[k];
    return false;
  }
  const bool stays = decided_by_[k] == DecidedBy::Difference && is_at_zero_[k] && was_at_zero_[k];
  const bool decided = decided_by_[k] != DecidedBy::Difference && !is_assigned(k);
  was_at_zero_[k] = was_at_zero_[k] || is_at_zero_[k];
  if (stays || (decided && at_zero(k))) return true;
  kept_[k] = is_at_zero_[k] && !which.start && functions_.is_comparison(k) &&
             decided_by_[k] != DecidedBy::Assignment;
  return kept_[k];
}

/// Whether the argument of a piece has jumped from one boundary to the other one, as that of a floor from 0
/// to 1: the difference is zero at both.
bool ZeroCrossings::is_at_other_boundary(std::size_t k, std::span<const double> parameters) const {
  if (functions_.is_comparison(k) || is_assigned(k)) return false;
  const bool was_at_boundary = was_at_zero_[k] || decided_by_[k] != DecidedBy::Difference;
  const double argument = functions_.arguments()[k];
  if (!was_at_boundary || argument == at_boundary_[k]) return false;
  const Interval piece = functions_.pieces(k, parameters.data()).bounds(functions_.held(k, parameters));
  const auto is_high = [&](double a) { return piece.high - a < a - piece.low; };
  return is_high(argument) != is_high(at_boundary_[k]);
}

/// The value of a comparison at equality, of one that has kept another until now.
bool ZeroCrossings::hold_equal(std::size_t k, std::span<double> parameters) {
  if (!std::exchange(kept_[k], std::uint8_t(0))) return false;
  changed_[k] = hold(k, functions_.crossing(k).strict ? 0.0 : 1.0, parameters);
  return changed_[k];
}

bool ZeroCrossings::hold_equal(std::span<double> parameters, bool first_only) {
  bool any = false;
  for (const std::uint32_t w : undecided_)
    if (!(any && first_only)) any = hold_equal(functions_.watched()[w], parameters) || any;
  return any;
}

void ZeroCrossings::find_left_zero() {
  for (const std::uint32_t k : functions_.watched())
    was_at_zero_[k] = was_at_zero_[k] && std::abs(differences()[k]) <= noise(k);
}

bool ZeroCrossings::follow(const Point& point, std::span<double> parameters) {
  functions_.evaluate(point);
  bool any = false;
  for (const std::uint32_t k : functions_.watched()) {
    const double argument = functions_.arguments()[k];
    if (std::isnan(argument)) continue;
    const double value = functions_.pieces(k, parameters.data()).at(argument);
    any = hold(k, value, parameters) || any;
  }
  return any;
}

std::vector<std::uint32_t> ZeroCrossings::hold_signs(const Point& point, std::span<double> parameters) {
  std::vector<std::uint32_t> other;
  functions_.evaluate(point);
  for (const std::uint32_t k : functions_.watched()) {
    const double difference = differences()[k];
    const bool rounding = difference != 0 && std::abs(difference) <= noise(k);
    if (functions_.is_comparison(k) && rounding && hold(k, difference < 0 ? 1.0 : 0.0, parameters))
      other.push_back(k);
  }
  return other;
}

std::vector<std::uint32_t> ZeroCrossings::hold_at_zero(const Point& point, const Point& later, double moments,
                                                       double error, std::span<const std::uint8_t> read,
                                                       std::span<double> parameters) {
  std::vector<std::uint32_t> other;
  functions_.evaluate(point);
  reference_ = differences();
  functions_.evaluate(later);
  for (const std::uint32_t k : functions_.watched()) {
    const double size = std::max(largest_[k], nominal_[k]), difference = std::abs(reference_[k]);
    const std::uint8_t reads = functions_.is_comparison(k) ? read[functions_.held_parameter(k)] : 0;
    if (reads == 0 || !(difference <= kAtZero * size)) continue;
    const double change = differences()[k] - reference_[k];
    const bool leaves = std::abs(change) > std::max(error * size / moments, kRoundingMargin * noise(k));
    functions_.record_rounding(k, std::max(kRoundingMargin * difference, leaves ? 0.0 : error * size));
    const double held = functions_.held(k, parameters),
                 value = leaves ? (change < 0 ? 1.0 : 0.0) : 1.0 - held;
    was_at_zero_[k] = is_at_zero_[k] = 1;
    any_at_zero_ = true;
    if (reads < 2 || value == held) continue;
    hold(k, value, parameters);
    decided_by_[k] = DecidedBy::LookAhead;
    other.push_back(k);
  }
  functions_.evaluate(point);
  return other;
}

bool ZeroCrossings::has_stayed_near_zero(double error, std::span<const std::uint8_t> read) const {
  bool any = false;
  for (const std::uint32_t k : functions_.watched()) {
    if (!functions_.is_comparison(k) || read[functions_.held_parameter(k)] < 2) continue;
    any = true;
    if (largest_[k] > error * nominal_[k]) return false;
  }
  return any;
}

void ZeroCrossings::take_back(std::span<const std::uint32_t> held, std::span<double> parameters) {
  for (const std::uint32_t k : held) hold(k, functions_.held(k, parameters) != 0 ? 0.0 : 1.0, parameters);
}

void ZeroCrossings::resume(const Point& point) {
  functions_.set_time_unchanged(false);
  functions_.evaluate_all(point);
  std::ranges::fill(was_at_zero_, std::uint8_t(0));
  any_at_zero_ = false;
  for (std::size_t k = 0; k < functions_.size(); ++k)
    largest_[k] = (functions_.is_comparison(k) || differences()[k] > 0) && std::isfinite(differences()[k])
                      ? std::abs(differences()[k])
                      : 0.0;
}

double* ZeroCrossings::save(double* out) const {
  for (const auto* list : {&largest_, &at_boundary_}) out = std::ranges::copy(*list, out).out;
  out = std::ranges::copy(was_at_zero_, out).out;
  return std::ranges::copy(functions_.roundings(), out).out;
}

const double* ZeroCrossings::load(const double* in) {
  for (auto* list : {&largest_, &at_boundary_}) {
    std::copy_n(in, list->size(), list->begin());
    in += list->size();
  }
  std::transform(in, in + was_at_zero_.size(), was_at_zero_.begin(), [](double flag) { return flag != 0; });
  any_at_zero_ = std::ranges::find(was_at_zero_, std::uint8_t(1)) != was_at_zero_.end();
  for (const std::uint32_t w : unconfirmed_) why_unconfirmed_[w] = Unconfirmed::No;
  unconfirmed_.clear();
  in += was_at_zero_.size();
  functions_.set_roundings({in, functions_.size()});
  return in + functions_.size();
}

Failure ZeroCrossings::endless(const Point& point) const {
  std::vector<std::uint32_t> changed;
  for (std::uint32_t k = 0; k < functions_.size() && changed.size() < kFailureDetails; ++k)
    if (changed_[k]) changed.push_back(k);
  return endless(point, changed);
}

Failure ZeroCrossings::endless(const Point& point, std::span<const std::uint32_t> crossings) const {
  Failure failure{.kind = FailureKind::EndlessEvents, .time = point.time};
  for (const std::uint32_t k : crossings) {
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
