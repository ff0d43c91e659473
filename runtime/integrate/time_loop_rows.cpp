// Rows of results in the time loop: those of the grid, and those before and after events.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/integrate/time_loop.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {

// An event lies behind its crossing by less than this part of the time range.
constexpr double kBehind = 1e-12;

}  // namespace

/// Writes the rows before `time`, or also the one at it. A row that misses the time of an event by a rounding
/// error is at that time.
bool TimeLoop::write_rows(double time, bool inclusive) {
  const double margin = time_rounding(time);
  const double last = time + (time < experiment_.stop && event_ ? margin : 0);
  while (next_row_ <= experiment_.steps) {
    if (end_if_cancelled()) return false;  // a step can have any number of rows
    const double grid = output_time(next_row_), other = recorder_.next_event();
    const bool is_other = other <= grid + (grid < experiment_.stop ? time_rounding(grid) : 0);
    const double at = is_other ? other : grid;
    if (!(inclusive ? at <= last : at < time - margin)) break;
    // The values of the last row are those of the end, and events begin with the values that they find.
    const bool shown_only = !event_ && !is_other && at < experiment_.stop;
    if (!(shown_only ? branches_->output_shown(at) : branches_->output(at)))
      return fail(problem_.instance.failure());
    if (is_other) {
      recorder_.before_event(row_time(at), problem_.instance.values);
      if (!take_row_after(row_time(at), false)) return false;
      continue;
    }
    if (!write_row(at) || !assertions_hold(at)) return false;
    ++next_row_;
  }
  return true;
}

bool TimeLoop::write_row(double time) {
  if (!recorder_.row(time, problem_.instance.values)) return false;
  outcome_.reached = time;
  return true;
}

/// The time of rows at an event: that of a row of the grid which the event misses by a rounding error.
double TimeLoop::row_time(double time) const {
  for (std::uint32_t row = next_row_ - 1; row <= next_row_ && row <= experiment_.steps; ++row)
    if (std::abs(output_time(row) - time) <= time_rounding(time)) return output_time(row);
  return time;
}

/// The values at the end of a step, for sinks that want them. They leave no trace in those of the instance.
void TimeLoop::show_step(double time) {
  if (!recorder_.wants_steps()) return;
  std::vector<double>& values = problem_.instance.values;
  const std::vector<double> held = values;
  if (branches_->output_shown(time)) recorder_.step(time, values);
  problem_.instance.failure() = {};  // if this point matters to a row or step, that reports it
  values = held;
}

/// A time on the other side of the crossing of an event, which is located just behind it.
double TimeLoop::before_crossing(double time) const {
  return time - kBehind * std::max(std::abs(time), range_);
}

/// The row before the event at this time, by the values that are held until then; after a reversal, the
/// current ones. It leaves no trace in the values of the instance.
void TimeLoop::show_before_event(double time) {
  if (!recorder_.wants_events()) return;
  std::vector<double>& values = problem_.instance.values;
  const std::vector<double> held = values;
  const double at = row_time(time);
  auto solve = [&](double from) {
    if (turned_back_) return problem_.instance.observe(at, observed_);
    return branches_->output(from);
  };
  // An event is located just behind its crossing, where the equations before it may no longer have a value
  // (`if x >= 0 then sqrt x else 0`); then the row shows the other side of the crossing.
  if (solve(at) || solve(before_crossing(at))) recorder_.before_event(at, values);
  problem_.instance.failure() = {};
  values = held;
}

/// The row after the event. `changed`: it changed what the equations read.
bool TimeLoop::show_after_event(double time, bool changed) {
  if (!recorder_.wants_events()) return true;
  const double at = row_time(time);
  // The time of a row of the grid may be just before the crossing, where what holds after it has no value.
  if (!branches_->output(at)) {
    const Failure failure = std::exchange(problem_.instance.failure(), Failure{});
    if (at == time || !branches_->output(time)) return fail(failure);
  }
  return take_row_after(at, changed);
}

/// The current values are those after an event at this time.
bool TimeLoop::take_row_after(double time, bool changed) {
  if (recorder_.after_event(time, problem_.instance.values, changed)) {
    outcome_.reached = time;
    if (next_row_ <= experiment_.steps && output_time(next_row_) == time) {  // it is a row of the grid, too
      ++next_row_;
      if (!assertions_hold(time)) return false;
    }
  }
  return recorder_.fine();
}

}  // namespace runtime
