// IDA on the implicit form: variable-order BDF, Newton's method with the analytic sparse Jacobian dF/dy + c
// dF/dy'.
#include <ida/ida.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/kept_solver.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/solver_objects.h"

namespace runtime {

namespace {

class IdaIntegrator final : public Integrator {
 public:
  explicit IdaIntegrator(ReducedSystem& system) : system_(system) {}
  ~IdaIntegrator() override {
    if (memory_) IDAFree(&memory_);
  }

  bool make(const IntegratorOptions& options);
  bool step() override;
  bool limit(double time) override;
  bool restart(double time, double first_step) override;
  Failure stuck() override;
  double time() const override { return time_; }
  void interpolate(double time) override;
  const double* y() const override { return data(at_end_ ? y_ : dense_y_); }
  const double* rates() const override { return data(at_end_ ? rates_ : dense_rates_); }
  bool slopes(double time, double* out) override;
  void statistics(Statistics& statistics) const override;
  std::optional<LargestError> largest_error() override {
    if (IDAGetEstLocalErrors(memory_, errors_) < 0 || IDAGetErrWeights(memory_, weights_) < 0) return {};
    return SolverObjects::largest(system_, data(errors_), data(weights_));
  }
  void keep(KeptSolver& kept) override { kept.linear = objects_.take_linear_system(); }

 private:
  static int residual(double time, N_Vector y, N_Vector rates, N_Vector out, void* self);
  static int jacobian(double time, double rate, N_Vector y, N_Vector rates, N_Vector, SUNMatrix, void* self,
                      N_Vector, N_Vector, N_Vector);
  static void ignore_message(int, const char*, const char*, char*, void*) {}
  bool check(int flag, const char* call);
  void reject(double time, N_Vector y, N_Vector rates) {
    rejected_ = true;
    ++rejections_;
    rejected_time_ = time;
    std::copy_n(data(y), rejected_y_.size(), rejected_y_.begin());
    std::copy_n(data(rates), rejected_rates_.size(), rejected_rates_.begin());
  }
  bool suppress_if_noisy();
  bool suppress(bool on);
  void explain(int flag);
  void add_errors();

  ReducedSystem& system_;
  SolverObjects objects_;
  void* memory_ = nullptr;
  Vector y_ = nullptr, rates_ = nullptr, dense_y_ = nullptr, dense_rates_ = nullptr, errors_ = nullptr,
         weights_ = nullptr;
  std::vector<double> jacobian_;
  double time_ = 0, stop_ = 0;
  Statistics before_;                                  // counters up to the last restart
  bool suppressed_ = false, ever_suppressed_ = false;  // the error test is of the states alone
  bool at_end_ = true;                                 // the state is that at `time_`
  // The last point at which a callback failed, for the message of a failure.
  bool rejected_ = false;         // the last callback failed
  std::uint64_t rejections_ = 0;  // since time last advanced
  double rejected_time_ = 0;
  std::vector<double> rejected_y_, rejected_rates_;
};

int IdaIntegrator::residual(double time, N_Vector y, N_Vector rates, N_Vector out, void* self) {
  auto& me = *static_cast<IdaIntegrator*>(self);
  const bool done = me.system_.residuals(time, data(y), data(rates), data(out));
  me.rejected_ = false;
  if (done) return 0;
  me.reject(time, y, rates);
  return 1;  // try a smaller step
}

int IdaIntegrator::jacobian(double time, double rate, N_Vector y, N_Vector rates, N_Vector, SUNMatrix,
                            void* self, N_Vector, N_Vector, N_Vector) {
  auto& me = *static_cast<IdaIntegrator*>(self);
  if (!me.system_.jacobian(time, data(y), data(rates), rate, me.jacobian_.data())) return 1;
  const ChainRule& chain = me.system_.jacobian();
  me.objects_.fill(chain.diagonal(), me.jacobian_, 1.0, 0.0);
  return 0;
}

bool IdaIntegrator::check(int flag, const char* call) {
  if (flag >= 0) return true;
  failure_ = Failure{.kind = FailureKind::Internal};
  failure_.error = std::string(call) + " returned " + std::to_string(flag);
  return false;
}

bool IdaIntegrator::make(const IntegratorOptions& options) {
  if (!objects_.make(system_, options.ordering, options.thread_pool, options.kept))
    return check(-1, "SUNDIALS");
  for (Vector* v : {&y_, &rates_, &dense_y_, &dense_rates_, &errors_, &weights_})
    if (!(*v = objects_.new_vector())) return check(-1, "N_VNew");
  Vector tolerances = objects_.new_vector();
  memory_ = IDACreate(objects_.context());
  if (!memory_ || !tolerances) return check(-1, "IDACreate");
  jacobian_.assign(system_.jacobian().pattern().nonzeros(), 0.0);
  rejected_y_.assign(system_.size(), 0.0);
  rejected_rates_.assign(system_.size(), 0.0);
  time_ = options.begin;
  stop_ = options.stop;
  before_ = options.before;
  system_.read(data(y_), data(rates_));
  const Vector is_state = objects_.new_vector();
  if (!is_state) return check(-1, "N_VNew");
  for (std::size_t k = 0; k < system_.size(); ++k) {
    data(tolerances)[k] = options.tolerance * system_.nominal(k);
    data(is_state)[k] = k < system_.states() ? 1 : 0;
  }
  return check(IDASetErrHandlerFn(memory_, ignore_message, nullptr), "IDASetErrHandlerFn") &&
         check(IDAInit(memory_, residual, time_, y_, rates_), "IDAInit") &&
         check(IDASVtolerances(memory_, options.tolerance, tolerances), "IDASVtolerances") &&
         check(IDASetUserData(memory_, this), "IDASetUserData") &&
         check(IDASetLinearSolver(memory_, objects_.linear_solver(), objects_.matrix()),
               "IDASetLinearSolver") &&
         check(IDASetJacFn(memory_, jacobian), "IDASetJacFn") &&
         check(IDASetId(memory_, is_state), "IDASetId") &&
         check(IDASetMaxErrTestFails(memory_, 30), "IDASetMaxErrTestFails") &&
         check(IDASetMaxConvFails(memory_, 30), "IDASetMaxConvFails") &&
         check(IDASetStopTime(memory_, options.stop), "IDASetStopTime") &&
         (!std::isfinite(options.longest_step) ||
          check(IDASetMaxStep(memory_, options.longest_step), "IDASetMaxStep"));
}

bool IdaIntegrator::step() {
  double reached = time_;
  const int flag = IDASolve(memory_, stop_, &reached, y_, rates_, IDA_ONE_STEP);
  if (reached > time_) rejections_ = 0;
  time_ = reached;
  at_end_ = true;
  if (flag >= 0) return suppress_if_noisy();
  explain(flag);
  return false;
}

/// Where loops are badly conditioned the error of their unknowns is rounding, which does not decrease with
/// the step, and nearly every step is rejected. Then, until the next restart, only states take part in the
/// error test.
bool IdaIntegrator::suppress_if_noisy() {
  constexpr long kMany = 50;
  long steps = 0, rejected = 0;
  IDAGetNumSteps(memory_, &steps);
  IDAGetNumErrTestFails(memory_, &rejected);
  if (suppressed_ || rejected < kMany || 2 * rejected < steps) return true;
  return suppress(true);
}

bool IdaIntegrator::suppress(bool on) {
  suppressed_ = on;
  ever_suppressed_ = ever_suppressed_ || on;
  return check(IDASetSuppressAlg(memory_, on ? SUNTRUE : SUNFALSE), "IDASetSuppressAlg");
}

bool IdaIntegrator::limit(double time) {
  stop_ = time;
  return check(IDASetStopTime(memory_, stop_), "IDASetStopTime");
}

bool IdaIntegrator::restart(double time, double first_step) {
  time_ = time;
  Statistics so_far;
  statistics(so_far);
  before_ = so_far;
  system_.read(data(y_), data(rates_));
  at_end_ = true;
  return check(IDAReInit(memory_, time_, y_, rates_), "IDAReInit") && suppress(false) &&
         check(IDASetInitStep(memory_, first_step), "IDASetInitStep") &&
         check(IDASetStopTime(memory_, stop_), "IDASetStopTime");
}

Failure IdaIntegrator::stuck() {
  failure_ = rejections_ > 0 ? system_.explain(rejected_time_, rejected_y_.data(), rejected_rates_.data())
                             : Failure{};
  if (!failure_) failure_ = Failure{.kind = FailureKind::NoProgress};
  add_errors();
  return failure_;
}

void IdaIntegrator::explain(int flag) {
  failure_ = Failure{};
  if (rejected_ || flag == IDA_RES_FAIL || flag == IDA_FIRST_RES_FAIL || flag == IDA_REP_RES_ERR) {
    failure_ = system_.explain(rejected_time_, rejected_y_.data(), rejected_rates_.data());
    if (!failure_) failure_.kind = FailureKind::Convergence;
  } else if (flag == IDA_TOO_MUCH_ACC) {
    failure_.kind = FailureKind::ToleranceTooSmall;
  } else if (flag == IDA_ERR_FAIL) {
    failure_.kind = FailureKind::ErrorTest;
  } else if (flag == IDA_CONV_FAIL || flag == IDA_LSOLVE_FAIL || flag == IDA_LSETUP_FAIL) {
    failure_.kind = FailureKind::Convergence;
  } else if (flag == IDA_ILL_INPUT) {  // a rate is so large that the first step is zero, or a state infinite
    failure_.kind = FailureKind::NoProgress;
  } else {
    check(flag, "IDASolve");
  }
  add_errors();
}

void IdaIntegrator::add_errors() {
  failure_.time = time_;
  IDAGetCurrentStep(memory_, &failure_.step);
  if (!failure_.variables.empty() || IDAGetEstLocalErrors(memory_, errors_) < 0 ||
      IDAGetErrWeights(memory_, weights_) < 0)
    return;
  const bool no_step = failure_.step == 0;  // there is no error yet: the rates decide what a step is
  SolverObjects::add_worst(system_, data(y_), data(no_step ? rates_ : errors_), data(weights_), failure_);
}

void IdaIntegrator::interpolate(double time) {
  at_end_ = time == time_ || IDAGetDky(memory_, time, 0, dense_y_) < 0 ||
            IDAGetDky(memory_, time, 1, dense_rates_) < 0;
}

bool IdaIntegrator::slopes(double time, double* out) {
  if (IDAGetDky(memory_, time, 1, dense_rates_) < 0) return false;
  std::copy_n(data(dense_rates_), system_.size(), out);
  return true;
}

void IdaIntegrator::statistics(Statistics& s) const {
  s.solver =
      ever_suppressed_ ? "IDA, error test at times of the states alone (badly conditioned loops)" : "IDA";
  s.linear_solver = objects_.linear_solver_name();
  s.ordering = objects_.ordering_name();
  long steps = 0, evaluations = 0, setups = 0, errors = 0, iterations = 0, failures = 0, jacobians = 0;
  IDAGetNumSteps(memory_, &steps);
  IDAGetNumResEvals(memory_, &evaluations);
  IDAGetNumLinSolvSetups(memory_, &setups);
  IDAGetNumErrTestFails(memory_, &errors);
  IDAGetNonlinSolvStats(memory_, &iterations, &failures);
  IDAGetNumJacEvals(memory_, &jacobians);
  IDAGetLastOrder(memory_, &s.last_order);
  IDAGetLastStep(memory_, &s.last_step);
  if (before_.initial_step == 0) IDAGetActualInitStep(memory_, &s.initial_step);
  s.steps = steps;
  s.evaluations = evaluations;
  s.factorisations = setups;
  s.error_test_failures = errors;
  s.newton_iterations = iterations;
  s.newton_failures = failures;
  s.jacobians = jacobians;
  add(before_, s);
}

}  // namespace

std::unique_ptr<Integrator> make_ida(ReducedSystem& system, const IntegratorOptions& options,
                                     Failure& failure) {
  auto integrator = std::make_unique<IdaIntegrator>(system);
  if (integrator->make(options)) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
