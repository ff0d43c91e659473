#include "runtime/integrate/simulate.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/components/components.h"
#include "runtime/integrate/component_rows.h"
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
// Fewer components do not gain much by clocks of their own.
constexpr std::size_t kFewestComponents = 16;

bool is_valid(const Experiment& e) {
  return std::isfinite(e.start) && std::isfinite(e.stop) && e.stop >= e.start && std::isfinite(e.tolerance) &&
         e.tolerance > 0 && e.max_step > 0 && e.steps > 0;
}

/// Per variable: whether it is recorded.
std::vector<std::uint8_t> recorded_variables(const Model& model, const Output& output) {
  std::vector<std::uint8_t> recorded(model.variables, 0);
  for (const Column& c : output.columns)
    if (c.variable != kNone) recorded[c.variable] = 1;
  return recorded;
}

/// The steps of the observed schedule that recorded columns need.
std::vector<Step> observed_steps(const Model& model, const Output& output) {
  std::vector<std::uint8_t> wanted = recorded_variables(model, output);
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

/// Reports the failure of the problem at the start.
bool failed(const InitialValueProblem& problem, const Experiment& experiment, Outcome& outcome) {
  outcome.failure = problem.instance.failure();
  outcome.failure.time = experiment.start;
  if (outcome.failure.kind == FailureKind::Assertion) outcome.failure.initial = true;
  return false;
}

/// Initial values and initial events.
bool initialise(InitialValueProblem& problem, const Experiment& experiment, Outcome& outcome) {
  const Timer timer;
  const double time = experiment.start;
  const bool ready =
      problem.initialise(time, experiment.from) &&
      problem.events.start(time, experiment.continues, kLocalTolerance * experiment.tolerance) &&
      (problem.assertions.empty() || problem.assertions.hold(time));
  outcome.continued = problem.instance.evaluator.continued();
  outcome.guessed = std::move(problem.guessed);
  outcome.statistics.states = problem.instance.model.states.size();
  outcome.statistics.seconds_initialise = timer.seconds();
  return ready || failed(problem, experiment, outcome);
}

/// The form of the system.
bool prepare(InitialValueProblem& problem, const Experiment& experiment, Outcome& outcome) {
  const Timer timer;
  const bool ready = problem.prepare(form_for(experiment.solver));
  Statistics& s = outcome.statistics;
  s.seconds_initialise += timer.seconds();
  s.form = problem.system.form();
  s.form_reason = problem.system.reason();
  s.unknowns = problem.system.size();
  s.retained = problem.system.retained_variables();
  s.nonzeros = problem.system.jacobian().pattern().nonzeros();
  return ready || failed(problem, experiment, outcome);
}

/// The components of an initialised problem, if they are worth clocks of their own.
std::unique_ptr<Components> components_of(InitialValueProblem& problem, const Experiment& experiment) {
  const Model& model = problem.instance.model;
  const std::size_t fewest = experiment.components == ComponentClocks::Auto ? kFewestComponents : 1;
  const bool possible = experiment.components != ComponentClocks::Off && experiment.solver == Solver::Auto &&
                        experiment.stop > experiment.start && model.states.size() >= fewest &&
                        !model.linearity.empty();
  if (!possible) return nullptr;
  const double range = experiment.stop - experiment.start;
  auto components = std::make_unique<Components>(problem.instance, experiment.start, range, kMoment * range);
  return components->worthwhile(fewest) ? std::move(components) : nullptr;
}

/// From the initialised problem to the end, with components.
void integrate(Components& components, InitialValueProblem& whole, const Experiment& experiment,
               const Control& control, const Output& output, std::span<const Step> observed,
               Recorder& recorder, Outcome& outcome) {
  Timer timer;
  Statistics& statistics = outcome.statistics;
  if (!components.split()) {
    outcome.failure = components.failure();
    return;
  }
  const Submodel& part = components.remainder();
  InitialValueProblem rest(part.model, components.remainder_parameters(), components.remainder_nominal(),
                           kMoment * (experiment.stop - experiment.start), whole.instance.thread_pool);
  bool ready = rest.initialise(experiment.start, components.remainder_values()) &&
               rest.events.start(experiment.start, true, kLocalTolerance * experiment.tolerance);
  ready = ready ? prepare(rest, experiment, outcome) : failed(rest, experiment, outcome);
  statistics.seconds_initialise += timer.seconds();
  if (ready) {
    timer = Timer();
    std::optional<JoinedReports> reports;
    PartReports of_remainder;
    if (control.events) {
      reports.emplace(*control.events);
      of_remainder.target = &*reports;
      of_remainder.variables = part.variables;
      of_remainder.crossings = part.crossings;
      of_remainder.triggers = part.triggers;
      rest.events.report_to(&of_remainder);
    }
    if (reports || recorder.wants_events()) components.keep_order(reports ? &*reports : nullptr);
    const NeededRows shown(whole.instance.model, whole.instance.model.dynamic, observed,
                           recorded_variables(whole.instance.model, output));
    components.show(shown);
    ComponentRows rows(components, whole.instance, observed, shown,
                       {rest.instance.parameters, reports.has_value()}, experiment.stop, recorder);
    TimeLoop(rest, experiment, control, {}, rows, outcome).run();
    if (reports) reports->flush();
    statistics.seconds_integrate = timer.seconds() - recorder.seconds();
    statistics.seconds_exact = rows.seconds();
    for (StateScale& s : outcome.scales) s.variable = part.variables[s.variable];
    for (BranchJump& j : outcome.jumps) j.variable = part.variables[j.variable];
    if (outcome.terminated) outcome.terminated = part.triggers[*outcome.terminated];
    if (rows.failure()) {
      outcome.status = Outcome::Failed;
      outcome.failure = rows.failure();
    } else {
      renumber(outcome.failure, part, part);
    }
    // The last row may be one at an event, which leaves out what no column shows.
    if (outcome.status == Outcome::Completed &&
        !components.evaluate(outcome.reached, rest.instance.values, rest.instance.parameters)) {
      outcome.status = Outcome::Failed;
      outcome.failure = components.failure();
    }
  } else {
    renumber(outcome.failure, part, part);
  }
  components.each_form([&](const ExactForm& form) {
    Statistics::ExactKind& kind = form.states() == 1 ? statistics.exact_of_one : statistics.exact_of_several;
    kind.components += form.components();
    kind.forms += form.is_first;
    kind.events += form.changes;
    kind.seconds += form.seconds;
  });
  statistics.exact_components = components.exact();
  statistics.exact_forms = components.forms();
  statistics.other_components = components.others();
  statistics.exact_events = components.events();
  statistics.events += components.events();
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

std::optional<ComponentClocks> component_clocks_named(std::string_view name) {
  if (name == "auto") return ComponentClocks::Auto;
  if (name == "off") return ComponentClocks::Off;
  if (name == "on") return ComponentClocks::On;
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
  auto start_threads = [&] {
    const unsigned threads = thread_count(experiment.threads);
    if (threads == 1 || thread_pool) return;
    thread_pool.emplace(threads);
    outcome.statistics.threads = threads;
  };
  if (model.variables >= kLarge) start_threads();
  std::vector<double> parameters = evaluate_parameters(model, experiment.overrides);
  std::vector<double> nominal = nominal_values(model, parameters);
  InitialValueProblem problem(model, std::move(parameters), std::move(nominal),
                              kMoment * (experiment.stop - experiment.start),
                              thread_pool ? &*thread_pool : nullptr);
  const std::vector<Step> observed = observed_steps(model, output);
  Recorder recorder(output);
  problem.events.report_to(control.events);
  Statistics& statistics = outcome.statistics;
  if (recorder.begin() && initialise(problem, experiment, outcome)) {
    if (const auto components = components_of(problem, experiment)) {
      if (components->worthwhile(ExactComponents::kFewestForThreads)) start_threads();
      problem.instance.thread_pool = thread_pool ? &*thread_pool : nullptr;
      integrate(*components, problem, experiment, control, output, observed, recorder, outcome);
    } else if (prepare(problem, experiment, outcome)) {
      const Timer timer;
      TimeLoop(problem, experiment, control, observed, recorder, outcome).run();
      statistics.seconds_integrate = timer.seconds() - recorder.seconds();
    }
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
