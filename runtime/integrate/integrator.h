// The integrators behind one interface. SUNDIALS stays in the .cpp files.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "runtime/failure.h"
#include "runtime/integrate/experiment.h"
#include "runtime/linear/ordering.h"

namespace runtime {

class ReducedSystem;
class ThreadPool;
struct KeptSolver;
class EventIteration;
struct ModelInstance;

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
  /// At the time of the last of `step`, `restart` and `interpolate`.
  virtual const double* y() const = 0;
  virtual const double* rates() const = 0;  // null in the explicit form
  /// Whether the dense output has derivatives; then `slopes` evaluates them at a time within the last step:
  /// `out`, one entry for each unknown.
  virtual bool slopes(double /*time*/, double* /*out*/) { return false; }
  virtual void statistics(Statistics& statistics) const = 0;
  /// The estimated error of the last step that is largest in terms of the tolerance, and its unknown.
  /// Nullopt: errors are not estimated so.
  struct LargestError {
    std::size_t unknown = 0;
    double error = 0;  // 1: as large as the tolerance allows
  };
  virtual std::optional<LargestError> largest_error() { return {}; }
  /// Leaves what the next integrator of the same system can use; this one ends.
  virtual void keep(KeptSolver& /*kept*/) {}
  /// Whether it locates zero crossings itself: a step ends at the first one that is an event of the whole
  /// model, and those of others change there and then.
  virtual bool locates_crossings() const { return false; }
  /// Of such an integrator, by watched number: the directions of the crossings at the end of the last step, 1
  /// upwards, -1 downwards, 0 none; empty: none crossed.
  virtual std::span<const int> crossed() const { return {}; }
  /// Whether it processes zero crossings of time alone, too: they are no limits of its steps.
  virtual bool locates_time_functions() const { return false; }
  /// Whether the present method is Adams.
  virtual bool uses_adams() const { return false; }
  const Failure& failure() const { return failure_; }

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

 protected:
  Failure failure_;
};

struct IntegratorOptions {
  double start = 0;  // seconds
  double stop = 1;
  double begin = 0;         // from here on; not before `start`
  Statistics before = {};   // counters up to there
  double tolerance = 1e-6;  // of a step, relative
  double longest_step = std::numeric_limits<double>::infinity();
  std::uint32_t rows = 500;  // of results: the steps of a model without states
  bool adams = false;        // at first, if the method changes
  bool changes_method = false;
  Ordering ordering = Ordering::Auto;
  ThreadPool* thread_pool = nullptr;  // for long vectors; outlives the integrator
  KeptSolver* kept = nullptr;         // of an integrator of the same system; is taken
};

/// CVODE, for the explicit form. Null: `failure`.
std::unique_ptr<Integrator> make_cvode(ReducedSystem& system, const IntegratorOptions& options,
                                       Failure& failure);
/// IDA, for the implicit form. Null: `failure`.
std::unique_ptr<Integrator> make_ida(ReducedSystem& system, const IntegratorOptions& options,
                                     Failure& failure);
/// Quantised states, for the explicit form. The tolerance is that of the results. Null: `failure`.
std::unique_ptr<Integrator> make_qss(ModelInstance& instance, ReducedSystem& system, EventIteration& events,
                                     const IntegratorOptions& options, Failure& failure);
/// For a model without states.
std::unique_ptr<Integrator> make_sampler(const IntegratorOptions& options);

}  // namespace runtime
