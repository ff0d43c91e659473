#include "runtime/integrate/reduced_system.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/integrate/experiment.h"
#include "runtime/solve/needed_rows.h"
#include "runtime/solve/profile.h"
#include "runtime/thread_pool.h"

namespace runtime {

namespace {

// Limit of fill-in: the explicit form is abandoned when the multiply-adds of its Jacobian exceed this
// multiple of the partial derivatives, unless the system is small; and in the implicit form variables with
// gradients longer than kLongGradient are then retained as unknowns.
constexpr std::uint64_t kFillFactor = 8;
constexpr std::uint64_t kSmallList = 20'000;  // multiply-adds
constexpr std::uint32_t kLongGradient = 16;   // entries
// Multiply-adds when the explicit form is requested: about 5 GB.
constexpr std::uint64_t kMemoryLimit = 400'000'000;
// Tearing variables of a nonlinear loop that is solved inside. Measured: five times fewer steps for Andrews'
// mechanism, and the same time for meshes of this size; with 60 unknowns IDA is three times as fast.
constexpr std::uint32_t kSmallLoop = 16;
// Bodies on joints: one linear loop with many unknowns, accelerations and forces, for each of a few states.
// It is factorised in a time that grows with its size, and the Jacobian of the explicit form, although full,
// is needed rarely. In the implicit form the errors of the forces decide the steps. Measured for a chain of
// 100 links over a second: 1.0 s in the explicit form, 69 s in the implicit one; so nonlinear loops, the
// positions of closed loops of bodies, are solved inside, too, however large: a car on four double wishbones,
// with a loop of 121 unknowns, took 0.9 s and 1 048 steps in place of 16 s and 29 953. With more states the
// Jacobian is not formed: fixed-point iteration, or Newton's method with GMRES (integrate_cvode.cpp).
constexpr std::size_t kLoopUnknownsPerState = 5, kFewStates = 500;
constexpr std::uint64_t kLoopList = 30'000'000;  // multiply-adds: under 1 GB
constexpr std::size_t kGrain = 8192;             // unknowns that a thread copies at once

/// 0 while every value is finite, NaN afterwards: one multiply-add per value instead of a test.
inline double finite_probe(double probe, double value) { return probe + value * 0.0; }

}  // namespace

ReducedSystem::ReducedSystem(ModelInstance& instance, History& history)
    : instance_(instance), model_(instance.model), history_(history) {}

bool ReducedSystem::prepare(FormChoice choice) {
  reason_ = FormReason::Requested;
  retained_variables_ = 0;
  rates_.clear();
  state_rows_.clear();
  retained_rows_.clear();
  open_batches_.clear();
  if (model_.states.empty()) return true;
  if (choice == FormChoice::Quantised) {
    form_ = Form::Explicit;
    layout_ = explicit_layout(model_);
    collect_rows();
    return true;
  }
  const std::uint64_t limit = std::max(kFillFactor * ChainRule::direct_size(model_), kSmallList);
  // Linear and small loops are cheap to solve inside; larger ones are left to the integrator, which predicts
  // their solution.
  const bool wide_loops = choice != FormChoice::Implicit &&
                          linear_loop_unknowns() >= kLoopUnknownsPerState * model_.states.size();
  const bool large_loops = !wide_loops && std::ranges::any_of(model_.dynamic, [&](const Step& step) {
    return step.kind == Step::Solve && model_.loops[step.index].kind == AlgebraicLoop::Nonlinear &&
           model_.loops[step.index].unknowns > kSmallLoop;
  });
  const bool few_states = model_.states.size() <= kFewStates;
  const std::uint64_t explicit_limit = choice != FormChoice::Auto ? kMemoryLimit
                                       : wide_loops               ? std::max(limit, kLoopList)
                                                                  : limit;
  bool found = false;
  if (choice == FormChoice::Auto)
    reason_ = large_loops ? FormReason::LargeLoop : wide_loops ? FormReason::WideLoops : FormReason::Sparse;
  if (choice == FormChoice::Explicit || (choice == FormChoice::Auto && !large_loops)) {
    form_ = Form::Explicit;
    layout_ = explicit_layout(model_);
    found = (!wide_loops || few_states) && chain_.build(model_, layout_, {.operations = explicit_limit});
    if (!found && wide_loops) {
      chain_ = {};
      reason_ = FormReason::Krylov;
      found = true;
    }
  }
  if (!found && (choice == FormChoice::Explicit || !prepare_implicit(limit))) {
    instance_.failure() = Failure{.kind = FailureKind::TooDense};
    return false;
  }
  if (!found && reason_ != FormReason::Requested && !large_loops) reason_ = FormReason::FillIn;
  collect_rows();
  return true;
}

ReducedSystem::Prepared ReducedSystem::take() {
  return {form_,
          reason_,
          std::move(layout_),
          std::move(chain_),
          std::move(rates_),
          std::move(state_rows_),
          std::move(retained_rows_),
          std::move(open_batches_),
          std::move(batch_residuals_),
          retained_variables_};
}

void ReducedSystem::prepare(Prepared prepared) {
  form_ = prepared.form;
  reason_ = prepared.reason;
  layout_ = std::move(prepared.layout);
  chain_ = std::move(prepared.chain);
  rates_ = std::move(prepared.rates);
  state_rows_ = std::move(prepared.state_rows);
  retained_rows_ = std::move(prepared.retained_rows);
  open_batches_ = std::move(prepared.open_batches);
  batch_residuals_ = std::move(prepared.batch_residuals);
  retained_variables_ = prepared.retained_variables;
}

std::size_t ReducedSystem::linear_loop_unknowns() const {
  std::size_t count = 0;
  for (const Step& step : model_.dynamic)
    if (step.kind == Step::Solve && model_.loops[step.index].kind != AlgebraicLoop::Nonlinear)
      count += model_.loops[step.index].unknowns;
  return count;
}

bool ReducedSystem::prepare_implicit(std::uint64_t limit) {
  form_ = Form::Implicit;
  std::vector<std::uint8_t> retained(model_.variables, 0);
  layout_ = implicit_layout(model_, retained);
  if (chain_.build(model_, layout_, {.operations = limit})) return true;
  chain_.build(model_, layout_, {.operations = ~0ull, .gradient = kLongGradient}, &retained);
  retained_variables_ = static_cast<std::uint32_t>(std::ranges::count(retained, 1));
  layout_ = implicit_layout(model_, std::move(retained));
  return chain_.build(model_, layout_, {});
}

/// Works out how unknowns and rows of the system correspond to variables and batches.
void ReducedSystem::collect_rows() {
  for (std::uint32_t v = 0; v < model_.variables; ++v)
    if (layout_.rate_column[v] != kNone) rates_.push_back({v, layout_.rate_column[v]});
  for (std::uint32_t s = 0; s < model_.states.size(); ++s) {
    const std::uint32_t derivative = model_.states[s].derivative;
    if (layout_.rate_column[derivative] != s) state_rows_.push_back({s, derivative});
  }
  if (form_ == Form::Explicit) return;
  for (const Step& step : model_.dynamic) {
    if (step.kind == Step::Assign) {
      open(step.index);
    } else {
      const AlgebraicLoop& loop = model_.loops[step.index];
      for (std::uint32_t r = 0; r < loop.batches; ++r) open(loop.first_batch + r);
    }
  }
}

void ReducedSystem::open(std::uint32_t index) {
  const KernelBatch& batch = model_.batches[index];
  if (batch.role == Role::Residual && batch.count > batch_residuals_.size())
    batch_residuals_.resize(batch.count, 0.0);
  for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row) {
    const std::uint32_t variable = solved_variable(model_, batch, row);
    if (!layout_.retained[variable]) continue;
    const bool rate = layout_.rate_column[variable] != kNone;
    const std::uint32_t at = layout_.row_of_retained(variable);
    retained_rows_.push_back({variable, at, rate, at});
  }
  open_batches_.push_back({index, static_cast<std::uint32_t>(retained_rows_.size())});
}

void ReducedSystem::read(double* y, double* rates) const {
  for (std::size_t k = 0; k < size(); ++k) y[k] = instance_.values[layout_.unknowns[k]];
  if (!rates) return;
  std::fill(rates, rates + size(), 0.0);
  for (std::size_t s = 0; s < model_.states.size(); ++s)
    rates[s] = instance_.values[model_.states[s].derivative];
}

void ReducedSystem::load(double time, const double* y, const double* rates) {
  double* values = instance_.values.data();
  history_.evaluate(time, instance_.values);
  const std::uint32_t* unknowns = layout_.unknowns.data();
  each_part(instance_.thread_pool, size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) values[unknowns[k]] = y[k];
  });
  for (const Rate& rate : rates_) values[rate.variable] = rates[rate.state];
}

bool ReducedSystem::evaluate(double time, const double* y, const double* rates) {
  load(time, y, rates);
  const Point at = point(time);
  if (form_ != Form::Implicit) return instance_.evaluator.run(model_.dynamic, at);
  std::size_t retained = 0;
  for (const OpenBatch& open : open_batches_) {
    const KernelBatch& batch = model_.batches[open.batch];
    if (batch.role == Role::Solve) runtime::evaluate(model_, batch, at, nullptr);
    for (; retained < open.retained_end; ++retained) {
      const RetainedRow& row = retained_rows_[retained];
      instance_.values[row.variable] = row.rate ? rates[row.source] : y[row.source];
    }
  }
  return true;
}

std::vector<Step> ReducedSystem::steps_for(std::vector<std::uint8_t> wanted) const {
  const std::vector<Step> compared = needed_steps(model_, model_.compared, wanted);
  std::vector<Step> steps;
  if (form_ != Form::Implicit) steps = needed_steps(model_, model_.dynamic, wanted);
  steps.insert(steps.end(), compared.begin(), compared.end());
  return steps;
}

bool ReducedSystem::evaluate(double time, const double* y, const double* rates, std::span<const Step> steps) {
  if (form_ != Form::Implicit)
    load(time, y, rates);
  else if (!evaluate(time, y, rates))
    return false;
  return instance_.evaluator.run(steps, point(time));
}

bool ReducedSystem::derivatives(double time, const double* y, double* out) {
  Profile* profile = instance_.evaluator.profile();
  const CostTimer timer(profile ? &profile->rates : nullptr);
  load(time, y, nullptr);
  if (!instance_.evaluator.run(model_.dynamic, point(time))) return false;
  std::atomic<bool> finite = true;
  each_part(instance_.thread_pool, model_.states.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double probe = 0;
    for (std::size_t s = begin; s < end; ++s) {
      out[s] = instance_.values[model_.states[s].derivative];
      probe = finite_probe(probe, out[s]);
    }
    if (probe != 0) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

bool ReducedSystem::residuals(double time, const double* y, const double* rates, double* out) {
  Profile* profile = instance_.evaluator.profile();
  const CostTimer timer(profile ? &profile->rates : nullptr);
  load(time, y, rates);
  const Point at = point(time);
  double* values = instance_.values.data();
  double probe = 0;
  std::size_t loop_row = 0, retained = 0;
  for (const OpenBatch& open : open_batches_) {
    const KernelBatch& batch = model_.batches[open.batch];
    const CostTimer part(profile ? &profile->batches[open.batch] : nullptr);
    if (batch.role == Role::Residual) {
      runtime::evaluate(model_, batch, at, batch_residuals_.data());
      for (std::uint32_t k = 0; k < batch.count; ++k) {
        out[layout_.loop_rows[loop_row++]] = batch_residuals_[k];
        probe = finite_probe(probe, batch_residuals_[k]);
      }
      continue;
    }
    runtime::evaluate(model_, batch, at, nullptr);
    // A retained variable keeps the integrator's value; its residual is the difference to the computed one.
    for (; retained < open.retained_end; ++retained) {
      const RetainedRow& row = retained_rows_[retained];
      const double own = row.rate ? rates[row.source] : y[row.source];
      out[row.row] = values[row.variable] - own;
      values[row.variable] = own;
      probe = finite_probe(probe, out[row.row]);
    }
  }
  for (const StateRow& row : state_rows_) {
    out[row.state] = values[row.derivative] - rates[row.state];
    probe = finite_probe(probe, out[row.state]);
  }
  return probe == 0;
}

bool ReducedSystem::jacobian(double time, const double* y, const double* rates, double rate, double* out) {
  Profile* profile = instance_.evaluator.profile();
  const CostTimer timer(profile ? &profile->jacobians : nullptr);
  if (profile) profile->inside_jacobian = true;
  const bool done = evaluate(time, y, rates) && chain_.evaluate(instance_.evaluator, point(time), rate, out);
  if (profile) profile->inside_jacobian = false;
  return done;
}

bool ReducedSystem::output(double time, const double* y, const double* rates,
                           std::span<const Step> observed) {
  load(time, y, rates);
  Evaluator& evaluator = instance_.evaluator;
  return evaluator.run_checked(model_.dynamic, point(time)) && evaluator.run_checked(observed, point(time));
}

bool ReducedSystem::output(double time, const double* y, const double* rates, std::span<const Step> observed,
                           const NeededRows& rows) {
  load(time, y, rates);
  Evaluator& evaluator = instance_.evaluator;
  return rows.evaluate(evaluator, point(time)) && evaluator.run_checked(observed, point(time));
}

Failure ReducedSystem::explain(double time, const double* y, const double* rates) {
  load(time, y, rates);
  instance_.failure() = Failure{};
  if (instance_.evaluator.run_checked(model_.dynamic, point(time))) return Failure{};
  return instance_.failure();
}

void describe_system(const ReducedSystem& system, Statistics& statistics) {
  statistics.form = system.form();
  statistics.form_reason = system.reason();
  statistics.unknowns = system.size();
  statistics.retained = system.retained_variables();
  statistics.nonzeros = system.jacobian().pattern().nonzeros();
}

}  // namespace runtime
