// Records the delayed signals during each step of an integrator in the history (events/history.h).
#pragma once
#include <vector>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

class HistoryRecorder {
 public:
  HistoryRecorder(ModelInstance& instance, ReducedSystem& system, History& history)
      : instance_(instance), system_(system), history_(history) {}
  /// To be called after ReducedSystem::prepare: determines the steps that the sources of delays need.
  void prepare();

  /// Extends the history to `time`, the end of the integrator's last step, by its dense output. False: a
  /// value could not be computed.
  bool record(double time, Integrator& integrator);

 private:
  ModelInstance& instance_;
  ReducedSystem& system_;
  History& history_;
  std::vector<Step> steps_;  // what the sources of delays need
};

}  // namespace runtime
