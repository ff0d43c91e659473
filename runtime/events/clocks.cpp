#include "runtime/events/clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/rounding.h"

namespace runtime {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
// A start or stop that is a multiple of the period, up to this part of a period, is itself the time of a
// tick: the quotient of the two may have been rounded.
constexpr double kWholePeriods = 1e-9;
// From this number on, the ticks of a clock cannot be told apart: their times are rounded to whole periods.
constexpr double kDistinctTicks = 1 / std::numeric_limits<double>::epsilon();
constexpr double kMostTicks = 1e12;  // of one clock: months of computing time
}  // namespace

Clocks::Clocks(const Events& events)
    : events_(events),
      tick_(events.clocks.size(), 0.0),
      next_tick_(events.clocks.size(), kNever),
      elsewhere_(events.clocks.size(), 0) {}

double Clocks::time_of_tick(std::size_t clock, double tick, std::span<const double> parameters) const {
  const Clock& c = events_.clocks[clock];
  double time = parameters[c.offset] + tick * parameters[c.period];
  if (c.jitters > 0) {
    const double index = tick - std::floor(tick / c.jitters) * c.jitters;
    time += parameters[events_.jitters[c.first_jitter + static_cast<std::uint32_t>(index)]];
  }
  const double stop = parameters[c.stop];
  return time > stop + std::max(time_rounding(stop), kWholePeriods * parameters[c.period]) ? kNever : time;
}

/// Of the time of the next tick: a sum, whose terms may be much larger than it is.
double Clocks::rounding(std::size_t clock, std::span<const double> parameters) const {
  const Clock& c = events_.clocks[clock];
  return kTimeRounding *
         std::max(std::abs(parameters[c.offset]), std::abs(tick_[clock] * parameters[c.period]));
}

/// The latest time that is the same as `time`, up to the rounding of it and of the ticks at it.
double Clocks::latest_of(double time, std::span<const double> parameters) const {
  double latest = just_after(time);
  for (std::size_t k = 0; k < next_tick_.size(); ++k)
    if (const double end = time + rounding(k, parameters); next_tick_[k] <= end)
      latest = std::max(latest, end);
  return latest;
}

bool Clocks::start(double time, bool processed, std::span<const double> parameters, Failure& failure) {
  for (std::size_t k = 0; k < next_tick_.size(); ++k) {
    const Clock& c = events_.clocks[k];
    const double period = parameters[c.period];
    std::uint32_t bad = kNone;
    if (std::isnan(parameters[c.stop])) bad = c.stop;
    for (const std::uint32_t p : {c.start, c.offset, c.period})
      if (!std::isfinite(parameters[p])) bad = p;
    if (!(period > 0)) bad = c.period;
    bool fine = bad == kNone;
    double most = 0;
    for (std::uint32_t j = 0; j < c.jitters && fine; ++j) {
      const double here = parameters[events_.jitters[c.first_jitter + j]];
      const double after = parameters[events_.jitters[c.first_jitter + (j + 1) % c.jitters]];
      fine = period + after - here > 0;  // ticks stay in order
      most = std::max(most, std::abs(here));
    }
    if (!fine) {
      failure = Failure{.kind = FailureKind::BadClock, .time = time};
      failure.triggers.push_back(c.trigger);
      if (bad != kNone) failure.parameters.push_back({bad, parameters[bad]});
      return false;
    }
    // The first tick at or after `start`; then the first at or after `time`.
    const double start = std::ceil((parameters[c.start] - parameters[c.offset]) / period - kWholePeriods);
    double& tick = tick_[k];
    tick = std::max(start, std::floor((time - most - parameters[c.offset]) / period) - 1);
    if (!(std::abs(tick) < kDistinctTicks)) {
      failure = Failure{.kind = FailureKind::BadClock, .time = time};
      failure.triggers.push_back(c.trigger);
      failure.parameters.push_back({c.period, period});
      return false;
    }
    for (;; ++tick) {
      next_tick_[k] = time_of_tick(k, tick, parameters);
      const double margin = std::max(time_rounding(time), rounding(k, parameters));
      if (next_tick_[k] >= time - margin && !(processed && next_tick_[k] <= time + margin)) break;
    }
  }
  return true;
}

double Clocks::next_tick() const {
  double next = kNever;
  for (std::size_t k = 0; k < next_tick_.size(); ++k)
    if (!elsewhere_[k]) next = std::min(next, next_tick_[k]);
  return next;
}

std::optional<std::uint32_t> Clocks::endless(double stop, std::span<const double> parameters) const {
  for (std::size_t k = 0; k < next_tick_.size(); ++k) {
    const Clock& c = events_.clocks[k];
    const double left = std::min(stop, parameters[c.stop]) - next_tick_[k];
    if (left > kMostTicks * parameters[c.period]) return c.trigger;
  }
  return std::nullopt;
}

double* Clocks::save(double* out) const {
  out = std::ranges::copy(tick_, out).out;
  return std::ranges::copy(next_tick_, out).out;
}

const double* Clocks::load(const double* in) {
  for (double& tick : tick_) tick = *in++;
  for (double& next : next_tick_) next = *in++;
  return in;
}

}  // namespace runtime
