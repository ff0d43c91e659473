// ARKODE on the explicit form: an L-stable diagonally implicit Runge-Kutta method of order 5 with error
// estimates of order 4 (ESDIRK5(4)7L[2]SA; Kennedy and Carpenter, "Diagonally implicit Runge-Kutta methods
// for stiff ODEs", Applied Numerical Mathematics 146, 2019), and Newton's method. BDF formulas of order 3 and
// more are unstable near the imaginary axis; this one is not, so weakly damped oscillations of high frequency
// that hardly move do not limit the step.
#include <arkode/arkode_arkstep.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>

#include "runtime/integrate/explicit_integrator.h"

namespace runtime {

namespace {

class ArkodeIntegrator final : public ExplicitIntegrator {
 public:
  using ExplicitIntegrator::ExplicitIntegrator;
  ~ArkodeIntegrator() override {
    if (memory_) ARKStepFree(&memory_);
  }

  bool make(const IntegratorOptions& options);
  bool step() override;
  bool limit(double time) override;
  bool restart(double time, double first_step) override;
  void interpolate(double time) override;
  bool slopes(double time, double* out) override;
  void statistics(Statistics& statistics) const override;

 private:
  static int matrix(double time, N_Vector y, N_Vector, SUNMatrix, SUNMatrix, booleantype keep,
                    booleantype* fresh, double gamma, void* self, N_Vector, N_Vector, N_Vector) {
    return static_cast<ArkodeIntegrator*>(self)->linear_system(time, y, keep, fresh, gamma);
  }
  static Cause cause(int flag);
  double current_step() const override;
  bool estimate_errors(N_Vector errors, N_Vector weights) const override;

  void* memory_ = nullptr;
};

bool ArkodeIntegrator::make(const IntegratorOptions& options) {
  Vector tolerances = nullptr;
  if (!allocate(options, tolerances)) return false;
  memory_ = ARKStepCreate(nullptr, right_hand_side, time_, y_, objects_.context());
  if (!memory_) return check(-1, "ARKStepCreate");
  return check(ARKStepSetErrHandlerFn(memory_, ignore_message, nullptr), "ARKStepSetErrHandlerFn") &&
         check(ARKStepSetTableNum(memory_, ARKODE_ESDIRK547L2SA_7_4_5, ARKODE_ERK_NONE),
               "ARKStepSetTableNum") &&
         check(ARKStepSetInterpolantType(memory_, ARK_INTERP_HERMITE), "ARKStepSetInterpolantType") &&
         check(ARKStepSetInterpolantDegree(memory_, 5), "ARKStepSetInterpolantDegree") &&
         check(ARKStepSVtolerances(memory_, options.tolerance, tolerances), "ARKStepSVtolerances") &&
         check(ARKStepSetUserData(memory_, this), "ARKStepSetUserData") &&
         check(ARKStepSetLinearSolver(memory_, objects_.linear_solver(), objects_.matrix()),
               "ARKStepSetLinearSolver") &&
         check(ARKStepSetLinSysFn(memory_, matrix), "ARKStepSetLinSysFn") &&
         check(ARKStepSetMaxErrTestFails(memory_, 30), "ARKStepSetMaxErrTestFails") &&
         check(ARKStepSetMaxConvFails(memory_, 30), "ARKStepSetMaxConvFails") &&
         check(ARKStepSetStopTime(memory_, options.stop), "ARKStepSetStopTime") &&
         (!std::isfinite(options.longest_step) ||
          check(ARKStepSetMaxStep(memory_, options.longest_step), "ARKStepSetMaxStep"));
}

bool ArkodeIntegrator::step() {
  double reached = time_;
  const int flag = ARKStepEvolve(memory_, stop_, y_, &reached, ARK_ONE_STEP);
  if (reached > time_) rejections_ = 0;
  time_ = reached;
  if (flag >= 0) return true;
  explain(cause(flag), "ARKStepEvolve", flag);
  return false;
}

bool ArkodeIntegrator::limit(double time) {
  stop_ = time;
  return check(ARKStepSetStopTime(memory_, stop_), "ARKStepSetStopTime");
}

bool ArkodeIntegrator::restart(double time, double first_step) {
  Statistics so_far;
  statistics(so_far);
  before_ = so_far;
  begin(time);
  return check(ARKStepReInit(memory_, nullptr, right_hand_side, time_, y_), "ARKStepReInit") &&
         check(ARKStepSetInitStep(memory_, first_step), "ARKStepSetInitStep") &&
         check(ARKStepSetStopTime(memory_, stop_), "ARKStepSetStopTime");
}

ExplicitIntegrator::Cause ArkodeIntegrator::cause(int flag) {
  switch (flag) {
    case ARK_RHSFUNC_FAIL:
    case ARK_FIRST_RHSFUNC_ERR:
    case ARK_REPTD_RHSFUNC_ERR:
    case ARK_UNREC_RHSFUNC_ERR: return Cause::Function;
    case ARK_TOO_MUCH_ACC: return Cause::Tolerance;
    case ARK_ERR_FAILURE: return Cause::ErrorTest;
    case ARK_CONV_FAILURE:
    case ARK_LSOLVE_FAIL:
    case ARK_LSETUP_FAIL: return Cause::Convergence;
    default: return Cause::Other;
  }
}

double ArkodeIntegrator::current_step() const {
  double step = 0;
  ARKStepGetCurrentStep(memory_, &step);
  return step;
}

bool ArkodeIntegrator::estimate_errors(N_Vector errors, N_Vector weights) const {
  return ARKStepGetEstLocalErrors(memory_, errors) >= 0 && ARKStepGetErrWeights(memory_, weights) >= 0;
}

void ArkodeIntegrator::interpolate(double time) {
  at_end_ = time == time_ || ARKStepGetDky(memory_, time, 0, dense_y_) < 0;
}

bool ArkodeIntegrator::slopes(double time, double* out) {
  if (ARKStepGetDky(memory_, time, 1, slopes_) < 0) return false;
  std::copy_n(data(slopes_), system_.size(), out);
  return true;
}

void ArkodeIntegrator::statistics(Statistics& s) const {
  Counters c;
  ARKStepGetNumSteps(memory_, &c.steps);
  long of_explicit_part = 0;
  ARKStepGetNumRhsEvals(memory_, &of_explicit_part, &c.evaluations);
  ARKStepGetNumLinSolvSetups(memory_, &c.factorisations);
  ARKStepGetNumErrTestFails(memory_, &c.rejected);
  ARKStepGetNonlinSolvStats(memory_, &c.iterations, &c.failures);
  ARKStepGetNumJacEvals(memory_, &c.jacobians);
  s.last_order = 5;
  ARKStepGetLastStep(memory_, &s.last_step);
  if (before_.initial_step == 0) ARKStepGetActualInitStep(memory_, &s.initial_step);
  s.solver = "ARKODE ESDIRK";
  fill(c, s);
}

}  // namespace

std::unique_ptr<Integrator> make_arkode(ReducedSystem& system, const IntegratorOptions& options,
                                        Failure& failure) {
  auto integrator = std::make_unique<ArkodeIntegrator>(system);
  if (integrator->make(options)) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
