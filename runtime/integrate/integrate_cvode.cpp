// CVODE on the explicit form: BDF or Adams, or both in turn, and Newton's method with the analytic sparse
// Jacobian J. The matrix I - γJ is formed here and not by SUNDIALS: the values of J are kept, so a new γ
// costs one pass over the nonzeros. Where the Jacobian is not formed (matrix_free), Adams solves its
// equations by fixed-point iteration, which converges where a system is not stiff and takes one evaluation
// each; with BDF, and where it fails, Newton's equations are solved by GMRES with differences of the
// right-hand side.
#include <cvode/cvode.h>
#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/kept_solver.h"
#include "runtime/integrate/method_choice.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/solver_objects.h"
#include "runtime/linear/spectral_radius.h"

namespace runtime {

namespace {

// Where the Jacobian is not formed: steps after which its spectral radius, and so the method, is examined.
// Fixed-point iteration, which fails where a system becomes stiff, needs it rarely.
constexpr int kStepsPerSpectrum = 20, kFixedPointStepsPerSpectrum = 100;
// Fixed-point iteration is given up for the rest of the run when it has failed so often since a restart.
constexpr int kFixedPointFailures = 5;

class CvodeIntegrator final : public Integrator {
 public:
  explicit CvodeIntegrator(ReducedSystem& system) : system_(system) {}
  ~CvodeIntegrator() override {
    for (void* memory : {adams_memory_, bdf_memory_})
      if (memory) CVodeFree(&memory);
  }

  bool make(const IntegratorOptions& options);
  bool step() override;
  bool limit(double time) override;
  bool restart(double time, double first_step) override;
  Failure stuck() override;
  double time() const override { return time_; }
  void interpolate(double time) override;
  const double* y() const override { return data(at_end_ ? y_ : dense_y_); }
  const double* rates() const override { return nullptr; }
  bool slopes(double time, double* out) override;
  bool uses_adams() const override { return adams_; }
  void statistics(Statistics& statistics) const override;
  std::optional<LargestError> largest_error() override {
    if (CVodeGetEstLocalErrors(memory_, errors_) < 0 || CVodeGetErrWeights(memory_, weights_) < 0) return {};
    return SolverObjects::largest(system_, data(errors_), data(weights_));
  }
  void keep(KeptSolver& kept) override {
    kept.linear = objects_.take_linear_system();
    kept.spectral_radius = std::move(spectral_radius_);
    kept.adams = adams_;
  }

 private:
  static int right_hand_side(double time, N_Vector y, N_Vector out, void* self);
  static int linear_system(double time, N_Vector y, N_Vector f, SUNMatrix, booleantype keep,
                           booleantype* fresh, double gamma, void* self, N_Vector, N_Vector, N_Vector);
  static void ignore_message(int, const char*, const char*, char*, void*) {}
  bool check(int flag, const char* call);
  bool make_memory();
  bool advance();
  bool change_method();
  bool reinitialise(double first_step = 0);
  bool set_iteration();
  bool fixed_point_fails() const;
  void keep_counters() {
    Statistics so_far;
    statistics(so_far);
    before_ = so_far;
  }
  void find_spectrum();
  std::optional<double> step_times_spectral_radius();
  void reject(double time, N_Vector y) {
    rejected_ = true;
    ++rejections_;
    rejected_time_ = time;
    std::copy_n(data(y), rejected_y_.size(), rejected_y_.begin());
  }
  void explain(int flag);
  void add_errors();

  ReducedSystem& system_;
  SolverObjects objects_;
  void *adams_memory_ = nullptr, *bdf_memory_ = nullptr;
  void* memory_ = nullptr;  // one of them
  Vector tolerances_ = nullptr;
  Vector y_ = nullptr, dense_y_ = nullptr, slopes_ = nullptr, errors_ = nullptr, weights_ = nullptr;
  std::vector<double> jacobian_;
  bool jacobian_is_new_ = false;  // since the last estimate
  int steps_since_spectrum_ = 0;  // where it is not formed
  SpectralRadius spectral_radius_;
  std::optional<double> radius_;
  bool oscillates_ = false;  // the Jacobian's largest eigenvalues are imaginary
  double time_ = 0, stop_ = 0;
  Statistics before_;  // counters up to the last restart
  IntegratorOptions options_;
  bool adams_ = false;
  bool fixed_point_ = true;  // with Adams, where the Jacobian is not formed
  MethodChoice choice_;
  OrderLimit order_{0};
  std::uint64_t changes_ = 0;  // of the method
  bool at_end_ = true;         // the state is that at `time_`
  // The last point at which a callback failed, for the message of a failure.
  bool rejected_ = false;         // the last callback failed
  std::uint64_t rejections_ = 0;  // since time last advanced
  double rejected_time_ = 0;
  std::vector<double> rejected_y_;
};

int CvodeIntegrator::right_hand_side(double time, N_Vector y, N_Vector out, void* self) {
  auto& me = *static_cast<CvodeIntegrator*>(self);
  const bool done = me.system_.derivatives(time, data(y), data(out));
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
    if (!me.system_.jacobian(time, data(y), nullptr, 0, me.jacobian_.data())) return 1;
    *fresh = SUNTRUE;
    me.jacobian_is_new_ = true;
  }
  const ChainRule& chain = me.system_.jacobian();
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
  options_ = options;
  adams_ = options.adams;
  order_ = OrderLimit(options.tolerance);
  if (!objects_.make(system_, options.ordering, options.thread_pool, options.kept))
    return check(-1, "SUNDIALS");
  if (options.kept) spectral_radius_ = std::move(options.kept->spectral_radius);
  for (Vector* vector : {&y_, &dense_y_, &slopes_, &errors_, &weights_, &tolerances_})
    if (!(*vector = objects_.new_vector())) return check(-1, "SUNDIALS");
  if (!system_.matrix_free()) jacobian_.assign(system_.jacobian().pattern().nonzeros(), 0.0);
  rejected_y_.assign(system_.size(), 0.0);
  time_ = options.begin;
  stop_ = options.stop;
  before_ = options.before;
  changes_ = before_.method_changes;
  system_.read(data(y_), nullptr);
  for (std::size_t k = 0; k < system_.size(); ++k)
    data(tolerances_)[k] = options.tolerance * system_.nominal(k);
  if (adams_ && (system_.matrix_free() || system_.jacobian(time_, data(y_), nullptr, 0, jacobian_.data())))
    find_spectrum();
  order_.begin(oscillates_);
  return make_memory();
}

/// What CVODE keeps for the present method, which begins at the present time.
bool CvodeIntegrator::make_memory() {
  memory_ = CVodeCreate(adams_ ? CV_ADAMS : CV_BDF, objects_.context());
  (adams_ ? adams_memory_ : bdf_memory_) = memory_;
  if (!memory_) return check(-1, "CVodeCreate");
  return check(CVodeSetErrHandlerFn(memory_, ignore_message, nullptr), "CVodeSetErrHandlerFn") &&
         check(CVodeInit(memory_, right_hand_side, time_, y_), "CVodeInit") &&
         (!adams_ || check(CVodeSetMaxOrd(memory_, order_.highest()), "CVodeSetMaxOrd")) &&
         check(CVodeSVtolerances(memory_, options_.tolerance, tolerances_), "CVodeSVtolerances") &&
         check(CVodeSetUserData(memory_, this), "CVodeSetUserData") && set_iteration() &&
         (system_.matrix_free() ||
          (check(CVodeSetLinearSolver(memory_, objects_.linear_solver(), objects_.matrix()),
                 "CVodeSetLinearSolver") &&
           check(CVodeSetLinSysFn(memory_, linear_system), "CVodeSetLinSysFn"))) &&
         check(CVodeSetMaxErrTestFails(memory_, 30), "CVodeSetMaxErrTestFails") &&
         check(CVodeSetMaxConvFails(memory_, 30), "CVodeSetMaxConvFails") &&
         check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime") &&
         (!std::isfinite(options_.longest_step) ||
          check(CVodeSetMaxStep(memory_, options_.longest_step), "CVodeSetMaxStep"));
}

/// Fixed-point iteration, or Newton's method and GMRES, from the next `reinitialise` on. The latter two refer
/// to the memory that they were given to last, GMRES for its products with the Jacobian.
bool CvodeIntegrator::set_iteration() {
  if (!system_.matrix_free()) return true;
  const bool iterates = adams_ && fixed_point_;
  return check(CVodeSetLinearSolver(memory_, objects_.linear_solver(), nullptr), "CVodeSetLinearSolver") &&
         check(CVodeSetNonlinearSolver(memory_, iterates ? objects_.fixed_point() : objects_.newton()),
               "CVodeSetNonlinearSolver");
}

bool CvodeIntegrator::fixed_point_fails() const {
  if (!system_.matrix_free() || !adams_ || !fixed_point_) return false;
  long failures = 0;
  CVodeGetNumNonlinSolvConvFails(memory_, &failures);
  return failures >= kFixedPointFailures;
}

bool CvodeIntegrator::step() {
  if (fixed_point_fails()) {
    fixed_point_ = false;
    keep_counters();
    if (!reinitialise()) return false;
  }
  const std::optional<double> product = step_times_spectral_radius();
  if (options_.changes_method && choice_.asks_for_change(adams_, product, oscillates_)) {
    if (!change_method()) return false;
  } else if (adams_ && product) {
    double step = 0;
    CVodeGetLastStep(memory_, &step);
    if (order_.after_step(step, *product, oscillates_)) {
      keep_counters();
      if (!reinitialise()) return false;
    }
  }
  if (advance()) return true;
  // What fails with Adams, whose steps are limited by stability, may be stiff.
  const bool may_be_stiff =
      failure_.kind == FailureKind::ErrorTest || failure_.kind == FailureKind::Convergence;
  return options_.changes_method && adams_ && may_be_stiff && change_method() && advance();
}

bool CvodeIntegrator::advance() {
  double reached = time_;
  const int flag = CVode(memory_, stop_, y_, &reached, CV_ONE_STEP);
  if (reached > time_) rejections_ = 0;
  time_ = reached;
  at_end_ = true;
  if (flag >= 0) return true;
  explain(flag);
  return false;
}

/// Goes on with the other method from the end of the last step. Both share vectors, matrix and factors, which
/// the first step forms anew, or GMRES.
bool CvodeIntegrator::change_method() {
  keep_counters();
  choice_.restart();
  ++changes_;
  adams_ = !adams_;
  memory_ = adams_ ? adams_memory_ : bdf_memory_;
  order_.begin(oscillates_);
  return memory_ ? reinitialise() : make_memory();
}

/// At the present time, with the present method, iteration and highest order: CVODE changes none in between.
bool CvodeIntegrator::reinitialise(double first_step) {
  return set_iteration() && check(CVodeReInit(memory_, time_, y_), "CVodeReInit") &&
         (!adams_ || check(CVodeSetMaxOrd(memory_, order_.highest()), "CVodeSetMaxOrd")) &&
         check(CVodeSetInitStep(memory_, first_step), "CVodeSetInitStep") &&
         check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

bool CvodeIntegrator::limit(double time) {
  stop_ = time;
  return check(CVodeSetStopTime(memory_, stop_), "CVodeSetStopTime");
}

bool CvodeIntegrator::restart(double time, double first_step) {
  time_ = time;
  keep_counters();
  system_.read(data(y_), nullptr);
  at_end_ = true;
  choice_.restart();
  return reinitialise(first_step);
}

Failure CvodeIntegrator::stuck() {
  failure_ = rejections_ > 0 ? system_.explain(rejected_time_, rejected_y_.data(), nullptr) : Failure{};
  if (!failure_) failure_ = Failure{.kind = FailureKind::NoProgress};
  add_errors();
  return failure_;
}

void CvodeIntegrator::explain(int flag) {
  failure_ = Failure{};
  // If a callback failed last, its reason is the better message.
  if (rejected_ || flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
      flag == CV_UNREC_RHSFUNC_ERR) {
    failure_ = system_.explain(rejected_time_, rejected_y_.data(), nullptr);
    if (!failure_) failure_.kind = FailureKind::Convergence;
  } else if (flag == CV_TOO_MUCH_ACC) {
    failure_.kind = FailureKind::ToleranceTooSmall;
  } else if (flag == CV_ERR_FAILURE) {
    failure_.kind = FailureKind::ErrorTest;
  } else if (flag == CV_CONV_FAILURE || flag == CV_LSOLVE_FAIL || flag == CV_LSETUP_FAIL) {
    failure_.kind = FailureKind::Convergence;
  } else if (flag == CV_ILL_INPUT) {  // a rate is so large that the first step is zero, or a state infinite
    failure_.kind = FailureKind::NoProgress;
  } else {
    check(flag, "CVode");
  }
  add_errors();
}

void CvodeIntegrator::add_errors() {
  failure_.time = time_;
  CVodeGetCurrentStep(memory_, &failure_.step);
  if (!failure_.variables.empty() || CVodeGetEstLocalErrors(memory_, errors_) < 0 ||
      CVodeGetErrWeights(memory_, weights_) < 0)
    return;
  SolverObjects::add_worst(system_, data(y_), data(errors_), data(weights_), failure_);
}

void CvodeIntegrator::interpolate(double time) {
  at_end_ = time == time_ || CVodeGetDky(memory_, time, 0, dense_y_) < 0;
}

bool CvodeIntegrator::slopes(double time, double* out) {
  if (CVodeGetDky(memory_, time, 1, slopes_) < 0) return false;
  std::copy_n(data(slopes_), system_.size(), out);
  return true;
}

void CvodeIntegrator::find_spectrum() {
  if (system_.matrix_free()) {
    const double* y = data(y_);
    const std::size_t n = system_.size();
    std::vector<double> at(n), rates(n);
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) size += y[k] * y[k];
    const double part = std::sqrt(std::numeric_limits<double>::epsilon() * (1 + size));
    if (!system_.derivatives(time_, y, rates.data())) return;
    const double radius = spectral_radius_.estimate(n, [&](std::span<const double> x, std::span<double> out) {
      for (std::size_t k = 0; k < n; ++k) at[k] = y[k] + part * x[k];
      const bool done = system_.derivatives(time_, at.data(), out.data());
      for (std::size_t k = 0; k < n; ++k)
        out[k] = done ? (out[k] - rates[k]) / part : std::numeric_limits<double>::quiet_NaN();
    });
    radius_ = std::isfinite(radius) ? std::optional(radius) : std::nullopt;
    oscillates_ = spectral_radius_.oscillates();
    system_.derivatives(time_, y, rates.data());  // values as before
    return;
  }
  const SparsePattern& pattern = system_.jacobian().pattern();
  radius_ = spectral_radius_.estimate(pattern, jacobian_);
  oscillates_ = oscillates(pattern, jacobian_);
}

/// The length of the last step times an estimate of the spectral radius of the Jacobian, if there is one.
std::optional<double> CvodeIntegrator::step_times_spectral_radius() {
  const int interval = adams_ && fixed_point_ ? kFixedPointStepsPerSpectrum : kStepsPerSpectrum;
  if (system_.matrix_free() && ++steps_since_spectrum_ >= interval) {
    steps_since_spectrum_ = 0;
    jacobian_is_new_ = true;
  }
  if (std::exchange(jacobian_is_new_, false)) find_spectrum();
  double step = 0;
  CVodeGetLastStep(memory_, &step);
  return radius_ ? std::optional(*radius_ * step) : std::nullopt;
}

void CvodeIntegrator::statistics(Statistics& s) const {
  s.solver = changes_ > 0 ? "CVODE Adams and BDF" : adams_ ? "CVODE Adams" : "CVODE BDF";
  s.method_changes = changes_;
  s.linear_solver = objects_.linear_solver_name();
  s.fixed_point = system_.matrix_free() && adams_ && fixed_point_;
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
  if (before_.initial_step == 0) CVodeGetActualInitStep(memory_, &s.initial_step);
  s.steps = steps;
  long differences = 0;
  if (system_.matrix_free()) CVodeGetNumLinRhsEvals(memory_, &differences);
  s.evaluations = evaluations + differences;
  s.factorisations = system_.matrix_free() ? 0 : setups;
  s.error_test_failures = errors;
  s.newton_iterations = iterations;
  s.newton_failures = failures;
  // Until the first step after a restart CVODE still has the number that `before_` includes.
  s.jacobians = steps > 0 ? jacobians : 0;
  add(before_, s);
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
