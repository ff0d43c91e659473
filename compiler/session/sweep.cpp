#include "compiler/session/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "compiler/explain/failure_report.h"
#include "compiler/session/integer_range.h"
#include "compiler/session/loop_positions.h"
#include "compiler/session/session.h"
#include "compiler/session/start_file.h"
#include "compiler/session/structure_changes.h"
#include "compiler/session/tied_jumps.h"

namespace sigrel {

namespace session {

std::uint64_t SweepGrid::size() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  std::uint64_t size = 1;
  for (const SweepAxis& axis : axes_) {
    if (axis.values.size() > kMost / size) return 0;
    size *= axis.values.size();
  }
  return size;
}

std::vector<double> SweepGrid::values(std::uint64_t point) const {
  std::vector<double> values(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    values[k] = axes_[k].values[point % axes_[k].values.size()];
    point /= axes_[k].values.size();
  }
  return values;
}

namespace {

/// Keeps the last, the least and the greatest value of each column: results, steps and events.
class Extremes final : public runtime::Sink {
 public:
  explicit Extremes(SweepRow& row) : row_(row) {}
  Error begin(const runtime::Output&) override { return {}; }
  Error row(double time, std::span<const double> values) override {
    row_.last.assign(values.begin(), values.end());
    step(time, values);
    return {};
  }
  bool wants_steps() const override { return true; }
  void step(double, std::span<const double> values) override {
    if (row_.least.empty()) {
      row_.least.assign(values.begin(), values.end());
      row_.greatest = row_.least;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      row_.least[k] = std::min(row_.least[k], values[k]);
      row_.greatest[k] = std::max(row_.greatest[k], values[k]);
    }
  }
  Error finish() override { return {}; }

 private:
  SweepRow& row_;
};

struct Finished {
  SweepRow row;
  Diagnostics told;      // by the sinks
  bool is_open = false;  // its loops of joints cannot be closed: it was not run
  runtime::Outcome outcome;
  std::shared_ptr<const Compiled> model;  // at the end: its structure may change
};

class Sweep {
 public:
  Sweep(const Compiled& model, const runtime::Experiment& experiment, const pipeline::Columns& columns,
        const std::vector<std::uint32_t>& parameters, const std::vector<std::pair<std::string, double>>& set,
        const SweepOptions& options)
      : model_(model),
        experiment_(experiment),
        columns_(columns),
        parameters_(parameters),
        set_(set),
        options_(options) {
    const std::uint64_t size = options.grid->size();
    for (std::uint64_t p : options.trajectories)
      if (p < options.first) order_.push_back(p);
    known_ = order_.size();
    tasks_ = known_ + (size - options.first);
  }

  /// Whether the sweep completed.
  bool run() {
    unsigned threads =
        options_.threads ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, std::max<std::uint64_t>(1, tasks_)));
    std::vector<std::thread> workers;
    for (unsigned k = 1; k < threads; ++k) workers.emplace_back([this] { work(); });
    work();
    for (std::thread& worker : workers) worker.join();
    return taken_ == tasks_;
  }

 private:
  std::uint64_t point(std::uint64_t task) const {
    return task < known_ ? order_[task] : options_.first + (task - known_);
  }

  void work() {
    while (true) {
      std::uint64_t task;
      {
        // No thread runs far ahead of a slow point: the rows that wait for it are in memory.
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return stopped_ || next_ - taken_ < kAhead; });
        if (stopped_ || next_ == tasks_) return;
        task = next_++;
      }
      Finished finished = compute(point(task));
      const std::lock_guard lock(mutex_);
      if (finished.outcome.status == runtime::Outcome::Cancelled)
        stopped_ = true;
      else
        waiting_.emplace(task, std::move(finished));
      for (auto at = waiting_.find(taken_); at != waiting_.end() && !stopped_; at = waiting_.find(taken_)) {
        take(at->second);
        waiting_.erase(at);
        ++taken_;
      }
      room_.notify_all();
    }
  }

  Finished compute(std::uint64_t point) {
    Finished f;
    f.row.point = point;
    f.row.parameters = options_.grid->values(point);
    runtime::Experiment experiment = experiment_;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      experiment.overrides.emplace_back(parameters_[k], f.row.parameters[k]);
    f.model = unowned(model_);
    f.is_open = !find_loop_positions(model_, experiment, f.told);
    if (f.is_open) return f;
    Extremes extremes(f.row);
    pipeline::Columns columns = columns_;
    IntegerRange integers(model_, columns, 0);
    runtime::Output output{
        .columns = columns.columns, .names = columns.names, .sinks = {&integers, &extremes}};
    output.event_rows = options_.event_rows;
    if (std::ranges::binary_search(options_.trajectories, point)) output.sinks.push_back(&f.row.trajectory);
    runtime::Control control;
    control.cancel = options_.cancel;
    std::optional<StructureChanges> changes;
    if (model_.structures) {
      std::vector<std::pair<std::string, double>> set = set_;
      for (std::size_t k = 0; k < parameters_.size(); ++k)
        set.emplace_back(options_.grid->axes()[k].name, f.row.parameters[k]);
      changes.emplace(model_, columns_, std::move(set), f.told);
      control.structure = &*changes;
    }
    TiedJumps jumps(model_, f.told);
    if (!model_.structures && !jumps.tied().empty()) control.jumps = &jumps;
    f.outcome = runtime::simulate(model_.plan.model, experiment, output, control);
    f.model = changes ? changes->current() : unowned(model_);
    integers.report(model_, f.told);
    return f;
  }

  void take(Finished& f) {
    Diagnostics& told = f.told;  // what it says comes first
    if (f.outcome.failure)
      explain::report_failure({f.model->system, f.model->dae, f.model->plan, "", ""}, f.outcome, told);
    if (f.outcome.failure || f.is_open) {
      f.row.last.clear();
      for (const Diagnostic& d : told.all())
        if (d.severity == Severity::Error && f.row.error.empty())
          f.row.error = fmt::format("{}: {}", info(d.code).id, d.message);
    }
    if (!options_.row(f.row)) stopped_ = true;
  }

  static constexpr std::uint64_t kAhead = 256;

  const Compiled& model_;
  const runtime::Experiment& experiment_;
  const pipeline::Columns& columns_;
  const std::vector<std::uint32_t>& parameters_;
  const std::vector<std::pair<std::string, double>>& set_;  // the same for all points
  const SweepOptions& options_;
  std::vector<std::uint64_t> order_;  // known points, computed for their trajectories
  std::uint64_t known_ = 0, tasks_ = 0;

  std::mutex mutex_;
  std::condition_variable room_;
  std::uint64_t next_ = 0, taken_ = 0;  // tasks started, and tasks whose rows were passed on
  std::map<std::uint64_t, Finished> waiting_;
  bool stopped_ = false;
};

}  // namespace
}  // namespace session

pipeline::Columns Session::sweep_columns(const Compiled& model, const RunOptions& run) {
  Panes panes;
  if (!run.outputs.empty()) return pipeline::Results(model).select(run.outputs, "-v", {}, diagnostics_);
  RunOptions options = run;
  options.all_outputs = false;
  options.plot_something = true;
  return choose_columns(model, options, panes);
}

std::optional<bool> Session::sweep(const Compiled& model, const RunOptions& run,
                                   const pipeline::Columns& columns, const session::SweepOptions& options) {
  RunOptions first = run;
  first.threads = 1;  // the points use all threads
  std::vector<std::uint32_t> parameters;
  for (std::size_t k = 0; k < options.grid->axes().size(); ++k)
    first.set.emplace_back(options.grid->axes()[k].name, options.grid->axes()[k].values.front());
  std::optional<runtime::Experiment> experiment = this->experiment(model, first);
  if (!experiment) return std::nullopt;
  const std::size_t given = run.set.size();
  for (std::size_t k = given; k < experiment->overrides.size(); ++k)
    parameters.push_back(experiment->overrides[k].first);
  experiment->overrides.resize(given);
  if (!run.init_from.empty() && !session::start_from_file(model, run.init_from, *experiment, diagnostics_))
    return std::nullopt;
  session::SweepOptions chosen = options;
  chosen.event_rows = run.events.value_or(model.experiment.events);
  return session::Sweep(model, *experiment, columns, parameters, run.set, chosen).run();
}

}  // namespace sigrel
