#include "runtime/results/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/timer.h"

namespace runtime {

namespace {

// A smaller relative change of a column is the rounding error of equations that were solved twice.
constexpr double kSame = 1e-10;

/// Calls every sink, also after one has failed, and keeps the first error.
template <class Call>
bool each(const Output& output, Sink::Error& first, const Call& call) {
  bool fine = true;
  for (Sink* sink : output.sinks)
    if (Sink::Error error = call(*sink)) {
      fine = false;
      if (!first) first = std::move(error);
    }
  return fine;
}

/// Whether two values of a column differ by more than rounding. Whole numbers, as those of an Int, have none.
bool differ(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  if (a == std::floor(a) && b == std::floor(b)) return a != b;
  return a != b && !(std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b)));
}

}  // namespace

Recorder::Recorder(const Output& output)
    : output_(output),
      columns_(output.columns),
      row_(output.columns.size()),
      last_time_(std::numeric_limits<double>::quiet_NaN()) {
  for (const Sink* sink : output.sinks) wants_steps_ = wants_steps_ || sink->wants_steps();
}

bool Recorder::begin() {
  return each(output_, error_, [&](Sink& sink) { return sink.begin(output_); });
}

void Recorder::select(const std::vector<double>& values, std::vector<double>& row) const {
  row.resize(output_.columns.size());
  for (std::size_t k = 0; k < row.size(); ++k) {
    const Column& column = columns_[k];
    if (column.variable == kAbsent) {
      row[k] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    const double value = column.variable == kNone ? 0.0 : values[column.variable];
    row[k] = column.negated ? 0.0 - value : value;  // never a negative zero
  }
}

bool Recorder::write(double time, std::span<const double> row) {
  ++rows_;
  last_time_ = time;
  return each(output_, error_, [&](Sink& sink) { return sink.row(time, row); });
}

bool Recorder::write_held(Row& row) {
  return !std::exchange(row.present, false) || write(row.time, row.values);
}

bool Recorder::row(double time, const std::vector<double>& values) {
  const Timer timer;
  bool fine = write_held(after_);
  select(values, row_);
  fine = write(time, row_) && fine;
  seconds_ += timer.seconds();
  return fine;
}

void Recorder::pass_step(double time, std::span<const double> row) {
  for (Sink* sink : output_.sinks)
    if (sink->wants_steps()) sink->step(time, row);
}

void Recorder::step(double time, const std::vector<double>& values) {
  const Timer timer;
  select(values, row_);
  pass_step(time, row_);
  seconds_ += timer.seconds();
}

void Recorder::before_event(double time, const std::vector<double>& values) {
  const Timer timer;
  if (!after_.present || after_.time != time) {  // else the event continues that of the row held back
    write_held(after_);
    select(values, before_.values);
    before_.time = time;
    before_.present = true;
    if (wants_steps_) pass_step(time, before_.values);
  }
  seconds_ += timer.seconds();
}

bool Recorder::after_event(double time, const std::vector<double>& values, bool changed) {
  const Timer timer;
  select(values, row_);
  if (wants_steps_) pass_step(time, row_);
  const bool continues = after_.present && after_.time == time;
  const bool has_before = std::exchange(before_.present, false);
  const std::size_t shown_columns = row_.size() - output_.watched;
  for (std::size_t k = 0; k < shown_columns && !changed; ++k)
    changed = (has_before && differ(before_.values[k], row_[k])) ||
              (continues && differ(after_.values[k], row_[k]));
  const bool shown = changed && output_.event_rows;
  if (shown) {
    if (!continues) write_held(after_);
    if (has_before && last_time_ != before_.time) write(before_.time, before_.values);
    after_.present = true;
    after_.time = time;
    after_.values.swap(row_);
    row_.resize(output_.columns.size());
  }
  seconds_ += timer.seconds();
  return shown;
}

bool Recorder::save(Archive& archive) {
  const Timer timer;
  archive(rows_, last_time_, seconds_, after_);
  const bool fine = each(output_, error_, [&](Sink& sink) { return sink.save(archive); });
  seconds_ += timer.seconds();
  return fine;
}

bool Recorder::resume(Archive& archive) {
  archive(rows_, last_time_, seconds_, after_);
  return each(output_, error_, [&](Sink& sink) { return sink.resume(output_, archive); });
}

bool Recorder::finish() {
  const Timer timer;
  bool fine = write_held(after_);
  fine = each(output_, error_, [](Sink& sink) { return sink.finish(); }) && fine;
  seconds_ += timer.seconds();
  return fine;
}

}  // namespace runtime
