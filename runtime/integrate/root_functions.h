// The root functions of an integrator: the watched differences of the model (events/crossing_detection.h) as
// functions of the unknowns.
#pragma once
#include <vector>

#include "runtime/events/crossing_detection.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

class RootFunctions {
 public:
  RootFunctions(ModelInstance& instance, ReducedSystem& system, CrossingDetection& detection)
      : instance_(instance), system_(system), detection_(detection) {}
  /// To be called after ReducedSystem::prepare: determines the steps that the functions need.
  void prepare();

  /// The number of watched differences.
  std::size_t count() const { return detection_.watched(); }

  // Callbacks of integrators. False: a value could not be computed.
  /// All of them, `count()` values.
  bool differences(double time, const double* y, const double* rates, double* out);
  /// CrossingDetection::nearest: one function for all.
  bool nearest(double time, const double* y, const double* rates, double& out);
  /// CrossingDetection::crossings, at a root of `nearest`.
  bool crossings(double time, const double* y, const double* rates, std::vector<int>& directions);
  /// The integrator restarts at this time.
  void restart(double time) { detection_.restart(time); }
  const Failure& failure() const { return instance_.failure(); }

 private:
  ModelInstance& instance_;
  ReducedSystem& system_;
  CrossingDetection& detection_;
  std::vector<Step> steps_;  // what the differences read
};

}  // namespace runtime
