#include "runtime/results/recorder.h"

#include <utility>

#include "runtime/timer.h"

namespace runtime {

namespace {

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

}  // namespace

bool Recorder::begin() {
  return each(output_, error_, [&](Sink& sink) { return sink.begin(output_); });
}

bool Recorder::row(double time, const std::vector<double>& values) {
  const Timer timer;
  for (std::size_t k = 0; k < row_.size(); ++k) {
    const Column& column = output_.columns[k];
    const double value = column.variable == kNone ? 0.0 : values[column.variable];
    row_[k] = column.negated ? 0.0 - value : value;  // never a negative zero
  }
  ++rows_;
  const bool fine = each(output_, error_, [&](Sink& sink) { return sink.row(time, row_); });
  seconds_ += timer.seconds();
  return fine;
}

bool Recorder::finish() {
  const Timer timer;
  const bool fine = each(output_, error_, [](Sink& sink) { return sink.finish(); });
  seconds_ += timer.seconds();
  return fine;
}

}  // namespace runtime
