// Where the time of a run goes: measured while it goes on, for models that are asked to.
#pragma once
#include <chrono>
#include <cstdint>
#include <vector>

#include "runtime/model.h"

namespace runtime {

struct Profile {
  struct Cost {
    std::uint64_t calls = 0;
    double seconds = 0;
    std::uint64_t iterations = 0;  // of Newton's method, in a nonlinear algebraic loop
  };

  virtual ~Profile() = default;
  /// A model begins: the first one, or, after a change of structure, another one.
  virtual void begin(const Model& model) {
    batches.assign(model.batches.size(), {});
    loops.assign(model.loops.size(), {});
    limits.assign(model.variables, 0);
  }

  std::vector<Cost> batches;          // of Model::batches that schedules evaluate, but for Jacobians
  std::vector<Cost> loops;            // of Model::loops: all iterations
  std::vector<std::uint64_t> limits;  // per variable: steps whose error was largest in it
  std::uint64_t steps = 0;            // of the integrator, and those that errors did not limit
  std::uint64_t unlimited = 0;
  Cost rates, jacobians;  // evaluations of the system for the integrator
  bool inside_jacobian = false;
};

/// Adds the time of its life to a cost, if there is one.
class CostTimer {
 public:
  using Clock = std::chrono::steady_clock;
  explicit CostTimer(Profile::Cost* cost) : cost_(cost), begin_(cost ? Clock::now() : Clock::time_point()) {}
  CostTimer(const CostTimer&) = delete;
  CostTimer& operator=(const CostTimer&) = delete;
  ~CostTimer() {
    if (!cost_) return;
    ++cost_->calls;
    cost_->seconds += std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  Profile::Cost* cost_;
  Clock::time_point begin_;
};

}  // namespace runtime
