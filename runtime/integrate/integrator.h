// The integrators behind one interface. SUNDIALS stays in the .cpp files.
#pragma once
#include <limits>
#include <memory>

#include "runtime/failure.h"
#include "runtime/integrate/experiment.h"
#include "runtime/linear/ordering.h"

namespace runtime {

class ReducedSystem;
class ThreadPool;

/// Advances a reduced system step by step from the current values of its instance.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// One step of the integrator's own choice, at most to the limit. False: `failure()`.
  virtual bool step() = 0;
  /// No step goes beyond this time, which is not before `time()`.
  virtual bool limit(double time) = 0;
  /// Restarts from the current values of the instance, which are those of `time`, not later than `time()`.
  /// The length of the first step is `first_step`, or, if that is 0, the integrator's choice. False:
  /// `failure()`.
  virtual bool restart(double time, double first_step = 0) = 0;
  /// The failure of steps so small that time does not advance.
  virtual Failure stuck() = 0;
  virtual double time() const = 0;
  /// Evaluates the dense output at a time within the last step: `y` and `rates`, one entry for each unknown.
  virtual void interpolate(double time) = 0;
  virtual const double* y() const = 0;
  virtual const double* rates() const = 0;  // null in the explicit form
  virtual void statistics(Statistics& statistics) const = 0;
  const Failure& failure() const { return failure_; }

 protected:
  /// The counters of a solver begin anew at a restart: adds those from before.
  static void add(const Statistics& before, Statistics& now) {
    now.steps += before.steps;
    now.evaluations += before.evaluations;
    now.factorisations += before.factorisations;
    now.error_test_failures += before.error_test_failures;
    now.newton_iterations += before.newton_iterations;
    now.newton_failures += before.newton_failures;
    now.jacobians += before.jacobians;
    if (before.initial_step > 0) now.initial_step = before.initial_step;
  }
  Failure failure_;
};

struct IntegratorOptions {
  double start = 0;  // seconds
  double stop = 1;
  double tolerance = 1e-6;  // of a step, relative
  double longest_step = std::numeric_limits<double>::infinity();
  std::uint32_t rows = 500;  // of results: the steps of a model without states
  bool adams = false;
  Ordering ordering = Ordering::Auto;
  ThreadPool* thread_pool = nullptr;  // for long vectors; outlives the integrator
};

/// CVODE, for the explicit form. Null: `failure`.
std::unique_ptr<Integrator> make_cvode(ReducedSystem& system, const IntegratorOptions& options,
                                       Failure& failure);
/// IDA, for the implicit form. Null: `failure`.
std::unique_ptr<Integrator> make_ida(ReducedSystem& system, const IntegratorOptions& options,
                                     Failure& failure);
/// For a model without states.
std::unique_ptr<Integrator> make_sampler(const IntegratorOptions& options);

}  // namespace runtime
