#include "runtime/integrate/explicit_integrator.h"

#include <sundials/sundials_nvector.h>

#include <algorithm>

namespace runtime {

int ExplicitIntegrator::right_hand_side(double time, Vector y, Vector out, void* self) {
  auto& me = *static_cast<ExplicitIntegrator*>(self);
  me.rejected_ = !me.system_.derivatives(time, data(y), data(out));
  if (!me.rejected_) return 0;
  ++me.rejections_;
  me.rejected_time_ = time;
  std::copy_n(data(y), me.rejected_y_.size(), me.rejected_y_.begin());
  return 1;
}

int ExplicitIntegrator::linear_system(double time, Vector y, bool keep, int* fresh, double gamma) {
  *fresh = SUNFALSE;
  if (!keep) {
    if (!system_.jacobian(time, data(y), nullptr, 0, jacobian_.data())) return 1;
    *fresh = SUNTRUE;
  }
  objects_.fill(system_.jacobian().diagonal(), jacobian_, -gamma, 1.0);
  return 0;
}

bool ExplicitIntegrator::check(int flag, const char* call) {
  if (flag >= 0) return true;
  failure_ = Failure{.kind = FailureKind::Internal};
  failure_.error = std::string(call) + " returned " + std::to_string(flag);
  return false;
}

bool ExplicitIntegrator::allocate(const IntegratorOptions& options, Vector& tolerances) {
  if (!objects_.make(system_, options.ordering, options.thread_pool)) return check(-1, "SUNDIALS");
  for (Vector* vector : {&y_, &dense_y_, &slopes_, &errors_, &weights_, &tolerances})
    if (!(*vector = objects_.new_vector())) return check(-1, "SUNDIALS");
  jacobian_.assign(system_.jacobian().pattern().nonzeros(), 0.0);
  rejected_y_.assign(system_.size(), 0.0);
  stop_ = options.stop;
  for (std::size_t k = 0; k < system_.size(); ++k)
    data(tolerances)[k] = options.tolerance * system_.nominal(k);
  begin(options.start);
  return true;
}

void ExplicitIntegrator::begin(double time) {
  time_ = time;
  system_.read(data(y_), nullptr);
  at_end_ = true;
}

Failure ExplicitIntegrator::stuck() {
  if (rejections_ > 0) failure_ = system_.explain(rejected_time_, rejected_y_.data(), nullptr);
  if (!failure_) failure_ = Failure{.kind = FailureKind::NoProgress};
  add_errors();
  return failure_;
}

void ExplicitIntegrator::explain(Cause cause, const char* call, int flag) {
  failure_ = Failure{};
  if (rejected_ || cause == Cause::Function) {  // the reason of a callback is the better message
    failure_ = system_.explain(rejected_time_, rejected_y_.data(), nullptr);
    if (!failure_) failure_.kind = FailureKind::Convergence;
  } else if (cause == Cause::Other) {
    check(flag, call);
  } else {
    failure_.kind = cause == Cause::Tolerance   ? FailureKind::ToleranceTooSmall
                    : cause == Cause::ErrorTest ? FailureKind::ErrorTest
                                                : FailureKind::Convergence;
  }
  add_errors();
}

void ExplicitIntegrator::fill(const Counters& c, Statistics& s) const {
  s.linear_solver = objects_.linear_solver_name();
  s.ordering = objects_.ordering_name();
  s.steps = c.steps;
  s.evaluations = c.evaluations;
  s.factorisations = c.factorisations;
  s.error_test_failures = c.rejected;
  s.newton_iterations = c.iterations;
  s.newton_failures = c.failures;
  s.jacobians = c.jacobians;
  add(before_, s);
}

void ExplicitIntegrator::add_errors() {
  failure_.time = time_;
  failure_.step = current_step();
  if (!failure_.variables.empty() || !estimate_errors(errors_, weights_)) return;
  SolverObjects::add_worst(system_, data(y_), data(errors_), data(weights_), failure_);
}

}  // namespace runtime
