// Crossings of the quantised solver: their prediction, and what changes when an argument leaves its piece.
#include <algorithm>
#include <cmath>

#include "runtime/quantised/quantised_solver.h"

namespace runtime {

bool QuantisedSolver::cross(std::uint32_t crossing) {
  if (of_time(crossing)) return cross_time_function(crossing);
  CrossingPrediction& c = crossings_[crossing];
  const bool outside = c.outside;
  if (!predict(plans_.of_crossing(crossing))) return false;
  c.outside = outside && rests_outside(crossing);
  if (!c.leaves() && c.next_exit() > 0) return true;  // early: it has been scheduled anew
  if (!advances(event_of_crossing(crossing))) return false;
  if (!global_[crossing]) return change_held(crossing, next_piece(crossing));
  crossed_.assign(functions_.watched().size(), 0);
  note_crossed(crossing);
  return find_simultaneous();
}

void QuantisedSolver::note_crossed(std::uint32_t crossing) {
  const bool rises = functions_.is_comparison(crossing) && crossings_[crossing].held != 0;
  crossed_[watched_number_[crossing]] = rises ? 1 : -1;
}

/// Crossings of the whole model that are predicted to follow by rounding errors belong to the same event:
/// what it assigns may take them back, as `x := 0.0` at the end of a period does with `x < 1.0` beside `x
/// > 1.0`.
bool QuantisedSolver::find_simultaneous() {
  for (const std::uint32_t k : functions_.watched()) {
    if (!global_[k] || of_time(k) || crossed_[watched_number_[k]] != 0) continue;
    if (queue_.time(event_of_crossing(k)) > time_ + kPredictionError * range_) continue;
    const bool outside = crossings_[k].outside;
    if (!predict(plans_.of_crossing(k))) return false;
    crossings_[k].outside = outside && rests_outside(k);
    if (crossings_[k].leaves()) note_crossed(k);
  }
  return true;
}

/// Whether the argument rests exactly at an end that belongs to another piece.
bool QuantisedSolver::rests_outside(std::uint32_t crossing) const {
  const CrossingPrediction& c = crossings_[crossing];
  return c.rests_at_end() &&
         functions_.pieces(crossing, instance_.parameters.data()).at(c.argument.c0) != c.held;
}

/// The piece that takes the place of the one that the argument leaves: the neighbour, or, beyond rounding,
/// the one that holds there.
double QuantisedSolver::next_piece(std::uint32_t crossing) const {
  const CrossingPrediction& c = crossings_[crossing];
  const double argument = c.argument.c0;
  const Pieces pieces = functions_.pieces(crossing, instance_.parameters.data());
  const bool beyond = !functions_.is_comparison(crossing) && c.distance() < -std::max(c.rounding(), c.zero);
  return c.outside || beyond ? pieces.at(argument) : pieces.next_to(c.held, argument);
}

/// At the time that was known beforehand there may be nothing to change, where rounding hides more.
bool QuantisedSolver::cross_time_function(std::uint32_t crossing) {
  const UpdatePart part = plans_.of_crossing(crossing);
  if (!evaluate_rows(part, point(time_, continuous_))) return explain();
  const double value = right_value(crossing);
  if (value == crossings_[crossing].held) {
    schedule_time_function(crossing);
    return true;
  }
  return advances(event_of_crossing(crossing)) && change_held(crossing, value);
}

/// What a zero crossing of time alone holds from now on. The rows that it reads have been evaluated.
double QuantisedSolver::right_value(std::uint32_t crossing) {
  const Point at = point(time_, continuous_);
  const Pieces pieces = functions_.pieces(crossing, at.parameters);
  if (const auto later = time_functions_.right_limit(functions_.time_function(crossing), at))
    return pieces.at(*later);
  functions_.evaluate_one(at, crossing);
  const double argument = functions_.arguments()[crossing];
  return std::isnan(argument) ? crossings_[crossing].held : pieces.at(argument);
}

/// Takes what is held from the parameters.
void QuantisedSolver::read_held(std::uint32_t crossing) {
  const double held = functions_.held(crossing, instance_.parameters);
  crossings_[crossing].hold(held, functions_.pieces(crossing, instance_.parameters.data()).bounds(held));
}

bool QuantisedSolver::change_held(std::uint32_t crossing, double value) {
  functions_.hold(crossing, value, instance_.parameters);
  read_held(crossing);
  ++counters_.events;
  if (observer_) {
    const ChangedComparison changed{crossing, value};
    observer_->event({.time = time_, .comparisons = {&changed, 1}});
  }
  return (of_time(crossing) || accept_held(crossing)) && evaluate_held(crossing);
}

/// What is held has been decided at this instant.
bool QuantisedSolver::accept_held(std::uint32_t crossing) {
  return crossings_[crossing].accept_held() || fail_as_endless(crossing);
}

/// What a crossing holds has changed: evaluates what depends on it.
bool QuantisedSolver::evaluate_held(std::uint32_t crossing) {
  instance_.evaluator.parameters_changed();
  const UpdatePlan plan = plans_.of_held(crossing);
  return jump(plan);
}

/// Evaluates arguments now and a little later, and schedules their crossings. `jumped`: what they read may
/// have, so that one that comes to rest at an end may not be in the piece.
bool QuantisedSolver::predict(const UpdatePart& part, bool jumped) {
  if (part.targets.empty()) return true;
  double interval = longest_;
  for (const std::uint32_t s : part.inputs) interval = std::min(interval, states_[s].interval);
  for (const std::uint32_t k : part.targets) interval = std::min(interval, crossings_[k].interval);
  const double h = probe(interval);
  if (!evaluate_arguments(part, time_, now_)) return explain();
  for (const std::uint32_t k : part.targets)
    if (of_time(k)) schedule_time_function(k);
  if (!evaluate_arguments(part, time_ + h, soon_) || !evaluate_arguments(part, time_ + 2 * h, later_)) {
    soon_ = later_ = now_;
    instance_.failure() = {};
  }
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    const std::uint32_t k = part.targets[i];
    if (of_time(k)) continue;
    if (!std::isfinite(now_[i])) {
      crossings_[k].set_undefined(time_, longest_of_crossing_[k]);
    } else {
      if (!std::isfinite(soon_[i] + later_[i])) soon_[i] = later_[i] = now_[i];
      CrossingPrediction& c = crossings_[k];
      const double margin = 2 * std::max(c.zero, c.rounding());
      const bool moved = jumped && std::abs(c.argument(time_ - c.time) - now_[i]) > margin;
      c.set(time_, now_[i], soon_[i], later_[i], h, longest_of_crossing_[k]);
      c.outside = moved && rests_outside(k);
    }
    schedule_crossing(k);
  }
  return true;
}

/// The rows that the function reads have been evaluated.
void QuantisedSolver::schedule_time_function(std::uint32_t crossing) {
  if (!times_are_local_) return;  // a time event of the whole model
  const bool changes = right_value(crossing) != crossings_[crossing].held;
  const std::uint32_t f = functions_.time_function(crossing);
  queue_.set(event_of_crossing(crossing),
             changes ? time_ : time_events_.next_of(f, point(time_, continuous_)));
}

}  // namespace runtime
