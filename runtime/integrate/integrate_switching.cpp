// CVODE with the method that fits: Adams while the system is not stiff, BDF while it is.
//
// A system is stiff where stability and not accuracy would limit the steps of Adams: where the product of
// step and spectral radius of the Jacobian exceeds about 1. BDF has larger errors than Adams of the same
// order (four times at order 5) and takes shorter steps where both are stable. The idea, and the order of
// magnitude of the limits, are those of LSODA: Petzold, Automatic selection of methods for solving stiff and
// nonstiff systems of ordinary differential equations, SIAM J. Sci. Stat. Comput. 4 (1983).
//
// A change of method restarts at order 1, so it needs several steps in a row that ask for it.
#include <algorithm>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

namespace {

// Step times spectral radius above which a system is stiff, and below which it is not; so many steps in a
// row.
constexpr double kStiff = 1.0, kNotStiff = 0.25;
constexpr int kStiffSteps = 8, kOtherSteps = 30;

class SwitchingIntegrator final : public Integrator {
 public:
  SwitchingIntegrator(ReducedSystem& system, const IntegratorOptions& options)
      : system_(system), options_(options), limit_(options.stop) {}

  bool make() { return make(true); }
  bool step() override;
  bool limit(double time) override {
    limit_ = time;
    return took(current_->limit(time));
  }
  bool restart(double time, double first_step) override {
    in_a_row_ = 0;
    return took(current_->restart(time, first_step));
  }
  Failure stuck() override { return current_->stuck(); }
  double time() const override { return current_->time(); }
  void interpolate(double time) override { current_->interpolate(time); }
  const double* y() const override { return current_->y(); }
  const double* rates() const override { return current_->rates(); }
  bool slopes(double time, double* out) override { return current_->slopes(time, out); }
  void statistics(Statistics& statistics) const override;

 private:
  Integrator* other() const { return current_ == adams_.get() ? bdf_.get() : adams_.get(); }
  bool is_adams() const { return current_ == adams_.get(); }
  bool make(bool adams);
  bool change();
  bool should_change();
  /// Takes over the failure of the current method.
  bool took(bool done) {
    if (!done) failure_ = current_->failure();
    return done;
  }

  ReducedSystem& system_;
  IntegratorOptions options_;
  double limit_;
  std::unique_ptr<Integrator> adams_, bdf_;
  Integrator* current_ = nullptr;
  int in_a_row_ = 0;  // steps that ask for the other method
  std::uint64_t changes_ = 0;
};

/// Makes the method, which begins at the current values of the instance.
bool SwitchingIntegrator::make(bool adams) {
  std::unique_ptr<Integrator>& method = adams ? adams_ : bdf_;
  options_.adams = adams;
  method = make_cvode(system_, options_, failure_);
  if (method) current_ = method.get();
  return method != nullptr;
}

bool SwitchingIntegrator::should_change() {
  const double product = current_->step_times_spectral_radius();
  const bool asks = is_adams() ? product > kStiff : product >= 0 && product < kNotStiff;
  in_a_row_ = asks ? in_a_row_ + 1 : 0;
  return in_a_row_ >= (is_adams() ? kStiffSteps : kOtherSteps);
}

/// Goes on with the other method, from the end of the last step.
bool SwitchingIntegrator::change() {
  const double time = current_->time();
  current_->interpolate(time);
  system_.load(time, current_->y(), nullptr);
  in_a_row_ = 0;
  ++changes_;
  if (Integrator* next = other()) {
    current_ = next;
    if (!took(current_->restart(time))) return false;
  } else {
    options_.start = time;
    if (!make(!is_adams())) return false;
  }
  return took(current_->limit(limit_));
}

bool SwitchingIntegrator::step() {
  if (should_change() && !change()) return false;
  if (current_->step()) return true;
  // What fails with Adams, whose steps are limited by stability, may be stiff.
  const FailureKind kind = current_->failure().kind;
  if (is_adams() && (kind == FailureKind::ErrorTest || kind == FailureKind::Convergence))
    return change() && took(current_->step());
  return took(false);
}

void SwitchingIntegrator::statistics(Statistics& statistics) const {
  if (const Integrator* before = other()) {
    Statistics of_other;
    before->statistics(of_other);
    current_->statistics(statistics);
    add(of_other, statistics);
    statistics.solver = "CVODE Adams and BDF";
  } else {
    current_->statistics(statistics);
  }
  statistics.method_changes = changes_;
}

}  // namespace

std::unique_ptr<Integrator> make_switching(ReducedSystem& system, const IntegratorOptions& options,
                                           Failure& failure) {
  auto integrator = std::make_unique<SwitchingIntegrator>(system, options);
  if (integrator->make()) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
