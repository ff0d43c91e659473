// CVODE on the explicit form: BDF or Adams, and Newton's method.
#include <cvode/cvode.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>

#include "runtime/integrate/explicit_integrator.h"

namespace runtime {

namespace {

class CvodeIntegrator final : public ExplicitIntegrator {
 public:
  using ExplicitIntegrator::ExplicitIntegrator;
  ~CvodeIntegrator() override {
    if (memory_) CVodeFree(&memory_);
  }

  bool make(const IntegratorOptions& options);
  bool step() override;
  bool limit(double time) override;
  bool restart(double time, double first_step) override;
  void interpolate(double time) override;
  bool slopes(double time, double* out) override;
  void statistics(Statistics& statistics) const override;

 private:
  static int matrix(double time, N_Vector y, N_Vector, SUNMatrix, booleantype keep, booleantype* fresh,
                    double gamma, void* self, N_Vector, N_Vector, N_Vector) {
    return static_cast<CvodeIntegrator*>(self)->linear_system(time, y, keep, fresh, gamma);
  }
  static Cause cause(int flag);
  double current_step() const override;
  bool estimate_errors(N_Vector errors, N_Vector weights) const override;

  void* memory_ = nullptr;
  bool adams_ = false;
};

bool CvodeIntegrator::make(const IntegratorOptions& options) {
  adams_ = options.method == IntegratorOptions::Adams;
  Vector tolerances = nullptr;
  if (!allocate(options, tolerances)) return false;
  memory_ = CVodeCreate(adams_ ? CV_ADAMS : CV_BDF, objects_.context());
  if (!memory_) return check(-1, "CVodeCreate");
  return check(CVodeSetErrHandlerFn(memory_, ignore_message, nullptr), "CVodeSetErrHandlerFn") &&
         check(CVodeInit(memory_, right_hand_side, time_, y_), "CVodeInit") &&
         check(CVodeSVtolerances(memory_, options.tolerance, tolerances), "CVodeSVtolerances") &&
         check(CVodeSetUserData(memory_, this), "CVodeSetUserData") &&
         check(CVodeSetLinearSolver(memory_, objects_.linear_solver(), objects_.matrix()),
               "CVodeSetLinearSolver") &&
         check(CVodeSetLinSysFn(memory_, matrix), "CVodeSetLinSysFn") &&
         check(CVodeSetMaxErrTestFails(memory_, 30), "CVodeSetMaxErrTestFails") &&
         check(CVodeSetMaxConvFails(memory_, 30), "CVodeSetMaxConvFails") &&
         check(CVodeSetStopTime(memory_, options.stop), "CVodeSetStopTime") &&
         (!std::isfinite(options.longest_step) ||
          check(CVodeSetMaxStep(memory_, options.longest_step), "CVodeSetMaxStep"));
}

bool CvodeIntegrator::step() {
  double reached = time_;
  const int flag = CVode(memory_, stop_, y_, &reached, CV_ONE_STEP);
  if (reached > time_) rejections_ = 0;
  time_ = reached;
  if (flag >= 0) return true;
  explain(cause(flag), "CVode", flag);
  return false;
}

bool CvodeIntegrator::limit(double time) {
  stop_ = time;
  return check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

bool CvodeIntegrator::restart(double time, double first_step) {
  Statistics so_far;
  statistics(so_far);
  before_ = so_far;
  begin(time);
  return check(CVodeReInit(memory_, time_, y_), "CVodeReInit") &&
         check(CVodeSetInitStep(memory_, first_step), "CVodeSetInitStep") &&
         check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

ExplicitIntegrator::Cause CvodeIntegrator::cause(int flag) {
  switch (flag) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return Cause::Function;
    case CV_TOO_MUCH_ACC: return Cause::Tolerance;
    case CV_ERR_FAILURE: return Cause::ErrorTest;
    case CV_CONV_FAILURE:
    case CV_LSOLVE_FAIL:
    case CV_LSETUP_FAIL: return Cause::Convergence;
    default: return Cause::Other;
  }
}

double CvodeIntegrator::current_step() const {
  double step = 0;
  CVodeGetCurrentStep(memory_, &step);
  return step;
}

bool CvodeIntegrator::estimate_errors(N_Vector errors, N_Vector weights) const {
  return CVodeGetEstLocalErrors(memory_, errors) >= 0 && CVodeGetErrWeights(memory_, weights) >= 0;
}

void CvodeIntegrator::interpolate(double time) {
  at_end_ = time == time_ || CVodeGetDky(memory_, time, 0, dense_y_) < 0;
}

bool CvodeIntegrator::slopes(double time, double* out) {
  if (CVodeGetDky(memory_, time, 1, slopes_) < 0) return false;
  std::copy_n(data(slopes_), system_.size(), out);
  return true;
}

void CvodeIntegrator::statistics(Statistics& s) const {
  Counters c;
  CVodeGetNumSteps(memory_, &c.steps);
  CVodeGetNumRhsEvals(memory_, &c.evaluations);
  CVodeGetNumLinSolvSetups(memory_, &c.factorisations);
  CVodeGetNumErrTestFails(memory_, &c.rejected);
  CVodeGetNonlinSolvStats(memory_, &c.iterations, &c.failures);
  CVodeGetNumJacEvals(memory_, &c.jacobians);
  CVodeGetLastOrder(memory_, &s.last_order);
  CVodeGetLastStep(memory_, &s.last_step);
  if (before_.initial_step == 0) CVodeGetActualInitStep(memory_, &s.initial_step);
  s.solver = adams_ ? "CVODE Adams" : "CVODE BDF";
  fill(c, s);
}

}  // namespace

std::unique_ptr<Integrator> make_cvode(ReducedSystem& system, const IntegratorOptions& options,
                                       Failure& failure) {
  auto integrator = std::make_unique<CvodeIntegrator>(system);
  if (integrator->make(options)) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
