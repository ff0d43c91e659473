// Which states the absolute tolerance hides.
//
// The error of a state may be the tolerance times the larger of the state and its nominal value. A state that
// stays far below its nominal value, which is 1 unless the model declares another, is therefore known to a
// few digits, or to none. The largest magnitude of each state over the steps decides; the integrator of
// quantised states, whose steps are those of single states, is not examined.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/integrate/experiment.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

/// Whether the state is not zero (up to rounding), but far below its nominal value and not far above its
/// absolute tolerance. `tolerance`: the relative one.
bool is_hidden(const StateScale& state, double tolerance);

/// Whether the state is far below its nominal value.
bool is_far_below(const StateScale& state);

class StateScales {
 public:
  /// `tolerance`: relative, of the experiment.
  StateScales(const ReducedSystem& system, std::size_t states, double tolerance)
      : system_(system), tolerance_(tolerance), largest_(states, 0.0) {}

  /// `y`: the unknowns of the integrator at the start, at the end of a step, or after an event.
  void observe(std::span<const double> y) {
    for (std::size_t k = 0; k < largest_.size(); ++k) {
      const double magnitude = y[k] < 0 ? -y[k] : y[k];
      if (magnitude > largest_[k]) largest_[k] = magnitude;
    }
  }
  /// By state, so far.
  const std::vector<double>& largest() const { return largest_; }
  void set_largest(const std::vector<double>& largest) { largest_ = largest; }
  /// Of all states, if one of them is hidden; else none.
  std::vector<StateScale> scales() const;

 private:
  const ReducedSystem& system_;
  double tolerance_;
  std::vector<double> largest_;
};

}  // namespace runtime
