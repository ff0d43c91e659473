#include "runtime/integrate/simulate.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/components/components.h"
#include "runtime/integrate/checkpoint.h"
#include "runtime/integrate/component_rows.h"
#include "runtime/integrate/flush_to_zero.h"
#include "runtime/integrate/initial_value_problem.h"
#include "runtime/integrate/kept_solver.h"
#include "runtime/integrate/structure.h"
#include "runtime/integrate/time_loop.h"
#include "runtime/results/recorder.h"
#include "runtime/solve/parameters.h"
#include "runtime/solve/profile.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"

namespace runtime {

namespace {

constexpr double kMoment = 1e-9;  // of the time range: EventIteration
// Variables of a model that uses threads; in smaller ones they wait for each other longer than they work.
constexpr std::size_t kLarge = 100'000;
// Fewer components do not gain much by clocks of their own.
constexpr std::size_t kFewestComponents = 16;
// So many changes of structure in a row that may come from errors of the solution alone, such as those of a
// ball whose bounces have become smaller than the tolerance, have no end.
constexpr std::uint32_t kMostErrors = 50;
constexpr const char* kOtherModel = "is of another model";

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

/// A run: one segment after another. A segment begins at the start, from the memory of the one before
/// (checkpoint.h), or with another model after a change of structure (structure.h).
class Simulation {
 public:
  Simulation(const Model& model, const Experiment& experiment, const Output& output, const Control& control)
      : experiment_(experiment),
        control_(control),
        moment_(kMoment * (experiment.stop - experiment.start)),
        recorder_(output),
        next_{{std::shared_ptr<const void>(), &model},
              experiment.overrides,
              output.columns},  // the caller keeps it
        part_{experiment.start},
        observed_(observed_steps(model, output.columns)) {}

  Outcome run();

 private:
  bool begin();
  bool segment();
  bool initialise(InitialValueProblem& problem);
  FormChoice form_choice() const;
  bool prepare(InitialValueProblem& problem, KeptSolver* kept = nullptr);
  bool resume(InitialValueProblem& problem, Archive& archive);
  bool integrate(InitialValueProblem& problem, Archive& archive);
  bool integrate(Components& components, InitialValueProblem& whole, Archive& archive);
  bool start_remainder(InitialValueProblem& rest, const Components& components, Archive& archive);
  void count_exact(const Components& components);
  void note_interrupted(InitialValueProblem& whole, const Components& components, InitialValueProblem& rest);
  void note_constantly_true(InitialValueProblem& problem);
  bool suspend(const TimeLoop& loop, InitialValueProblem& problem, InitialValueProblem* rest);
  void visit_structure(Archive& archive);
  std::unique_ptr<Components> components_of(InitialValueProblem& problem);
  void run(TimeLoop& loop) { resumes() ? loop.resume(at_) : loop.run(); }
  void start_threads();
  ThreadPool* thread_pool() { return thread_pool_ ? &*thread_pool_ : nullptr; }
  bool resumes() const { return !memory_.empty(); }
  bool failed(const InitialValueProblem& problem);
  bool checkpoint_failed(std::string reason, bool initial = false);
  bool is_accepted(InitialValueProblem& problem, bool ready, bool& again);
  bool begins_otherwise();
  bool change_structure(InitialValueProblem& problem, bool at_once);
  void follow(NextStructure next);
  const Model& model() const { return *next_.model; }
  void report_sink_error();

  const Experiment& experiment_;
  const Control& control_;
  double moment_;
  Recorder recorder_;
  NextStructure next_;  // the present model
  Part part_;
  std::vector<Step> observed_;
  std::optional<ThreadPool> thread_pool_;
  Outcome outcome_;
  KeptSolvers kept_;     // of structures that were left
  std::string memory_;   // of the model, at the last checkpoint; empty: the segment begins at the start
  TimeLoop::Memory at_;  // the same of the time loop
  CloseEvents close_changes_;
  std::uint32_t errors_ = 0;            // changes in a row that may be errors alone
  double errors_begin_ = -HUGE_VAL;     // time of the last change before these
  bool changed_ = false;                // the structure, since the start
  std::optional<NextStructure> first_;  // before others were tried at the start
  bool tried_otherwise_ = false;        // there is no other structure to begin with
};

/// Reports the failure of the problem at the start.
bool Simulation::failed(const InitialValueProblem& problem) {
  outcome_.failure = problem.instance.failure();
  outcome_.failure.time = resumes() ? at_.time : part_.begin;
  if (outcome_.failure.kind == FailureKind::Assertion) outcome_.failure.initial = true;
  return false;
}

bool Simulation::checkpoint_failed(std::string reason, bool initial) {
  outcome_.status = Outcome::Failed;
  outcome_.failure = {.kind = FailureKind::Checkpoint, .initial = initial, .time = outcome_.reached};
  outcome_.failure.path = control_.checkpoints->path();
  outcome_.failure.error = std::move(reason);
  return false;
}

/// Initial values and initial events. The assertions of a part that may be left at once are not checked yet.
bool Simulation::initialise(InitialValueProblem& problem) {
  const Timer timer;
  const double time = part_.begin;
  const bool first = !changed_;
  const std::span<const double> from =
      first ? std::span<const double>(experiment_.from) : std::span<const double>{};
  const bool asserts = !control_.structure && !problem.assertions.empty();
  const bool ready =
      (!asserts || problem.assertions.hold_without_variables(time)) &&
      problem.initialise(time, from, first && experiment_.seek_other_solutions) &&
      problem.events.start(time,
                           !first                  ? StartOf::Part
                           : experiment_.continues ? StartOf::Continuation
                                                   : StartOf::Run,
                           kLocalTolerance * experiment_.tolerance, next_.past) &&
      (first || problem.events.hold_transitions(time, kLocalTolerance * experiment_.tolerance)) &&
      (!asserts || problem.assertions.hold(time));
  outcome_.continued = problem.instance.evaluator.continued();
  outcome_.guessed = std::move(problem.guessed);
  outcome_.others = std::move(problem.others);
  outcome_.statistics.states = model().states.size();
  outcome_.statistics.seconds_initialise += timer.seconds();
  return ready || failed(problem);
}

/// The problem as it was at the last checkpoint.
bool Simulation::resume(InitialValueProblem& problem, Archive& archive) {
  const Timer timer;
  archive(at_);
  const bool ready = problem.resume(at_.time, archive);
  outcome_.statistics.seconds_initialise += timer.seconds();
  if (ready) return true;
  return archive.fine() ? failed(problem) : checkpoint_failed(kOtherModel, true);
}

/// The form of the system that the solver needs.
FormChoice Simulation::form_choice() const {
  if (!outcome_.solver_change) return form_for(experiment_.solver);
  return form_for(solver_named(outcome_.solver_change->to).value());
}

bool Simulation::prepare(InitialValueProblem& problem, KeptSolver* kept) {
  const Timer timer;
  const bool ready = problem.prepare(form_choice(), kept);
  outcome_.statistics.seconds_initialise += timer.seconds();
  describe_system(problem.system, outcome_.statistics);
  return ready || failed(problem);
}

/// The components of a problem that is ready, if they are worth clocks of their own.
std::unique_ptr<Components> Simulation::components_of(InitialValueProblem& problem) {
  const std::size_t fewest = experiment_.components == ComponentClocks::Auto ? kFewestComponents : 1;
  const bool possible = !control_.structure && !control_.jumps && !control_.profile &&
                        experiment_.components != ComponentClocks::Off &&
                        experiment_.solver == Solver::Auto && experiment_.stop > experiment_.start &&
                        model().states.size() >= fewest && !model().linearity.empty();
  if (!possible) return nullptr;
  const double time = resumes() ? at_.time : experiment_.start;
  auto components = std::make_unique<Components>(problem.instance, time, experiment_.stop, moment_);
  return components->worthwhile(fewest) ? std::move(components) : nullptr;
}

bool Simulation::start_remainder(InitialValueProblem& rest, const Components& components, Archive& archive) {
  const Timer timer;
  const double start = experiment_.start;
  bool ready = false;
  if (resumes()) {
    ready = rest.resume(at_.time, archive);
    if (!archive.fine()) return checkpoint_failed(kOtherModel, true);
  } else {
    ready = rest.initialise(start, components.remainder_values()) &&
            rest.events.start(start, StartOf::Part, kLocalTolerance * experiment_.tolerance);
    if (ready) rest.events.handler().note_constant();
  }
  outcome_.statistics.seconds_initialise += timer.seconds();
  return ready ? prepare(rest) : failed(rest);
}

void Simulation::count_exact(const Components& components) {
  Statistics& statistics = outcome_.statistics;
  for (Statistics::ExactKind* kind : {&statistics.exact_of_one, &statistics.exact_of_several})
    kind->components = kind->forms = 0;
  components.visit_groups([&](const ExactForm& form) {
    Statistics::ExactKind& kind = form.states() == 1 ? statistics.exact_of_one : statistics.exact_of_several;
    kind.components += form.components();
    kind.forms += form.is_first;
    kind.events += form.changes;
    kind.seconds += form.seconds;
  });
  statistics.exact_components = components.exact();
  statistics.exact_forms = components.forms();
  statistics.other_components = components.others();
  statistics.exact_events += components.events();
  statistics.events += components.events();
}

/// A segment of a problem that is ready, with components. Whether it ended at a checkpoint.
bool Simulation::integrate(Components& components, InitialValueProblem& whole, Archive& archive) {
  if (!components.split()) {
    outcome_.failure = components.failure();
    return false;
  }
  const Submodel& part = components.remainder();
  InitialValueProblem rest(part.model, components.remainder_parameters(), components.remainder_nominal(),
                           moment_, whole.instance.thread_pool);
  if (!start_remainder(rest, components, archive)) {
    renumber(outcome_.failure, part, part);
    count_exact(components);
    return false;
  }
  const Timer timer;
  const double written = recorder_.seconds();
  std::optional<JoinedReports> reports;
  PartReports of_remainder;
  StoredReports stored;
  const bool store = control_.events && control_.events->only_counts() && !recorder_.wants_events();
  if (control_.events) {
    reports.emplace(*control_.events);
    of_remainder.target = &*reports;
    of_remainder.stored = store ? &stored : nullptr;
    of_remainder.variables = part.variables;
    of_remainder.crossings = part.crossings;
    of_remainder.triggers = part.triggers;
    rest.events.report_to(&of_remainder);
  }
  if (store)
    components.store_reports(*reports, stored, resumes() ? at_.time : experiment_.start);
  else if (reports || recorder_.wants_events())
    components.keep_order(reports ? &*reports : nullptr);
  const NeededRows shown(model(), model().dynamic, observed_, recorded_variables(model(), next_.columns));
  components.show(shown);
  ComponentRows rows(components, whole.instance, observed_, shown,
                     {rest.instance.parameters, reports && !store}, experiment_.stop, recorder_);
  TimeLoop loop(rest, experiment_, control_, {}, rows, outcome_);
  run(loop);
  if (store) components.pass_on(rows.failure() ? rows.failure().time : HUGE_VAL);
  if (reports) reports->flush();
  outcome_.statistics.seconds_integrate += timer.seconds() - (recorder_.seconds() - written);
  outcome_.statistics.seconds_exact += rows.seconds();
  count_exact(components);
  note_interrupted(whole, components, rest);
  if (loop.suspended()) return suspend(loop, whole, &rest);
  for (StateScale& s : outcome_.scales) s.variable = part.variables[s.variable];
  for (BranchJump& j : outcome_.jumps) j.variable = part.variables[j.variable];
  if (outcome_.terminated) outcome_.terminated = part.triggers[*outcome_.terminated];
  if (rows.failure()) {
    outcome_.status = Outcome::Failed;
    outcome_.failure = rows.failure();
  } else {
    renumber(outcome_.failure, part, part);
  }
  // The last row may be one at an event, which leaves out what no column shows.
  if (outcome_.status == Outcome::Completed &&
      !components.evaluate(outcome_.reached, rest.instance.values, rest.instance.parameters)) {
    outcome_.status = Outcome::Failed;
    outcome_.failure = components.failure();
  }
  if (outcome_.status == Outcome::Completed && !whole.events.handler().empty()) {
    const std::vector<double> last = whole.instance.values;
    if (whole.events.evaluate_inputs(whole.instance.point(outcome_.reached))) note_constantly_true(whole);
    whole.instance.failure() = {};
    whole.instance.values = last;
  }
  return false;
}

/// What the parts know of conditions, for the whole model.
void Simulation::note_interrupted(InitialValueProblem& whole, const Components& components,
                                  InitialValueProblem& rest) {
  std::vector<std::uint8_t> interrupted(model().events.triggers, 0);
  components.find_interrupted(interrupted);
  const EventHandler& handler = rest.events.handler();
  for (std::size_t k = 0; k < handler.constant().size(); ++k)
    if (!handler.constant()[k])
      interrupted[components.remainder().triggers[rest.instance.model.events.condition_triggers[k]]] = 1;
  whole.events.handler().note_interrupted(interrupted);
}

/// At the end of a run, at which everything that assignments read is evaluated.
void Simulation::note_constantly_true(InitialValueProblem& problem) {
  outcome_.constantly_true =
      problem.events.handler().constantly_true(problem.instance.point(outcome_.reached));
}

/// The same, with components or without.
bool Simulation::integrate(InitialValueProblem& problem, Archive& archive) {
  const auto components = components_of(problem);
  bool with_components = components != nullptr;
  if (resumes()) archive(with_components);
  if (with_components != (components != nullptr) || (resumes() && !archive.fine()))
    return checkpoint_failed(kOtherModel, true);
  if (components) {
    if (components->worthwhile(ExactComponents::kFewestForThreads)) start_threads();
    problem.instance.thread_pool = thread_pool();
    return integrate(*components, problem, archive);
  }
  KeptSolver kept = control_.structure ? kept_.take(next_.model) : KeptSolver{};
  if (kept.prepared && kept.choice != form_choice()) kept = {};
  if (!prepare(problem, &kept)) return false;
  kept.choice = form_choice();
  const Timer timer;
  const double written = recorder_.seconds();
  TimeLoop loop(problem, experiment_, control_, observed_, recorder_, outcome_, part_);
  loop.show_only(recorded_variables(model(), next_.columns));
  if (control_.structure) loop.use(kept);
  run(loop);
  part_ = loop.next_part();
  const bool ends = outcome_.transitions.empty() && outcome_.before_jump.empty();
  if (outcome_.status == Outcome::Completed && ends && !loop.suspended()) note_constantly_true(problem);
  outcome_.statistics.seconds_integrate += timer.seconds() - (recorder_.seconds() - written);
  if (loop.suspended()) {
    kept_.clear();
    return suspend(loop, problem, nullptr);
  }
  if (control_.structure && kept.choice == form_choice()) {
    kept.prepared = problem.system.take();
    kept_.keep(next_.model, std::move(kept));
  }
  return false;
}

/// Saves everything, for the next segment and for a run that continues. Whether it is stored.
bool Simulation::suspend(const TimeLoop& loop, InitialValueProblem& problem, InitialValueProblem* rest) {
  Archive model, run, whole;
  TimeLoop::Memory at = *loop.suspended();
  model(at);
  problem.save(model);
  bool with_components = rest != nullptr;
  model(with_components);
  if (rest) rest->save(model);
  visit(run, outcome_);
  visit_structure(run);
  control_.checkpoints->visit(run);
  if (!recorder_.save(run)) return false;
  if (!run.fine()) return checkpoint_failed("a file that belongs to it cannot be written");
  memory_ = model.take();
  Checkpoint checkpoint{memory_, run.take()};
  whole(checkpoint);
  std::string reason = control_.checkpoints->store(at.time, whole.take());
  return reason.empty() || checkpoint_failed(std::move(reason));
}

/// The present structure, and what is counted over its changes.
void Simulation::visit_structure(Archive& archive) {
  if (!control_.structure) return;
  archive(changed_, part_, close_changes_, errors_, errors_begin_);
  std::uint64_t count = next_.overrides.size();
  archive(count);
  if (archive.loads()) next_.overrides.clear();
  for (std::uint64_t k = 0; k < count && archive.fine(); ++k) {
    if (archive.loads()) next_.overrides.emplace_back();
    archive(next_.overrides[k].first, next_.overrides[k].second);
  }
  if (!archive.loads()) return control_.structure->save(archive);
  NextStructure present;
  control_.structure->resume(archive, present);
  if (!archive.fine()) return;
  present.overrides = std::move(next_.overrides);
  follow(std::move(present));
}

/// Opens the results: at the start, or where the checkpoint left them.
bool Simulation::begin() {
  if (!control_.checkpoints || control_.checkpoints->from().empty()) return recorder_.begin();
  Checkpoint checkpoint;
  Archive whole(control_.checkpoints->from());
  whole(checkpoint);
  if (!whole.fine() || checkpoint.model.empty()) return checkpoint_failed(kOtherModel, true);
  Archive run(checkpoint.run);
  visit(run, outcome_);
  visit_structure(run);
  if (!run.fine()) return checkpoint_failed(kOtherModel, true);
  control_.checkpoints->visit(run);
  if (!recorder_.resume(run)) return false;
  if (!run.fine())
    return checkpoint_failed("is of another model, or a file that belongs to it has changed", true);
  memory_ = std::move(checkpoint.model);
  return true;
}

/// Continues with another model, or with another start of it.
void Simulation::follow(NextStructure next) {
  next_ = std::move(next);
  memory_.clear();
  recorder_.show(next_.columns);
  observed_ = observed_steps(model(), next_.columns);
}

/// After a start that failed because its equations contradict each other: whether another structure is to be
/// tried, or the first one again, whose failure is the error. Values from a file are those of its modes.
bool Simulation::begins_otherwise() {
  const bool contradicts = outcome_.failure.kind == FailureKind::StartContradicts;
  if (changed_ || !control_.structure || !contradicts || tried_otherwise_ || !experiment_.from.empty())
    return false;
  if (!first_) first_ = next_;
  NextStructure other;
  tried_otherwise_ = !control_.structure->begin_otherwise(other);
  outcome_.failure = {};
  follow(tried_otherwise_ ? *first_ : std::move(other));
  return true;
}

/// Whether a segment after a change of structure has a start, which may be left at once
/// (Outcome::transitions); `again`: the next segment begins with another start.
bool Simulation::is_accepted(InitialValueProblem& problem, bool ready, bool& again) {
  NextStructure other;
  const StructureSource::Verdict verdict =
      control_.structure->started({ready, problem.instance.values, problem.instance.parameters,
                                   !ready && outcome_.failure.kind == FailureKind::StartContradicts},
                                  other);
  again = verdict == StructureSource::Verdict::Again;
  if (again) {
    outcome_.failure = {};
    follow(std::move(other));
  }
  if (verdict == StructureSource::Verdict::Failed)
    outcome_.failure = Failure{.kind = FailureKind::Structure, .time = part_.begin};
  if (!ready || verdict != StructureSource::Verdict::Accepted) return false;
  if (!problem.events.fire_after_change(part_.begin, next_.holding, next_.previous)) return failed(problem);
  outcome_.transitions = problem.events.transitions();
  return true;
}

/// After transitions: what continues. `at_once`: the part has only its start. False: the simulation fails.
bool Simulation::change_structure(InitialValueProblem& problem, bool at_once) {
  const bool by_transition = !outcome_.transitions.empty();
  outcome_.statistics.structure_changes += by_transition;
  outcome_.statistics.updates.clear();  // of other states
  changed_ = true;
  const double time = part_.begin;
  outcome_.status = Outcome::Failed;
  const bool apart = close_changes_.begins(time, experiment_.stop - experiment_.start);
  if (!apart && by_transition && !close_changes_.add()) {
    outcome_.failure = Failure{.kind = FailureKind::EndlessEvents, .time = time};
    outcome_.failure.triggers = outcome_.transitions;
    outcome_.failure.events = close_changes_.count;
    outcome_.failure.step = time - close_changes_.begin;
    return false;
  }
  if (by_transition && !at_once) {
    if (!problem.events.transitions_are_errors(kLocalTolerance * experiment_.tolerance)) {
      errors_ = 0;
      errors_begin_ = time;
    } else if (++errors_ >= kMostErrors) {
      outcome_.failure = Failure{.kind = FailureKind::EndlessEvents, .time = errors_begin_};
      outcome_.failure.triggers = outcome_.transitions;
      outcome_.failure.events = errors_;
      outcome_.failure.step = time - errors_begin_;
      return false;
    }
  }
  if (!problem.instance.observe(time, problem.instance.model.observed)) return failed(problem);
  const EventHandler& handler = problem.events.handler();
  auto next = control_.structure->next(
      {time, outcome_.transitions, problem.instance.values, problem.instance.parameters, outcome_.jumps,
       handler.holding(), handler.constant(), at_once, outcome_.before_jump, problem.events.take_history()});
  outcome_.jumps.clear();  // their numbers are those of the model that ended
  if (!next) {
    outcome_.failure = Failure{.kind = FailureKind::Structure, .time = time};
    return false;
  }
  follow(std::move(*next));
  return true;
}

/// Whether another one follows.
bool Simulation::segment() {
  const std::shared_ptr<const Model> kept = next_.model;  // `follow` replaces it
  outcome_.transitions.clear();
  outcome_.before_jump.clear();
  std::vector<double> parameters = evaluate_parameters(model(), next_.overrides);
  std::vector<double> nominal = nominal_values(model(), parameters);
  InitialValueProblem problem(model(), std::move(parameters), std::move(nominal), moment_, thread_pool());
  problem.events.report_to(control_.events);
  if (control_.profile) control_.profile->begin(model());
  problem.instance.evaluator.profile_to(control_.profile);
  const std::string memory = memory_;  // `suspend` replaces it
  Archive archive(memory);
  bool ready = resumes() ? resume(problem, archive) : initialise(problem), again = false;
  if (changed_ && !resumes()) ready = is_accepted(problem, ready, again);
  if (again || (!ready && !resumes() && begins_otherwise())) return true;
  if (ready && !resumes()) problem.events.handler().note_constant(next_.constant);
  const bool at_once = !outcome_.transitions.empty();
  if (ready && !at_once && integrate(problem, archive)) return true;
  const bool leaves = !outcome_.transitions.empty() || !outcome_.before_jump.empty();
  if (leaves && change_structure(problem, at_once)) return true;
  outcome_.values = problem.instance.values;
  outcome_.parameters = problem.instance.parameters;
  outcome_.overrides = next_.overrides;
  return false;
}

void Simulation::start_threads() {
  const unsigned threads = thread_count(experiment_.threads);
  if (threads == 1 || thread_pool_) return;
  thread_pool_.emplace(threads);
  outcome_.statistics.threads = threads;
}

void Simulation::report_sink_error() {
  const Sink::Error& error = recorder_.error();
  if (!error || outcome_.failure) return;
  Failure failure{.kind = FailureKind::Output, .time = outcome_.reached};
  failure.path = error.path;
  failure.error = error.reason;
  failure.kept_rows = error.kept_rows;
  failure.kept_until = error.kept_until;
  outcome_.status = Outcome::Failed;
  outcome_.failure = std::move(failure);
}

Outcome Simulation::run() {
  outcome_.reached = experiment_.start;
  if (!is_valid(experiment_)) {
    outcome_.failure = {.kind = FailureKind::BadExperiment, .time = experiment_.start};
    return outcome_;
  }
  if (model().variables >= kLarge) start_threads();
  if (begin())
    while (segment()) {}
  recorder_.finish();
  report_sink_error();
  outcome_.statistics.rows = recorder_.rows();
  outcome_.statistics.seconds_write = recorder_.seconds();
  return std::move(outcome_);
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
  return Simulation(model, experiment, output, control).run();
}

}  // namespace runtime
