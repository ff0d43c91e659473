#include "runtime/integrate/component_rows.h"

#include <cmath>

#include "runtime/rounding.h"
#include "runtime/timer.h"

namespace runtime {

namespace {
/// Twice that of the time loop: an event that has its rows at a row of the grid is processed there.
double rounding(double time) { return 2 * time_rounding(time); }
}  // namespace

const Output ComponentRows::kNoOutput;

/// A row that misses the time of an event by a rounding error is at that time (TimeLoop::write_rows).
bool ComponentRows::process_events(double time) {
  return process_events(time, time < stop_ ? rounding(time) : 0);
}

bool ComponentRows::process_events(double time, double margin) {
  if (failure_) return false;
  const Timer timer;
  const bool fine = components_.process_events(time, margin);
  seconds_ += timer.seconds();
  if (!fine) failure_ = components_.failure();
  return fine;
}

bool ComponentRows::evaluate(double time, const std::vector<double>& values) {
  if (failure_) return false;
  const Timer timer;
  const bool fine = components_.evaluate(time, values, remainder_.parameters);
  const bool observed = fine && whole_.evaluator.run(observed_, whole_.point(time));
  seconds_ += timer.seconds();
  if (observed) return true;
  if (!fine) {
    failure_ = components_.failure();
    return false;
  }
  failure_ = whole_.failure();
  failure_.time = time;
  return false;
}

bool ComponentRows::evaluate_shown(double time, const std::vector<double>& values) {
  if (failure_) return false;
  const Timer timer;
  const bool fine = components_.evaluate(time, values, remainder_.parameters, shown_);
  seconds_ += timer.seconds();
  if (!fine) failure_ = components_.failure();
  return fine;
}

bool ComponentRows::row(double time, const std::vector<double>& values) {
  return process_events(time) && evaluate(time, values) && recorder_.row(time, whole_.values);
}

bool ComponentRows::is_settled(double time) const {
  const bool event_ahead = next_event() <= time + rounding(time);  // it has rows of its own
  return !event_ahead && recorder_.is_settled(time);
}

/// Between rows the instance has the values of what columns need; a checkpoint needs all of them.
bool ComponentRows::settle(double time, const std::vector<double>& values) {
  return process_events(time) && evaluate(time, values);
}

void ComponentRows::step(double time, const std::vector<double>& values) {
  if (process_events(time) && evaluate_shown(time, values)) recorder_.step(time, whole_.values);
}

void ComponentRows::before_event(double time, const std::vector<double>& values) {
  if (failure_) return;
  if (!recorder_.wants_events()) {
    // Their reports precede that of the event at this time.
    process_events(time - rounding(time), 0);
    return;
  }
  if (evaluate_shown(time, values))
    recorder_.before_event(time, whole_.values);
  else  // the equations before the event may have no value just behind the crossing
    failure_ = whole_.failure() = {};
}

bool ComponentRows::after_event(double time, const std::vector<double>& values, bool changed) {
  const std::uint64_t before = components_.events();
  if (!process_events(time) || !recorder_.wants_events() || !evaluate_shown(time, values)) return false;
  return recorder_.after_event(time, whole_.values, changed || components_.events() > before);
}

double ComponentRows::next_event() const {
  return recorder_.wants_events() ? components_.next_event() : std::numeric_limits<double>::infinity();
}

}  // namespace runtime
