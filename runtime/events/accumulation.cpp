#include "runtime/events/accumulation.h"

namespace runtime {

namespace {
// An interval is shorter than the one before if it is by this factor; so many in a row are no coincidence.
constexpr double kShorter = 0.95;
constexpr std::uint32_t kMany = 8;
}  // namespace

std::optional<std::uint32_t> Accumulation::fired(std::span<const std::uint8_t> triggers, double time,
                                                 double shortest) {
  std::optional<std::uint32_t> first;
  for (std::uint32_t t = 0; t < triggers.size(); ++t) {
    State& state = states_[t];
    if (!triggers[t] || time <= state.last) continue;  // another round, or a return to an event
    const double interval = time - state.last;
    state.shorter = interval < kShorter * state.interval ? state.shorter + 1 : 0;
    state.last = time;
    state.interval = interval;
    if (state.shorter >= kMany && interval <= shortest && !first) first = t;
  }
  return first;
}

double* Accumulation::save(double* out) const {
  for (const State& state : states_) {
    *out++ = state.last;
    *out++ = state.interval;
    *out++ = state.shorter;
  }
  return out;
}

const double* Accumulation::load(const double* in) {
  for (State& state : states_) {
    state.last = *in++;
    state.interval = *in++;
    state.shorter = static_cast<std::uint32_t>(*in++);
  }
  return in;
}

}  // namespace runtime
