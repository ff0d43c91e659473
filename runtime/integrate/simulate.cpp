#include "runtime/integrate/simulate.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/components/components.h"
#include "runtime/integrate/component_rows.h"
#include "runtime/integrate/flush_to_zero.h"
#include "runtime/integrate/initial_value_problem.h"
#include "runtime/integrate/structure.h"
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
std::vector<std::uint8_t> recorded_variables(const Model& model, std::span<const Column> columns) {
  std::vector<std::uint8_t> recorded(model.variables, 0);
  for (const Column& c : columns)
    if (c.variable < model.variables) recorded[c.variable] = 1;
  return recorded;
}

/// The steps of the observed schedule that recorded columns need.
std::vector<Step> observed_steps(const Model& model, std::span<const Column> columns) {
  std::vector<std::uint8_t> wanted = recorded_variables(model, columns);
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
bool failed(const InitialValueProblem& problem, double time, Outcome& outcome) {
  outcome.failure = problem.instance.failure();
  outcome.failure.time = time;
  if (outcome.failure.kind == FailureKind::Assertion) outcome.failure.initial = true;
  return false;
}

/// Initial values and initial events. `continues`: as Experiment::continues.
bool initialise(InitialValueProblem& problem, double time, std::span<const double> from, bool continues,
                const Experiment& experiment, Outcome& outcome) {
  const Timer timer;
  const bool ready = problem.initialise(time, from) &&
                     problem.events.start(time, continues, kLocalTolerance * experiment.tolerance) &&
                     (problem.assertions.empty() || problem.assertions.hold(time));
  outcome.continued = problem.instance.evaluator.continued();
  outcome.guessed = std::move(problem.guessed);
  outcome.statistics.states = problem.instance.model.states.size();
  outcome.statistics.seconds_initialise = timer.seconds();
  return ready || failed(problem, time, outcome);
}

/// The form of the system.
bool prepare(InitialValueProblem& problem, double time, const Experiment& experiment, Outcome& outcome) {
  const Timer timer;
  const bool ready = problem.prepare(form_for(experiment.solver));
  Statistics& s = outcome.statistics;
  s.seconds_initialise += timer.seconds();
  s.form = problem.system.form();
  s.form_reason = problem.system.reason();
  s.unknowns = problem.system.size();
  s.retained = problem.system.retained_variables();
  s.nonzeros = problem.system.jacobian().pattern().nonzeros();
  return ready || failed(problem, time, outcome);
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
  ready =
      ready ? prepare(rest, experiment.start, experiment, outcome) : failed(rest, experiment.start, outcome);
  statistics.seconds_initialise += timer.seconds();
  if (ready) {
    timer = Timer();
    std::optional<JoinedReports> reports;
    PartReports of_remainder;
    StoredReports stored;
    const bool store = control.events && control.events->only_counts() && !recorder.wants_events();
    if (control.events) {
      reports.emplace(*control.events);
      of_remainder.target = &*reports;
      of_remainder.stored = store ? &stored : nullptr;
      of_remainder.variables = part.variables;
      of_remainder.crossings = part.crossings;
      of_remainder.triggers = part.triggers;
      rest.events.report_to(&of_remainder);
    }
    if (store)
      components.store_reports(*reports, stored, experiment.start);
    else if (reports || recorder.wants_events())
      components.keep_order(reports ? &*reports : nullptr);
    const NeededRows shown(whole.instance.model, whole.instance.model.dynamic, observed,
                           recorded_variables(whole.instance.model, output.columns));
    components.show(shown);
    ComponentRows rows(components, whole.instance, observed, shown,
                       {rest.instance.parameters, reports && !store}, experiment.stop, recorder);
    TimeLoop(rest, experiment, control, {}, rows, outcome).run();
    if (store) components.pass_on(rows.failure() ? rows.failure().time : HUGE_VAL);
    if (reports) reports->flush();
    statistics.seconds_integrate = timer.seconds() - recorder.seconds();
    statistics.seconds_exact = rows.seconds();
    for (StateScale& s : outcome.scales) s.variable = part.variables[s.variable];
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

/// The parts of a simulation: one, unless transitions change its structure.
class Parts {
 public:
  Parts(const Model& model, const Experiment& experiment, const Control& control, Recorder& recorder,
        Outcome& outcome)
      : experiment_(experiment),
        control_(control),
        recorder_(recorder),
        outcome_(outcome),
        next_{&model, experiment.overrides, recorder.columns()},
        part_{experiment.start} {}

  /// Runs the next part; `by_components` does so if the model has components with clocks of their own.
  /// Whether another part follows.
  template <class ByComponents>
  bool run(ThreadPool* threads, const ByComponents& by_components) {
    const Model& model = *next_.model;
    const bool first = part_.next_row == 0;
    const Statistics before = std::exchange(outcome_.statistics, {});
    outcome_.statistics.threads = before.threads;
    std::vector<double> parameters = evaluate_parameters(model, next_.overrides);
    std::vector<double> nominal = nominal_values(model, parameters);
    InitialValueProblem problem(model, std::move(parameters), std::move(nominal),
                                kMoment * (experiment_.stop - experiment_.start), threads);
    problem.events.report_to(control_.events);
    outcome_.transitions.clear();
    outcome_.status = Outcome::Failed;
    const std::span<const double> from =
        first ? std::span<const double>(experiment_.from) : std::span<const double>{};
    bool ready =
        initialise(problem, part_.begin, from, first ? experiment_.continues : true, experiment_, outcome_);
    if (!first) {
      switch (verdict(problem, ready)) {
        case StructureSource::Verdict::Accepted: break;
        case StructureSource::Verdict::Again: outcome_.statistics.add(before); return true;
        case StructureSource::Verdict::Failed:
          if (ready) outcome_.failure = Failure{.kind = FailureKind::Structure, .time = part_.begin};
          ready = false;
      }
    }
    if (ready && !(model.events.transitions.empty() && first && by_components(problem)) &&
        prepare(problem, part_.begin, experiment_, outcome_)) {
      const Timer timer;
      const double written = recorder_.seconds();
      const std::vector<Step> observed = observed_steps(model, next_.columns);
      TimeLoop loop(problem, experiment_, control_, observed, recorder_, outcome_, part_);
      loop.run();
      part_ = loop.next_part();
      outcome_.statistics.seconds_integrate = timer.seconds() - (recorder_.seconds() - written);
    }
    if (!first) outcome_.statistics.add(before);
    const bool more = !outcome_.transitions.empty() && change(problem);
    if (!more) {
      outcome_.values = std::move(problem.instance.values);
      outcome_.parameters = std::move(problem.instance.parameters);
    }
    return more;
  }

 private:
  /// Whether a part after a change of structure goes on from its start.
  StructureSource::Verdict verdict(InitialValueProblem& problem, bool ready) {
    const StructureSource::Verdict result =
        control_.structure->started({ready, problem.instance.values, problem.instance.parameters,
                                     ready && !problem.events.transitions().empty()},
                                    next_);
    if (result != StructureSource::Verdict::Again) return result;
    outcome_.failure = {};
    recorder_.show(next_.columns);
    return result;
  }

  /// After transitions: what continues. False: the simulation fails.
  bool change(InitialValueProblem& problem) {
    ++outcome_.statistics.structure_changes;
    const double time = part_.begin;
    if (time - mark_ > kClose * (experiment_.stop - experiment_.start)) {
      mark_ = time;
      close_ = 0;
    } else if (++close_ >= kMostClose) {
      outcome_.status = Outcome::Failed;
      outcome_.failure = Failure{.kind = FailureKind::EndlessEvents, .time = time};
      outcome_.failure.triggers = outcome_.transitions;
      outcome_.failure.events = close_;
      outcome_.failure.step = time - mark_;
      return false;
    }
    if (!problem.instance.observe(time, problem.instance.model.observed))
      return failed(problem, time, outcome_) || (outcome_.status = Outcome::Failed, false);
    auto next = control_.structure->next(
        {time, outcome_.transitions, problem.instance.values, problem.instance.parameters});
    if (!next) {
      outcome_.status = Outcome::Failed;
      outcome_.failure = Failure{.kind = FailureKind::Structure, .time = time};
      return false;
    }
    next_ = std::move(*next);
    recorder_.show(next_.columns);
    return true;
  }

  // Changes of structure within such a part of the time range follow each other without end.
  static constexpr double kClose = 1e-7;
  static constexpr std::uint32_t kMostClose = 1000;

  const Experiment& experiment_;
  const Control& control_;
  Recorder& recorder_;
  Outcome& outcome_;
  NextStructure next_;
  Part part_;
  double mark_ = -HUGE_VAL;  // time of the first of the changes that are close
  std::uint32_t close_ = 0;
};

}  // namespace

void Statistics::add(const Statistics& before) {
  steps += before.steps;
  evaluations += before.evaluations;
  jacobians += before.jacobians;
  factorisations += before.factorisations;
  loop_factorisations += before.loop_factorisations;
  events += before.events;
  state_changes += before.state_changes;
  newton_iterations += before.newton_iterations;
  newton_failures += before.newton_failures;
  error_test_failures += before.error_test_failures;
  method_changes += before.method_changes;
  revised_steps += before.revised_steps;
  check_evaluations += before.check_evaluations;
  structure_changes += before.structure_changes;
  seconds_initialise += before.seconds_initialise;
  seconds_integrate += before.seconds_integrate;
  if (before.initial_step > 0) initial_step = before.initial_step;
}

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
  Recorder recorder(output);
  Parts parts(model, experiment, control, recorder, outcome);
  if (recorder.begin()) {
    while (parts.run(thread_pool ? &*thread_pool : nullptr, [&](InitialValueProblem& problem) {
      const auto components = components_of(problem, experiment);
      if (!components) return false;
      if (components->worthwhile(ExactComponents::kFewestForThreads)) start_threads();
      problem.instance.thread_pool = thread_pool ? &*thread_pool : nullptr;
      const std::vector<Step> observed = observed_steps(model, output.columns);
      integrate(*components, problem, experiment, control, output, observed, recorder, outcome);
      return true;
    })) {}
  }
  recorder.finish();
  report_sink_error(recorder.error(), outcome);
  Statistics& statistics = outcome.statistics;
  statistics.rows = recorder.rows();
  statistics.seconds_write = recorder.seconds();
  return outcome;
}

}  // namespace runtime
