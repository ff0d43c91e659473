#include "runtime/events/time_events.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/events/isolation.h"
#include "runtime/events/pieces.h"

namespace runtime {

namespace {
// Parts of a search after one that found nothing, as parts of the time or of at least some seconds.
constexpr double kFinestPart = 1e-15, kCoarsestPart = 1e-10, kLeastSeconds = 1e-9;
// Instants that differ by less, relative to the time, may be one.
constexpr double kNear = 1e-6;
// What is taken for rounding: multiples of the width of an enclosure at one time; this times more at most.
constexpr double kRounding = 4, kMostRoundings = 1 << 20;
}  // namespace

TimeEvents::TimeEvents(TimeFunctions& functions) : functions_(functions), known_(functions.size()) {
  std::size_t first = 0;
  for (std::size_t f = 0; f < known_.size(); ++f) {
    known_[f].first_input = first;
    first += 1 + functions.inputs(f);
  }
  inputs_.assign(first, 0.0);
}

void TimeEvents::resume() {
  for (Known& known : known_) known = {.first_input = known.first_input};
}

double* TimeEvents::save(double* out) const {
  for (const Known& known : known_) {
    *out++ = known.next;
    *out++ = known.window;
    *out++ = known.touches;
    *out++ = known.valid ? 1.0 : 0.0;
  }
  return std::ranges::copy(inputs_, out).out;
}

const double* TimeEvents::load(const double* in) {
  for (Known& known : known_) {
    known.next = *in++;
    known.window = *in++;
    known.touches = static_cast<int>(*in++);
    known.valid = *in++ != 0;
  }
  std::copy_n(in, inputs_.size(), inputs_.begin());
  return in + inputs_.size();
}

double TimeEvents::next(const Point& point) {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < known_.size(); ++f) next = std::min(next, next_of(f, point));
  return next;
}

double TimeEvents::next_of(std::size_t f, const Point& point) {
  Known& known = known_[f];
  now_.assign(1, Pieces::held(functions_.crossing(f), functions_.row(f), point.parameters));
  functions_.append_inputs(f, point, now_);
  const auto before = inputs_.begin() + static_cast<std::ptrdiff_t>(known.first_input);
  const bool changed = !std::equal(now_.begin(), now_.end(), before);
  if (!known.valid || changed || known.next <= point.time) {
    known.touches = known.valid && !changed ? std::min(known.touches + 1, 1000) : 0;
    std::ranges::copy(now_, before);
    search(f, point);
  }
  return known.next;
}

bool TimeEvents::unchanged_at(double time) const {
  for (std::size_t f = 0; f < known_.size(); ++f)
    if (!functions_.is_fixed(f) || !known_[f].valid || !(known_[f].next - time > kNear * std::abs(time)))
      return false;
  return true;
}

std::optional<std::size_t> TimeEvents::most_touches() const {
  const auto most = std::ranges::max_element(known_, {}, &Known::touches);
  if (most == known_.end() || most->touches == 0) return std::nullopt;
  return static_cast<std::size_t>(most - known_.begin());
}

void TimeEvents::search(std::size_t f, const Point& point) {
  Known& known = known_[f];
  functions_.load(f, point);
  const Pieces pieces = functions_.pieces(f, point.parameters);
  const Interval allowed = pieces.bounds(inputs_[known.first_input]);
  // A function that stays at a boundary, or that jumps where rounding hides the instant, is looked at in
  // parts that grow; no further than to where a crossing could be lost.
  const double growth = std::ldexp(1.0, known.touches);
  const double seconds = std::max(std::abs(point.time), kLeastSeconds);
  const IsolationOptions options{
      .window = known.window,
      .resolution = known.touches == 0 ? 0.0 : std::min(kFinestPart * growth, kCoarsestPart) * seconds,
      .unknown_resolution = kFinestPart * growth * seconds,
      .rounding = kRounding * std::min(growth, kMostRoundings)};
  known.next =
      first_exit([&](Interval time) { return functions_.enclose(f, time); }, allowed, point.time, options);
  known.valid = true;
  if (std::isfinite(known.next))
    known.window = std::max(1.25 * (known.next - point.time), 1e-9 * known.window);
}

}  // namespace runtime
