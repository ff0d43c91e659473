#include "runtime/integrate/defect.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {

// A defect is explained where derivatives change by this part of it with states that differ by this part of
// what is allowed.
constexpr double kExplained = 0.1, kDifferent = 0.1;
// Patterns of changed states: changes may cancel in one of them.
constexpr std::uint64_t kPatterns = 6;

/// The sign of the change of a state: by bits of a hash (Steele, Lea, Flood, Fast splittable pseudorandom
/// number generators, 2014).
double sign_of(std::uint64_t state, std::uint64_t pattern) {
  std::uint64_t z = (state + 1) * 0x9e3779b97f4a7c15ull + pattern * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (z >> 63) ? -1 : 1;
}

}  // namespace

Defect::Defect(ModelInstance& instance, ReducedSystem& system, double tolerance)
    : instance_(instance), system_(system), tolerance_(tolerance) {
  for (auto* list : {&allowed_, &defects_, &derivatives_}) list->assign(system.states(), 0.0);
  slopes_.assign(system.size(), 0.0);
}

bool Defect::derivatives(const double* y, Integrator& integrator, std::vector<double>& out) {
  ++evaluations_;
  if (!system_.output(time_, y, integrator.rates(), {})) return false;
  const std::vector<State>& states = instance_.model.states;
  for (std::size_t s = 0; s < states.size(); ++s) out[s] = instance_.values[states[s].derivative];
  return true;
}

bool Defect::evaluate(double time, Integrator& integrator) {
  time_ = time;
  largest_ = 0;
  integrator.interpolate(time);
  if (!derivatives(integrator.y(), integrator, derivatives_)) return false;
  if (!integrator.slopes(time, slopes_.data())) return true;
  const std::vector<State>& states = instance_.model.states;
  const double* y = integrator.y();
  for (std::size_t s = 0; s < states.size(); ++s) {
    allowed_[s] = tolerance_ * (std::abs(y[s]) + instance_.nominal[states[s].variable]);
    defects_[s] = derivatives_[s] - slopes_[s];
    const double relative = std::abs(defects_[s]) / allowed_[s];
    if (relative > largest_ && std::isfinite(relative)) largest_ = relative;
  }
  return true;
}

bool Defect::is_explained(double length, double allowed, Integrator& integrator) {
  const std::size_t states = system_.states();
  std::vector<std::uint32_t> open;
  for (std::uint32_t s = 0; s < states; ++s)
    if (length * std::abs(defects_[s]) > allowed * allowed_[s]) open.push_back(s);
  const double* y = integrator.y();
  y_.assign(y, y + system_.size());
  changed_.resize(states);
  for (std::uint64_t pattern = 0; pattern < kPatterns && !open.empty(); ++pattern) {
    for (std::size_t s = 0; s < states; ++s) {
      const double sign = pattern == 0 ? std::copysign(1.0, defects_[s]) : sign_of(s, pattern);
      y_[s] = y[s] + sign * kDifferent * allowed_[s];
    }
    if (!derivatives(y_.data(), integrator, changed_)) continue;
    std::erase_if(open, [&](std::uint32_t s) {
      return std::abs(changed_[s] - derivatives_[s]) >= kExplained * std::abs(defects_[s]);
    });
  }
  return open.empty();
}

}  // namespace runtime
