// One model under simulation: the current values of its parameters and variables, and the evaluator of its
// schedules. The parts of a simulation (event iteration, reduced system, initialisation, …) share it.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/parameters.h"
#include "runtime/solve/schedule.h"

namespace runtime {

struct ModelInstance {
  /// `parameters` and `nominal`: of evaluate_parameters and nominal_values. The thread pool, if any, outlives
  /// the instance and evaluates long kernel batches.
  ModelInstance(const Model& m, std::vector<double> p, std::vector<double> n, ThreadPool* pool = nullptr)
      : model(m),
        parameters(std::move(p)),
        nominal(std::move(n)),
        values(start_values(m, parameters)),
        evaluator(m, nominal),
        thread_pool(pool) {}
  ModelInstance(const ModelInstance&) = delete;
  ModelInstance& operator=(const ModelInstance&) = delete;

  /// The current values, as the point at which kernels are evaluated.
  Point point(double time) { return {time, values.data(), parameters.data(), nullptr, thread_pool}; }

  /// Solves the dynamic schedule and evaluates `observed` from the current values of the states. False:
  /// `failure()`.
  bool observe(double time, std::span<const Step> observed) {
    return evaluator.run_checked(model.dynamic, point(time)) && evaluator.run_checked(observed, point(time));
  }

  /// The last failure of any part of the simulation of this instance.
  Failure& failure() { return evaluator.failure(); }
  const Failure& failure() const { return evaluator.failure(); }

  const Model& model;
  std::vector<double> parameters;  // per parameter; values of zero crossings and selectors of states change
  std::vector<double> nominal;     // per variable: the magnitude that its errors are relative to
  std::vector<double> values;      // per variable
  Evaluator evaluator;
  ThreadPool* thread_pool;
};

}  // namespace runtime
