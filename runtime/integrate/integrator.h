// The integrators behind one interface. SUNDIALS stays in the .cpp files.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "runtime/integrate/problem.h"
#include "runtime/integrate/simulate.h"

namespace runtime {

/// Advances a Problem step by step from its present values.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// One step of its own choice, not past the limit, and to where a watched difference passes zero. False:
  /// `failure()`.
  virtual bool step() = 0;
  /// Directions in which watched differences passed zero at the end of the last step; empty when none did.
  std::span<const int> crossed() const { return crossed_; }
  /// No step goes beyond this time.
  virtual bool limit(double time) = 0;
  /// Begins anew from the problem's present values, which are of this time, not later than `time()`: its
  /// states have become others. False: `failure()`.
  virtual bool restart(double time) = 0;
  /// Why steps have become so small that time stands still.
  virtual Failure stuck() = 0;
  virtual double time() const = 0;
  /// The unknowns and their rates at a time within the last step.
  virtual void interpolate(double time) = 0;
  virtual const double* y() const = 0;
  virtual const double* rates() const = 0;  // null in the explicit form
  virtual void statistics(Statistics& statistics) const = 0;
  const Failure& failure() const { return failure_; }

 protected:
  /// The solver counts from its last start; what it did before is added.
  static void add(const Statistics& before, Statistics& now) {
    now.steps += before.steps;
    now.evaluations += before.evaluations;
    now.factorisations += before.factorisations;
    now.error_test_failures += before.error_test_failures;
    now.newton_iterations += before.newton_iterations;
    now.newton_failures += before.newton_failures;
    now.jacobians += before.jacobians;
  }
  Failure failure_;
  std::vector<int> crossed_;
};

struct IntegratorOptions {
  double start = 0;
  double stop = 1;
  double tolerance = 1e-6;
  std::uint32_t rows = 500;  // of results, where nothing else says how long a step is
  bool adams = false;
  Ordering ordering = Ordering::Auto;
  ThreadPool* thread_pool = nullptr;  // for large ranges; it outlives the integrator
};

std::unique_ptr<Integrator> make_cvode(Problem& problem, const IntegratorOptions& options, Failure& failure);
/// Of a model without states.
std::unique_ptr<Integrator> make_sampler(Problem& problem, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_ida(Problem& problem, const IntegratorOptions& options, Failure& failure);

}  // namespace runtime
