// EventIteration at the start and the end of a run, or of a part of it.
#include <algorithm>

#include "runtime/events/event_iteration.h"

namespace runtime {

namespace {
// The first steps of a part of a simulation: their error, as a multiple of the tolerance, and their time in
// moments.
constexpr double kErrorOfSteps = 100, kMomentsAhead = 1e6;
// A crossing is located beyond the error by less than this multiple of it.
constexpr double kBeyondError = 4;
}  // namespace

/// Comparisons that miss equality by rounding alone were decided by what follows the start. Where that is not
/// what they say there, they change immediately. If conditions become true by this, the current values become
/// those before it, and this gives the directions of the crossings, by watched number; else nothing changes.
std::vector<int> EventIteration::crossings_at_start(const Point& point) {
  const std::vector<std::uint32_t> crossing = zero_crossings_.hold_signs(point, instance_.parameters);
  if (crossing.empty()) return {};
  const std::vector<double> after = instance_.values;
  const auto toggle = [&] { zero_crossings_.take_back(crossing, instance_.parameters); };
  const auto evaluate = [&] {
    instance_.evaluator.parameters_changed();
    return evaluate_inputs(point);
  };
  bool fires = evaluate();
  if (fires) {
    handler_.record_previous(instance_.values);
    handler_.restore_previous(instance_.values);
    fires = evaluate();
  }
  const std::vector<double> before = instance_.values;
  if (fires) handler_.accept(point);
  toggle();
  std::ranges::copy(after, instance_.values.begin());
  if (fires) {
    handler_.restore_previous(instance_.values);
    fires = evaluate() && handler_.rearm(point);
  }
  instance_.failure() = {};
  if (fires) toggle();
  std::ranges::copy(fires ? before : after, instance_.values.begin());
  instance_.evaluator.parameters_changed();
  zero_crossings_.take_equations_changed();
  handler_.accept(point);
  if (!fires) return {};
  std::vector<int> directions(zero_crossings_.functions().watched().size(), 0);
  for (std::size_t w = 0; w < directions.size(); ++w) {
    const std::uint32_t k = zero_crossings_.functions().watched()[w];
    if (std::ranges::find(crossing, k) == crossing.end()) continue;
    directions[w] = zero_crossings_.functions().held(k, instance_.parameters) != 0 ? 1 : -1;
  }
  return directions;
}

bool EventIteration::start(double time, StartOf what, double tolerance, const PastDelays& past) {
  if (!history_.empty()) {
    if (past.history)
      history_.continue_from(*past.history, past.continued, instance_.values, tolerance);
    else
      history_.start(time, instance_.values, tolerance);
  }
  if (handler_.empty()) return true;
  if (const auto failure = handler_.undefined_condition(time)) {
    instance_.failure() = *failure;
    return false;
  }
  const bool is_run = what == StartOf::Run;
  if (!handler_.clocks().start(time, !is_run, instance_.parameters, instance_.failure())) return false;
  std::vector<int> directions;
  if (what != StartOf::Part) directions = crossings_at_start(instance_.point(time));
  const std::span<const std::uint32_t> initial = instance_.model.events.initial;
  const bool ticks = handler_.clocks().tick_at(time, instance_.parameters);
  if (!ticks && (!is_run || initial.empty()) && directions.empty()) return true;
  if (is_run) handler_.let_fire(initial);
  bool changed = false;
  return process(time, directions, changed) && instance_.observe(time, instance_.model.observed);
}

bool EventIteration::hold_transitions(double time, double tolerance) {
  if (handler_.empty() && history_.empty()) return true;
  const Point point = instance_.point(time);
  if (!evaluate_inputs(point)) return false;
  handler_.accept(point);
  const std::vector<std::uint32_t> due = handler_.transitions();
  here_ = instance_.values;
  const Point here{time, here_.data(), point.parameters};
  Point later = point;
  zero_crossings_.take_equations_changed();
  std::vector<std::uint32_t> held;
  if (advance(here, later, moment_))
    held = zero_crossings_.hold_at_zero(here, later, kMomentsAhead, kErrorOfSteps * tolerance,
                                        handler_.read_by_transitions(), instance_.parameters);
  std::ranges::copy(here_, instance_.values.begin());
  handler_.accept(point);
  const std::vector<std::uint32_t> now = handler_.transitions();
  if (!held.empty() && !(now.size() < due.size() && std::ranges::includes(due, now)))
    zero_crossings_.take_back(held, instance_.parameters);
  if (zero_crossings_.take_equations_changed() && !make_consistent(point, {})) return false;
  handler_.accept(point);
  zero_crossings_.end_instant(instance_.parameters, instance_.values);
  if (history_.empty()) return true;
  if (!evaluate_inputs(point)) return false;
  history_.end_instant(instance_.values, true);
  return true;
}

bool EventIteration::transitions_are_errors(double tolerance) const {
  return zero_crossings_.has_stayed_near_zero(kBeyondError * kErrorOfSteps * tolerance,
                                              handler_.read_by_transitions());
}

bool EventIteration::fire_after_change(double time, std::span<const std::uint8_t> before,
                                       std::span<const double> previous) {
  if (handler_.empty() || before.empty()) return true;
  const bool returned = handler_.return_to_previous(previous, instance_.values);
  if (returned) {
    const Point point = instance_.point(time);
    if (!evaluate_inputs(point)) return false;
    handler_.accept(point);
  }
  if (!handler_.let_become_true(time, before) && !returned) return true;
  bool changed = false;
  return process(time, {}, changed) && instance_.observe(time, instance_.model.observed);
}

bool EventIteration::resume(double time, Failure& failure, bool same_run) {
  const Point point = instance_.point(time);
  if (!evaluate_inputs(point)) return false;
  zero_crossings_.resume(point);
  time_events_.resume();
  if (!same_run) accumulation_.clear();
  if (handler_.empty()) return true;
  handler_.accept(point);
  if (const auto undefined = handler_.undefined_condition(time)) {
    failure = *undefined;
    return false;
  }
  return handler_.clocks().start(time, true, instance_.parameters, failure);
}

void EventIteration::save(Archive& archive) {
  std::vector<double> memory(memory_size());
  save(memory.data());
  archive(history_);
  archive.fixed(memory);
  archive(counts_, last_reversal_, reversals_);
}

bool EventIteration::resume(double time, Archive& archive) {
  if (!history_.read_lengths(instance_.parameters, instance_.failure())) return false;
  archive(history_);
  std::vector<double> memory(memory_size());
  archive.fixed(memory);
  archive(counts_, last_reversal_, reversals_);
  if (!archive.fine()) return true;  // for the caller to see
  const Point point = instance_.point(time);
  if (!evaluate_inputs(point)) return false;
  zero_crossings_.resume(point);
  if (!handler_.empty()) handler_.accept(point);
  load(memory.data());
  return true;
}

bool EventIteration::finish(double time, bool& changed) {
  const std::span<const std::uint32_t> terminal = instance_.model.events.terminal;
  if (terminal.empty()) return true;
  handler_.let_fire(terminal);
  return process(time, {}, changed, {.continued = true}) && instance_.observe(time, instance_.model.observed);
}

}  // namespace runtime
