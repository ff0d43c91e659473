// Runs of a compiled model: the settings of the experiment, the recorded columns, the simulation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_set>

#include "compiler/explain/failure_names.h"
#include "compiler/explain/failure_report.h"
#include "compiler/explain/run_notes.h"
#include "compiler/pipeline/structures.h"
#include "compiler/session/bounds.h"
#include "compiler/session/integer_range.h"
#include "compiler/session/loop_positions.h"
#include "compiler/session/session.h"
#include "compiler/session/settings.h"
#include "compiler/session/start_file.h"
#include "compiler/session/structure_changes.h"
#include "compiler/session/tied_jumps.h"
#include "compiler/singularity/singular_system.h"

namespace sigrel {

using pipeline::Columns;
using pipeline::Results;

namespace {

constexpr double kSmallestTolerance = 1e-13;
// The shortest range of an experiment, as a part of its times: rounding of the time is 2e-6 of it then.
constexpr double kShortestRange = 1e-10;
constexpr std::size_t kPlotted = 6;              // curves of a default plot
constexpr std::size_t kMostEventColumns = 1000;  // of results with rows at events by default

bool has_events(const runtime::Model& model) {
  return !model.zero_crossings.empty() || model.events.triggers > 0;
}

/// Whether a part of a later mode has a parameter of this name.
bool is_later_parameter(const Compiled& model, const std::string& name) {
  bool found = false;
  if (model.structures)
    model.structures->each_later(model, [&](const system::System& system) {
      const auto& named = system.named_parameters;
      const auto it = std::ranges::find(named, name, &system::NamedParameter::name);
      found = it != named.end() && !it->structural;
      return !found;
    });
  return found;
}

/// Keeps the last row only: the memory for final values does not depend on the number of rows.
class LastRow final : public runtime::Sink {
 public:
  Error begin(const runtime::Output&) override { return {}; }
  Error row(double, std::span<const double> values) override {
    last_.assign(values.begin(), values.end());
    return {};
  }
  Error save(runtime::Archive& archive) override {
    archive(last_);
    return {};
  }
  Error resume(const runtime::Output&, runtime::Archive& archive) override {
    archive(last_);
    return {};
  }
  Error finish() override { return {}; }
  std::vector<double> take() { return std::move(last_); }

 private:
  std::vector<double> last_;
};

/// Passes some of the columns on. `distinct`: as variables of their own; where the structure changes, those
/// that are equal, or zero, at the start need not be so later.
class Selection final : public runtime::Sink {
 public:
  Selection(std::vector<std::size_t> columns, runtime::Sink& to, bool distinct = false)
      : columns_(std::move(columns)), to_(to), distinct_(distinct) {}
  Error begin(const runtime::Output& output) override {
    select(output);
    return to_.begin(some_);
  }
  Error row(double time, std::span<const double> values) override {
    row_.clear();
    for (std::size_t c : columns_) row_.push_back(values[c]);
    return to_.row(time, row_);
  }
  bool wants_steps() const override { return to_.wants_steps(); }
  void step(double time, std::span<const double> values) override {
    row_.clear();
    for (std::size_t c : columns_) row_.push_back(values[c]);
    to_.step(time, row_);
  }
  Error save(runtime::Archive& archive) override { return to_.save(archive); }
  Error resume(const runtime::Output& output, runtime::Archive& archive) override {
    select(output);
    return to_.resume(some_, archive);
  }
  Error finish() override { return to_.finish(); }

 private:
  void select(const runtime::Output& output) {
    for (std::size_t c : columns_) {
      const auto own = static_cast<std::uint32_t>(some_.columns.size());
      some_.columns.push_back(distinct_ ? runtime::Column{own, false} : output.columns[c]);
      some_.names.push_back(output.names[c]);
      if (!output.descriptions.empty()) some_.descriptions.push_back(output.descriptions[c]);
    }
    some_.constants = output.constants;
    some_.header_units = output.header_units;
  }

  std::vector<std::size_t> columns_;
  runtime::Output some_;
  std::vector<double> row_;
  runtime::Sink& to_;
  bool distinct_;
};

}  // namespace

std::vector<std::string> Run::plotted() const {
  std::vector<std::string> names;
  for (const std::vector<std::string>& pane : panes)
    for (const std::string& name : pane)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::optional<double> Run::value(std::string_view name) const {
  auto it = std::ranges::find(columns.names, name);
  if (it == columns.names.end() || final_values.empty()) return std::nullopt;
  return final_values[static_cast<std::size_t>(it - columns.names.begin())];
}

std::vector<double> Run::column(std::string_view name) const {
  auto it = std::ranges::find(trajectory.names(), name);
  if (it == trajectory.names().end()) return {};
  return trajectory.column(static_cast<std::size_t>(it - trajectory.names().begin()));
}

std::string_view Run::description(std::string_view name) const {
  auto it = std::ranges::find(columns.names, name);
  if (it == columns.names.end()) return {};
  return descriptions[static_cast<std::size_t>(it - columns.names.begin())];
}

/// The experiment of the model with the changes of this run. Nullopt after an error.
std::optional<runtime::Experiment> Session::experiment(const Compiled& model, const RunOptions& options) {
  std::size_t errors = diagnostics_.error_count();
  const elaborate::Experiment& given = model.experiment;
  runtime::Experiment e;
  e.start = options.start.value_or(given.start);
  e.stop = options.stop.value_or(given.stop);
  e.tolerance = options.tolerance.value_or(given.tolerance);
  e.max_step = options.max_step.value_or(given.max_step);
  std::int64_t steps = options.steps ? std::int64_t{*options.steps} : given.steps;
  e.steps = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(steps, 1, std::numeric_limits<std::int32_t>::max()));

  auto bad = [&](const std::string& message, const std::string& help) {
    diagnostics_.report(Code::BadExperiment, message).help(help);
  };
  if (!std::isfinite(e.start) || !std::isfinite(e.stop))
    bad("`start` and `stop` must be numbers", "give both in seconds");
  else if (e.stop < e.start)
    bad(fmt::format("the experiment stops at {:.6g} s, before it starts at {:.6g} s", e.stop, e.start),
        "choose a `stop` that is later than `start`");
  else if (const double latest = std::max(std::abs(e.start), std::abs(e.stop));
           e.stop > e.start && e.stop - e.start < kShortestRange * latest)
    bad(fmt::format(
            "an experiment of {:.3g} s begins so late, at {:.6g} s, that steps are below the rounding "
            "of the time",
            e.stop - e.start, e.start),
        "let the time begin at 0, and add the start to the time where the model needs it");
  if (!(e.tolerance >= kSmallestTolerance) || !(e.tolerance < 1))
    bad("the tolerance is " + explain::number(e.tolerance),
        "choose one between 1e-13 and 1, for example 1e-6");
  if (!(e.max_step > 0))
    bad("the longest step is " + explain::number(e.max_step) + " s",
        "choose a positive `maxStep`; without one the tolerance alone determines the steps");
  if (steps < 1)
    bad(fmt::format("the experiment has {} steps", steps),
        "choose at least 1: the results have steps + 1 rows, and two at each event");

  const std::string& solver = options.solver ? *options.solver : given.solver;
  if (auto named = runtime::solver_named(solver)) {
    e.solver = *named;
  } else {
    std::vector<std::string_view> solvers = {"auto", "cvode", "adams", "ida", "qss"};
    Diagnostic& d = diagnostics_.report(Code::BadExperiment, "there is no solver `" + solver + "`");
    if (auto near = did_you_mean(solver, solvers))
      d.help("did you mean `" + std::string(*near) + "`?");
    else
      d.help("the solvers are `auto`, `cvode`, `adams`, `ida` and `qss`");
  }
  e.ordering = options.ordering;
  e.components = options.components;
  e.threads = options.threads;
  e.seek_other_solutions = !options.is_point && !options.after;
  e.ends = !options.is_point && options.ends;
  if (const Run* before = options.after) {
    if (model.structures || !model.plan.model.delays.empty())
      bad(model.structures ? "a model with `switch` cannot be run in parts"
                           : "a model with `delay` cannot be run in parts",
          "run it as a whole, and describe what acts on it as a part of the model");
    else if (before->outcome.values.size() != model.plan.model.variables)
      bad("the run that this one continues has no values",
          "continue a run of this model that has not failed");
    e.from = before->outcome.values;
    e.continues = true;
  }

  for (const auto& [name, value] : options.set) {
    auto it = std::ranges::find(model.system.named_parameters, name, &system::NamedParameter::name);
    if (it != model.system.named_parameters.end() && !it->structural) {
      e.overrides.emplace_back(it->parameter, value);
      continue;
    }
    if (it == model.system.named_parameters.end() && is_later_parameter(model, name)) {
      e.overrides.emplace_back(runtime::kNone, value);  // StructureChanges sets it
      continue;
    }
    std::string message = it == model.system.named_parameters.end()
                              ? "the compiled model has no parameter `" + name + "`"
                              : "`" + name + "` is a structural parameter: it determines the equations";
    std::vector<std::string_view> names;
    for (const system::NamedParameter& p : model.system.named_parameters) names.push_back(p.name);
    Diagnostic& d = diagnostics_.report(Code::UnknownParameter, std::move(message));
    if (auto near = did_you_mean(name, names)) d.help("did you mean `" + std::string(*near) + "`?");
    d.help("compile the model with this parameter set: runs can then change it");
  }
  if (diagnostics_.error_count() != errors) return std::nullopt;
  return e;
}

/// The columns to record: `outputs` (or the default) and `plot`, each name once.
Columns Session::choose_columns(const Compiled& model, const RunOptions& options, Panes& panes) {
  const Results results(model);
  const elaborate::Experiment& given = model.experiment;
  auto located = [&](std::string_view setting, const std::vector<std::string>& values) {
    return checked_ ? session::locate_setting(checked_->root(), setting, values)
                    : std::vector<std::optional<Span>>(values.size());
  };
  Columns columns;
  if (options.all_outputs) {
    if (!options.outputs.empty())
      columns = results.select(options.outputs, "-v", {}, diagnostics_);
    else if (!given.outputs.empty())
      columns = results.select(given.outputs, "outputs", located("outputs", given.outputs), diagnostics_);
    else
      columns = results.by_default();
  }
  // Options of the run take precedence over the model.
  const bool asked = options.all_outputs && !options.outputs.empty();
  Columns plotted;
  auto add_pane = [&](const Columns& pane) {
    if (pane.size() == 0) return;
    panes.push_back(pane.names);
    for (std::size_t i = 0; i < pane.size(); ++i) plotted.add(pane.names[i], pane.columns[i]);
  };
  if (!asked)
    for (const std::vector<std::string>& names : given.plot)
      add_pane(results.select(names, "plot", located("plot", names), diagnostics_));
  if (options.plot_something && (asked || std::ranges::all_of(given.plot, std::ranges::empty))) {
    Columns pane = asked ? columns : results.states();
    if (pane.size() == 0) pane = results.by_default();
    pane.names.resize(std::min(pane.size(), kPlotted));
    pane.columns.resize(pane.names.size());
    add_pane(pane);
  }
  const std::unordered_set<std::string_view> wanted(
      plotted.names.begin(),
      plotted.names.end());  // few names; there may be many columns
  std::unordered_set<std::string> present;
  for (const std::string& name : columns.names)
    if (wanted.contains(name)) present.insert(name);
  for (std::size_t i = 0; i < plotted.size(); ++i)
    if (present.insert(plotted.names[i]).second) columns.add(plotted.names[i], plotted.columns[i]);
  return columns;
}

Run Session::run(const Compiled& model, const RunOptions& options) {
  Run run;
  std::size_t errors = diagnostics_.error_count();
  std::optional<runtime::Experiment> experiment = this->experiment(model, options);
  run.columns = choose_columns(model, options, run.panes);
  if (experiment && !options.init_from.empty())
    session::start_from_file(model, options.init_from, *experiment, diagnostics_);
  if (!experiment || diagnostics_.error_count() != errors) return run;
  if (!session::find_loop_positions(model, *experiment, diagnostics_)) return run;
  run.valid = true;

  Columns recorded = run.columns;
  const std::vector<double> parameters =
      runtime::evaluate_parameters(model.plan.model, experiment->overrides);
  explain::warn_of_guesses_without_value(model, parameters, diagnostics_);
  session::Bounds bounds(model, parameters, recorded);
  session::IntegerRange integers(model, recorded);
  LastRow last;
  const std::vector<std::string> names = run.plotted();
  const std::unordered_set<std::string_view> plotted(names.begin(), names.end());
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < run.columns.size(); ++c)
    if (options.keep_trajectory || plotted.contains(run.columns.names[c])) kept.push_back(c);
  Selection trajectory(std::move(kept), run.trajectory);

  // Bounded variables that are not recorded come after the columns of the results, which the sinks take.
  std::vector<std::size_t> results_columns(run.columns.size());
  std::iota(results_columns.begin(), results_columns.end(), std::size_t{0});
  std::deque<Selection> selections;
  runtime::Output output{
      .columns = recorded.columns, .names = recorded.names, .sinks = {&integers, &trajectory}};
  auto add_sink = [&](runtime::Sink& sink) {
    const bool changes = model.structures != nullptr;
    if (recorded.size() == run.columns.size() && !changes)
      output.sinks.push_back(&sink);
    else
      output.sinks.push_back(&selections.emplace_back(results_columns, sink, changes));
  };
  add_sink(last);
  for (runtime::Sink* sink : options.sinks) add_sink(*sink);
  if (!bounds.empty()) output.sinks.push_back(&bounds);
  output.header_units = options.header_units;
  output.watched = recorded.size() - run.columns.size();
  output.event_rows = options.events.value_or(model.experiment.events);
  if (!options.events && output.event_rows && run.columns.size() > kMostEventColumns &&
      has_events(model.plan.model)) {
    output.event_rows = false;
    diagnostics_.report(Code::NoEventRows, "rows at events are left out")
        .note(fmt::format("each would have {} columns", run.columns.size()))
        .help("`--event-rows` writes them; `-v NAME` selects fewer columns, which then have them");
  }
  const Results results(model);
  output.descriptions = results.descriptions(recorded);
  run.descriptions.assign(output.descriptions.begin(),
                          output.descriptions.begin() + static_cast<std::ptrdiff_t>(run.columns.size()));
  if (!options.sinks.empty())
    output.constants =
        results.constants(runtime::evaluate_parameters(model.plan.model, experiment->overrides), run.columns);
  runtime::Control control{.cancel = options.cancel,
                           .progress = options.progress,
                           .events = options.event_observer,
                           .checkpoints = options.checkpoints,
                           .profile = options.profile};
  std::atomic<bool> stopped = false;  // by a bound, or by `options.cancel`
  const bool asserted = !bounds.empty() && options.assert_bounds.value_or(model.experiment.assert_bounds);
  if (asserted && !options.is_point) {
    bounds.assert_all(&stopped);
    control.cancel = &stopped;
    control.progress = [&](double fraction) {
      if (options.cancel && options.cancel->load(std::memory_order_relaxed)) stopped = true;
      if (options.progress) options.progress(fraction);
    };
  }
  std::optional<session::StructureChanges> changes;
  if (model.structures) {
    changes.emplace(model, recorded, options.set, diagnostics_);
    control.structure = &*changes;
    changes->changed = options.structure_changed;
    changes->took_place = options.change_observer;
    if (!options.structure_changed) control.events = nullptr;
  }
  session::TiedJumps jumps(model, diagnostics_);
  if (!model.structures && !jumps.tied().empty()) {
    control.jumps = &jumps;
    jumps.took_place = options.change_observer;
    if (experiment->solver == runtime::Solver::Qss)
      explain::warn_of_tied_states(model, jumps.tied().front(), diagnostics_);
  }
  pipeline::set_current_work("run");
  run.outcome = runtime::simulate(model.plan.model, *experiment, output, control);
  if (integers.violated() || (control.cancel == &stopped && bounds.violated())) {
    run.outcome.status = runtime::Outcome::Failed;
    run.outcome.failure = {};
    run.bound_failed = true;
  }
  integers.report(model, diagnostics_);
  run.final_values = last.take();
  const runtime::Failure& failure = run.outcome.failure;
  if (failure.kind == runtime::FailureKind::Internal ||
      (run.outcome.status == runtime::Outcome::Failed && !failure && !run.bound_failed))
    throw std::logic_error(failure.error.empty() ? "a simulation failed without a reason" : failure.error);
  run.last = changes ? changes->current() : session::unowned(model);
  const Compiled& last_model = *run.last;
  if (failure) {
    Diagnostics found;
    explain::report_failure({last_model.system, last_model.dae, last_model.plan,
                             options.solver.value_or(model.experiment.solver), options.kept_results},
                            run.outcome, found);
    const std::size_t starts = changes ? changes->starts_tried() : 0;
    const bool is_singular = std::ranges::any_of(
        diagnostics_.all(), [](const Diagnostic& d) { return d.code == Code::SingularStart; });
    for (Diagnostic d : found.all()) {
      if (d.code == Code::SingularStart && is_singular) continue;
      if (starts > 1 && d.severity == Severity::Error)
        d.note(fmt::format("no start was found in {} other combinations of modes either", starts - 1));
      diagnostics_.append(std::move(d));
    }
  }
  if (run.outcome.terminated)
    explain::note_end(last_model.system, *run.outcome.terminated, run.outcome.reached, diagnostics_);
  const std::optional<session::StructureChanges::Begin> otherwise =
      changes ? changes->begins_in() : std::nullopt;
  if (!run.outcome.failure.initial && experiment->from.empty() && !otherwise)
    singularity::note_redundant_initial(model.system, model.dae, model.plan, diagnostics_);
  if (otherwise && !failure.initial)
    explain::note_start_in_other_modes(model.system, otherwise->origin, otherwise->modes, diagnostics_);
  if (!failure) explain::note_guessed_start(last_model, run.outcome.guessed, diagnostics_);
  for (const runtime::Continued& block : run.outcome.continued)
    explain::note_continuation(last_model, block, diagnostics_);
  if (!failure) explain::note_other_solutions(last_model, run.outcome.others, diagnostics_);
  explain::warn_of_jumps(last_model, run.outcome.jumps, diagnostics_);
  if (!options.after)
    explain::note_constant_conditions(last_model.system, run.outcome.constantly_true,
                                      !experiment->from.empty(), diagnostics_);
  if (run.outcome.solver_change) explain::note_solver_change(*run.outcome.solver_change, diagnostics_);
  if (!options.is_point) {
    bounds.report(model, diagnostics_);
    if (run.completed())
      explain::note_hidden_states(last_model, run.outcome.scales, experiment->tolerance, diagnostics_);
  }
  timings_.push_back({"initialise", run.outcome.statistics.seconds_initialise});
  timings_.push_back({"integrate", run.outcome.statistics.seconds_integrate, false, pipeline::peak_memory()});
  timings_.push_back({"write", run.outcome.statistics.seconds_write});
  return run;
}

}  // namespace sigrel
