// What CVODE and ARKODE have in common: the explicit form y' = f(t, y) with its analytic sparse Jacobian J,
// and the reasons of failures. The matrix I - γJ is formed here and not by SUNDIALS: the values of J are
// kept, so a new γ costs one pass over the nonzeros.
#pragma once
#include <string>
#include <vector>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/solver_objects.h"

namespace runtime {

class ExplicitIntegrator : public Integrator {
 public:
  explicit ExplicitIntegrator(ReducedSystem& system) : system_(system) {}
  Failure stuck() override;
  double time() const override { return time_; }
  const double* y() const override { return data(at_end_ ? y_ : dense_y_); }
  const double* rates() const override { return nullptr; }

 protected:
  /// Why a call of the solver failed, apart from the functions that it calls.
  enum class Cause : std::uint8_t { Function, Tolerance, ErrorTest, Convergence, Other };

  /// The callbacks of a solver whose user data is this object: 0, or 1 for "try a smaller step".
  static int right_hand_side(double time, Vector y, Vector out, void* self);
  int linear_system(double time, Vector y, bool keep, int* fresh, double gamma);
  static void ignore_message(int, const char*, const char*, char*, void*) {}

  /// What a solver counts.
  struct Counters {
    long steps = 0, evaluations = 0, factorisations = 0, rejected = 0, iterations = 0, failures = 0,
         jacobians = 0;
  };
  /// These and those from before the last restart.
  void fill(const Counters& counters, Statistics& statistics) const;

  /// Vectors and the linear solver; the initial state and the absolute tolerances.
  bool allocate(const IntegratorOptions& options, Vector& tolerances);
  /// Reads the state from the instance, for a restart.
  void begin(double time);
  /// The reason of a failure of the step; `call` and `flag` for a cause that is a bug.
  void explain(Cause cause, const char* call, int flag);
  bool check(int flag, const char* call);

  /// The length of the current step, and the estimated errors and weights of the unknowns. False: none.
  virtual double current_step() const = 0;
  virtual bool estimate_errors(Vector errors, Vector weights) const = 0;

  ReducedSystem& system_;
  SolverObjects objects_;
  Vector y_ = nullptr, dense_y_ = nullptr, slopes_ = nullptr, errors_ = nullptr, weights_ = nullptr;
  double time_ = 0, stop_ = 0;
  Statistics before_;             // counters up to the last restart
  bool at_end_ = true;            // the state is that at `time_`
  std::uint64_t rejections_ = 0;  // of callbacks, since time last advanced

 private:
  void add_errors();

  std::vector<double> jacobian_;
  // The last point at which a callback failed, for the message of a failure.
  bool rejected_ = false;  // the last callback failed
  double rejected_time_ = 0;
  std::vector<double> rejected_y_;
};

}  // namespace runtime
