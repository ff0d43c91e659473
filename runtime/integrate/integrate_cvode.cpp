// CVODE on the explicit form: BDF or Adams, Newton's method with the analytic sparse Jacobian. The matrix I -
// γJ is formed here and not by SUNDIALS: the values of J are kept, so that a new γ costs one pass over the
// nonzeros.
#include <cvode/cvode.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/solver_objects.h"

namespace runtime {

namespace {

class CvodeIntegrator final : public Integrator {
 public:
  explicit CvodeIntegrator(Problem& problem) : problem_(problem) {}
  ~CvodeIntegrator() override {
    if (memory_) CVodeFree(&memory_);
  }

  bool make(const IntegratorOptions& options);
  bool step() override;
  bool limit(double time) override;
  bool restart(double time) override;
  Failure stuck() override;
  double time() const override { return time_; }
  void interpolate(double time) override;
  const double* y() const override { return data(shown_); }
  const double* rates() const override { return nullptr; }
  void statistics(Statistics& statistics) const override;

 private:
  static int right_hand_side(double time, N_Vector y, N_Vector out, void* self);
  static int linear_system(double time, N_Vector y, N_Vector f, SUNMatrix, booleantype keep,
                           booleantype* fresh, double gamma, void* self, N_Vector, N_Vector, N_Vector);
  static int nearest(double time, N_Vector y, double* out, void* self) {
    auto& me = *static_cast<CvodeIntegrator*>(self);
    if (me.problem_.nearest(time, data(y), nullptr, *out)) return 0;
    me.reject(time, y);
    return 1;
  }
  static void quiet(int, const char*, const char*, char*, void*) {}
  bool check(int flag, const char* call);
  void reject(double time, N_Vector y) {
    rejected_ = true;
    ++rejections_;
    rejected_time_ = time;
    std::copy_n(data(y), rejected_y_.size(), rejected_y_.begin());
  }
  void describe(int flag);
  void add_position();

  Problem& problem_;
  SolverObjects objects_;
  void* memory_ = nullptr;
  Vector y_ = nullptr, shown_ = nullptr, errors_ = nullptr, weights_ = nullptr;
  std::vector<double> jacobian_;
  double time_ = 0, stop_ = 0;
  Statistics before_;  // the last restart
  bool adams_ = false;
  // The last point that the model refused, for the message should it come to one.
  bool rejected_ = false;         // by the last call
  std::uint64_t rejections_ = 0;  // since time last moved
  double rejected_time_ = 0;
  std::vector<double> rejected_y_;
};

int CvodeIntegrator::right_hand_side(double time, N_Vector y, N_Vector out, void* self) {
  auto& me = *static_cast<CvodeIntegrator*>(self);
  const bool done = me.problem_.derivatives(time, data(y), data(out));
  me.rejected_ = false;
  if (done) return 0;
  me.reject(time, y);
  return 1;  // try a smaller step
}

int CvodeIntegrator::linear_system(double time, N_Vector y, N_Vector, SUNMatrix, booleantype keep,
                                   booleantype* fresh, double gamma, void* self, N_Vector, N_Vector,
                                   N_Vector) {
  auto& me = *static_cast<CvodeIntegrator*>(self);
  *fresh = SUNFALSE;
  if (!keep) {
    if (!me.problem_.jacobian(time, data(y), nullptr, 0, me.jacobian_.data())) return 1;
    *fresh = SUNTRUE;
  }
  const ChainRule& chain = me.problem_.jacobian();
  me.objects_.fill(chain.diagonal(), me.jacobian_, -gamma, 1.0);
  return 0;
}

bool CvodeIntegrator::check(int flag, const char* call) {
  if (flag >= 0) return true;
  failure_ = Failure{.kind = FailureKind::Internal};
  failure_.error = std::string(call) + " returned " + std::to_string(flag);
  return false;
}

bool CvodeIntegrator::make(const IntegratorOptions& options) {
  adams_ = options.adams;
  if (!objects_.make(problem_, options.ordering, options.thread_pool)) return check(-1, "SUNDIALS");
  y_ = objects_.new_vector();
  shown_ = objects_.new_vector();
  errors_ = objects_.new_vector();
  weights_ = objects_.new_vector();
  Vector tolerances = objects_.new_vector();
  memory_ = CVodeCreate(adams_ ? CV_ADAMS : CV_BDF, objects_.context());
  if (!memory_ || !y_ || !shown_ || !errors_ || !weights_ || !tolerances) return check(-1, "CVodeCreate");
  jacobian_.assign(problem_.jacobian().pattern().nonzeros(), 0.0);
  rejected_y_.assign(problem_.size(), 0.0);
  time_ = options.start;
  problem_.watch_from(time_);
  stop_ = options.stop;
  problem_.read(data(y_), nullptr);
  for (std::size_t k = 0; k < problem_.size(); ++k)
    data(tolerances)[k] = options.tolerance * problem_.nominal(k);
  return check(CVodeSetErrHandlerFn(memory_, quiet, nullptr), "CVodeSetErrHandlerFn") &&
         check(CVodeInit(memory_, right_hand_side, time_, y_), "CVodeInit") &&
         check(CVodeSVtolerances(memory_, options.tolerance, tolerances), "CVodeSVtolerances") &&
         check(CVodeSetUserData(memory_, this), "CVodeSetUserData") &&
         check(CVodeSetLinearSolver(memory_, objects_.linear_solver(), objects_.matrix()),
               "CVodeSetLinearSolver") &&
         check(CVodeSetLinSysFn(memory_, linear_system), "CVodeSetLinSysFn") &&
         check(CVodeSetMaxErrTestFails(memory_, 30), "CVodeSetMaxErrTestFails") &&
         check(CVodeSetMaxConvFails(memory_, 30), "CVodeSetMaxConvFails") &&
         check(CVodeSetStopTime(memory_, options.stop), "CVodeSetStopTime") &&
         (!std::isfinite(problem_.longest_step()) ||
          check(CVodeSetMaxStep(memory_, problem_.longest_step()), "CVodeSetMaxStep")) &&
         (problem_.watched() == 0 || check(CVodeRootInit(memory_, 1, nearest), "CVodeRootInit"));
}

bool CvodeIntegrator::step() {
  double reached = time_;
  const int flag = CVode(memory_, stop_, y_, &reached, CV_ONE_STEP);
  if (reached > time_) rejections_ = 0;
  time_ = reached;
  crossed_.clear();
  if (flag == CV_ROOT_RETURN && !problem_.crossings(time_, data(y_), nullptr, crossed_)) {
    failure_ = problem_.failure();
    return false;
  }
  if (flag >= 0) return true;
  describe(flag);
  return false;
}

bool CvodeIntegrator::limit(double time) {
  stop_ = time;
  return check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

bool CvodeIntegrator::restart(double time) {
  time_ = time;
  problem_.watch_from(time_);
  Statistics so_far;
  statistics(so_far);
  before_ = so_far;
  problem_.read(data(y_), nullptr);
  return check(CVodeReInit(memory_, time_, y_), "CVodeReInit") &&
         check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

Failure CvodeIntegrator::stuck() {
  if (rejections_ > 0) failure_ = problem_.explain(rejected_time_, rejected_y_.data(), nullptr);
  if (!failure_) failure_ = Failure{.kind = FailureKind::NoProgress};
  add_position();
  return failure_;
}

void CvodeIntegrator::describe(int flag) {
  failure_ = Failure{};
  // When the model itself refused last, its own reason is the better message.
  if (rejected_ || flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
      flag == CV_UNREC_RHSFUNC_ERR) {
    failure_ = problem_.explain(rejected_time_, rejected_y_.data(), nullptr);
    if (!failure_) failure_.kind = FailureKind::Convergence;
  } else if (flag == CV_TOO_MUCH_ACC) {
    failure_.kind = FailureKind::ToleranceTooSmall;
  } else if (flag == CV_ERR_FAILURE) {
    failure_.kind = FailureKind::ErrorTest;
  } else if (flag == CV_CONV_FAILURE || flag == CV_LSOLVE_FAIL || flag == CV_LSETUP_FAIL) {
    failure_.kind = FailureKind::Convergence;
  } else {
    check(flag, "CVode");
  }
  add_position();
}

void CvodeIntegrator::add_position() {
  failure_.time = time_;
  CVodeGetCurrentStep(memory_, &failure_.step);
  if (!failure_.variables.empty() || CVodeGetEstLocalErrors(memory_, errors_) < 0 ||
      CVodeGetErrWeights(memory_, weights_) < 0)
    return;
  SolverObjects::worst(problem_, data(y_), data(errors_), data(weights_), failure_);
}

void CvodeIntegrator::interpolate(double time) {
  if (CVodeGetDky(memory_, time, 0, shown_) < 0) N_VScale(1.0, y_, shown_);
}

void CvodeIntegrator::statistics(Statistics& s) const {
  s.solver = adams_ ? "CVODE Adams" : "CVODE BDF";
  s.linear_solver = objects_.linear_solver_name();
  s.ordering = objects_.ordering_name();
  long steps = 0, evaluations = 0, setups = 0, errors = 0, iterations = 0, failures = 0, jacobians = 0;
  CVodeGetNumSteps(memory_, &steps);
  CVodeGetNumRhsEvals(memory_, &evaluations);
  CVodeGetNumLinSolvSetups(memory_, &setups);
  CVodeGetNumErrTestFails(memory_, &errors);
  CVodeGetNonlinSolvStats(memory_, &iterations, &failures);
  CVodeGetNumJacEvals(memory_, &jacobians);
  CVodeGetLastOrder(memory_, &s.last_order);
  CVodeGetLastStep(memory_, &s.last_step);
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

std::unique_ptr<Integrator> make_cvode(Problem& problem, const IntegratorOptions& options, Failure& failure) {
  auto integrator = std::make_unique<CvodeIntegrator>(problem);
  if (integrator->make(options)) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
