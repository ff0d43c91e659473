#include "runtime/integrate/simulate.h"

#include <cmath>
#include <optional>
#include <utility>

#include "runtime/integrate/flush_to_zero.h"
#include "runtime/integrate/initial_value_problem.h"
#include "runtime/integrate/time_loop.h"
#include "runtime/results/recorder.h"
#include "runtime/solve/parameters.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"

namespace runtime {

namespace {

constexpr double kMoment = 1e-9;  // of the time range: EventIteration
// Variables of a model that uses threads; in smaller ones they wait for each other longer than they work.
constexpr std::size_t kLarge = 100'000;

bool is_valid(const Experiment& e) {
  return std::isfinite(e.start) && std::isfinite(e.stop) && e.stop >= e.start && std::isfinite(e.tolerance) &&
         e.tolerance > 0 && e.max_step > 0 && e.steps > 0;
}

/// The steps of the observed schedule that recorded columns need.
std::vector<Step> observed_steps(const Model& model, const Output& output) {
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (const Column& c : output.columns)
    if (c.variable != kNone) wanted[c.variable] = 1;
  return needed_steps(model, model.observed, wanted);
}

FormChoice form_for(Solver solver) {
  switch (solver) {
    case Solver::Auto: return FormChoice::Auto;
    case Solver::Ida: return FormChoice::Implicit;
    case Solver::Qss: return FormChoice::Quantised;
    case Solver::Cvode:
    case Solver::Adams: break;
  }
  return FormChoice::Explicit;
}

/// Initial values, initial events, and the form of the system.
bool prepare(InitialValueProblem& problem, const Experiment& experiment, Outcome& outcome) {
  const Timer timer;
  const double time = experiment.start;
  const bool ready =
      problem.initialise(time, experiment.from) &&
      problem.events.start(time, experiment.continues, kLocalTolerance * experiment.tolerance) &&
      (problem.assertions.empty() || problem.assertions.hold(time)) &&
      problem.prepare(form_for(experiment.solver));
  outcome.continued = problem.instance.evaluator.continued();
  Statistics& s = outcome.statistics;
  s.seconds_initialise = timer.seconds();
  s.form = problem.system.form();
  s.states = problem.instance.model.states.size();
  s.unknowns = problem.system.size();
  s.retained = problem.system.retained_variables();
  s.nonzeros = problem.system.jacobian().pattern().nonzeros();
  if (ready) return true;
  outcome.failure = problem.instance.failure();
  outcome.failure.time = time;
  if (outcome.failure.kind == FailureKind::Assertion) outcome.failure.initial = true;
  return false;
}

void report_sink_error(const Sink::Error& error, Outcome& outcome) {
  if (!error || outcome.failure) return;
  Failure failure{.kind = FailureKind::Output, .time = outcome.reached};
  failure.path = error.path;
  failure.error = error.reason;
  failure.kept_rows = error.kept_rows;
  failure.kept_until = error.kept_until;
  outcome.status = Outcome::Failed;
  outcome.failure = std::move(failure);
}

}  // namespace

std::optional<Solver> solver_named(std::string_view name) {
  if (name == "auto") return Solver::Auto;
  if (name == "cvode") return Solver::Cvode;
  if (name == "adams") return Solver::Adams;
  if (name == "ida") return Solver::Ida;
  if (name == "qss") return Solver::Qss;
  return std::nullopt;
}

Outcome simulate(const Model& model, const Experiment& experiment, const Output& output,
                 const Control& control) {
  const FlushToZero flush;
  Outcome outcome;
  outcome.reached = experiment.start;
  if (!is_valid(experiment)) {
    outcome.failure = {.kind = FailureKind::BadExperiment, .time = experiment.start};
    return outcome;
  }
  std::optional<ThreadPool> thread_pool;
  if (model.variables >= kLarge)
    if (const unsigned threads = thread_count(experiment.threads); threads > 1) {
      thread_pool.emplace(threads);
      outcome.statistics.threads = threads;
    }
  std::vector<double> parameters = evaluate_parameters(model, experiment.overrides);
  std::vector<double> nominal = nominal_values(model, parameters);
  InitialValueProblem problem(model, std::move(parameters), std::move(nominal),
                              kMoment * (experiment.stop - experiment.start),
                              thread_pool ? &*thread_pool : nullptr);
  const std::vector<Step> observed = observed_steps(model, output);
  Recorder recorder(output);
  problem.events.report_to(control.events);
  Statistics& statistics = outcome.statistics;
  if (recorder.begin() && prepare(problem, experiment, outcome)) {
    const Timer timer;
    TimeLoop(problem, experiment, control, observed, recorder, outcome).run();
    statistics.seconds_integrate = timer.seconds() - recorder.seconds();
  }
  recorder.finish();
  report_sink_error(recorder.error(), outcome);
  outcome.values = problem.instance.values;
  outcome.parameters = problem.instance.parameters;
  statistics.rows = recorder.rows();
  statistics.seconds_write = recorder.seconds();
  return outcome;
}

}  // namespace runtime
