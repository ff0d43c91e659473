#include "runtime/integrate/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "runtime/integrate/integrator.h"
#include "runtime/thread_pool.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace runtime {

namespace {

// The tolerance is a promise about results; an integrator controls the error of each step, and those add up:
// over some hundred steps of a lightly damped model to ten times and more.
constexpr double kLocalTolerance = 0.1;
constexpr double kSmallestTolerance = 2e-14;

// So many steps in a row that together move less than the given part of the whole range: the stop time is out
// of reach. When time does not move at all, fewer are enough.
constexpr int kStuckSteps = 20000;
constexpr double kStuckAdvance = 1e-9;
constexpr int kStandingSteps = 50;
constexpr double kMoment = 1e-9;  // of the range
constexpr std::size_t kLarge =
    100'000;                        // variables: below, threads wait for each other longer than they work
constexpr int kCloseEvents = 1000;  // the same for events

/// Numbers below the smallest normal one (2.2e-308) are zeros while this lives: a wave that dies out far from
/// its source leaves thousands of them, and an operation on each takes the time of a hundred others.
class FlushToZero {
 public:
  FlushToZero() {
#ifdef __SSE2__
    before_ = _mm_getcsr();
    _mm_setcsr(before_ | kFlushResults | kFlushOperands);
#endif
  }
  ~FlushToZero() {
#ifdef __SSE2__
    _mm_setcsr(before_);
#endif
  }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  static constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
  unsigned before_ = 0;
};

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Maps variables to columns and feeds the sinks; remembers the first sink that cannot go on.
class Recorder {
 public:
  explicit Recorder(const Output& output) : output_(output), row_(output.columns.size()) {}

  bool begin() {
    return each([&](Sink& sink) { return sink.begin(output_); });
  }
  bool row(double time, const std::vector<double>& values) {
    for (std::size_t k = 0; k < row_.size(); ++k) {
      const Column& column = output_.columns[k];
      const double value = column.variable == kNone ? 0.0 : values[column.variable];
      row_[k] = column.negated ? 0.0 - value : value;  // never a negative zero
    }
    ++rows_;
    return each([&](Sink& sink) { return sink.row(time, row_); });
  }
  bool finish() {
    return each([&](Sink& sink) { return sink.finish(); });
  }
  std::uint64_t rows() const { return rows_; }
  const Sink::Error& error() const { return error_; }

 private:
  template <class Call>
  bool each(const Call& call) {
    bool fine = true;
    for (Sink* sink : output_.sinks)
      if (Sink::Error error = call(*sink)) {
        fine = false;
        if (!error_) error_ = std::move(error);
      }
    return fine;
  }

  const Output& output_;
  std::vector<double> row_;
  std::uint64_t rows_ = 0;
  Sink::Error error_;
};

/// The steps of the observed schedule that recorded columns need.
std::vector<Step> wanted_steps(const Model& model, const Output& output) {
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (const Column& c : output.columns)
    if (c.variable != kNone) wanted[c.variable] = 1;
  return needed_steps(model, model.observed, wanted);
}

class Simulation {
 public:
  Simulation(const Model& model, const Experiment& experiment, const Output& output, const Control& control)
      : model_(model), experiment_(experiment), control_(control), recorder_(output), output_(output) {}

  Outcome run();

 private:
  bool accept_experiment();
  bool prepare(Problem& problem);
  void integrate(Problem& problem);
  bool settle_event(Problem& problem, double time, const Integrator* integrator, bool& restart);
  bool ended(Problem& problem, double time);
  bool record(double time, const std::vector<double>& values);
  double grid(std::uint32_t k) const {
    if (k >= experiment_.steps) return experiment_.stop;
    return experiment_.start +
           (experiment_.stop - experiment_.start) * (static_cast<double>(k) / experiment_.steps);
  }
  bool cancelled() const { return control_.cancel && control_.cancel->load(std::memory_order_relaxed); }
  void report(double time) const {
    if (control_.progress && experiment_.stop > experiment_.start)
      control_.progress((time - experiment_.start) / (experiment_.stop - experiment_.start));
  }
  void fail(Failure failure) {
    outcome_.status = Outcome::Failed;
    outcome_.failure = std::move(failure);
  }

  const Model& model_;
  const Experiment& experiment_;
  const Control& control_;
  Recorder recorder_;
  const Output& output_;
  Outcome outcome_;
  std::uint64_t events_ = 0;
  int close_events_ = 0;  // since `event_mark_`
  double event_mark_ = -HUGE_VAL;
  ThreadPool* thread_pool_ = nullptr;
  std::vector<Step> observed_;  // what results need of the observed schedule
};

bool Simulation::accept_experiment() {
  const Experiment& e = experiment_;
  const bool fine = std::isfinite(e.start) && std::isfinite(e.stop) && e.stop >= e.start &&
                    std::isfinite(e.tolerance) && e.tolerance > 0 && e.steps > 0;
  if (!fine) fail({.kind = FailureKind::BadExperiment, .time = e.start});
  return fine;
}

bool Simulation::prepare(Problem& problem) {
  const Timer timer;
  const FormChoice choice = experiment_.solver == Solver::Auto  ? FormChoice::Auto
                            : experiment_.solver == Solver::Ida ? FormChoice::Implicit
                                                                : FormChoice::Explicit;
  const bool ready =
      problem.initialise(experiment_.start, experiment_.from) &&
      problem.begin(experiment_.start, experiment_.continues, kLocalTolerance * experiment_.tolerance) &&
      problem.assertions_hold(experiment_.start) && problem.prepare(choice);
  outcome_.continued = problem.continued();
  Statistics& s = outcome_.statistics;
  s.seconds_initialise = timer.seconds();
  s.form = problem.form();
  s.states = model_.states.size();
  s.unknowns = problem.size();
  s.kept = problem.kept_variables();
  s.nonzeros = problem.jacobian().pattern().nonzeros();
  if (!ready) {
    Failure failure = problem.failure();
    failure.time = experiment_.start;
    if (failure.kind == FailureKind::Assertion) failure.initial = true;
    fail(std::move(failure));
  }
  return ready;
}

bool Simulation::record(double time, const std::vector<double>& values) {
  const Timer timer;
  const bool fine = recorder_.row(time, values);
  outcome_.statistics.seconds_write += timer.seconds();
  if (fine) outcome_.reached = time;
  return fine;
}

/// Whether the model itself ends the run here, at the present values; a last row shows where.
bool Simulation::ended(Problem& problem, double time) {
  outcome_.terminated = problem.ended();
  if (!outcome_.terminated) return false;
  if (outcome_.reached < time && problem.observe(time, observed_)) record(time, problem.values());
  outcome_.status = Outcome::Completed;
  return true;
}

/// At the point of the integrator, or (null) at the present values, where comparisons turned back. `restart`:
/// equations are others now. False when the conditions come to no end, at this point or one after the other.
bool Simulation::settle_event(Problem& problem, double time, const Integrator* integrator, bool& restart) {
  if (!(integrator
            ? problem.settle(time, integrator->y(), integrator->rates(), integrator->crossed(), restart)
            : problem.settle(time, nullptr, nullptr, problem.turned(), restart))) {
    fail(problem.failure());
    return false;
  }
  events_ += restart;
  if (time - event_mark_ > kStuckAdvance * (experiment_.stop - experiment_.start)) {
    event_mark_ = time;
    close_events_ = 0;
  } else if (++close_events_ >= kCloseEvents) {
    fail(problem.endless_events(time));
    return false;
  }
  return true;
}

void Simulation::integrate(Problem& problem) {
  IntegratorOptions options{
      .start = experiment_.start,
      .stop = experiment_.stop,
      .tolerance = std::max(kLocalTolerance * experiment_.tolerance, kSmallestTolerance),
      .rows = experiment_.steps,
      .adams = experiment_.solver == Solver::Adams,
      .ordering = experiment_.ordering,
      .thread_pool = thread_pool_};
  Failure failure;
  const auto integrator = problem.form() == Form::Static     ? make_sampler(problem, options)
                          : problem.form() == Form::Explicit ? make_cvode(problem, options, failure)
                                                             : make_ida(problem, options, failure);
  if (!integrator) return fail(std::move(failure));
  std::uint32_t next = 1;
  int stuck = 0, standing = 0;
  std::uint64_t choices = 0;
  double mark = experiment_.start, last = mark;
  const double range = experiment_.stop - experiment_.start;
  double instant = problem.next_instant(experiment_.start);
  if (instant < experiment_.stop && !integrator->limit(instant)) return fail(integrator->failure());
  bool event = false;
  // Writes the rows up to a time, or those before it; false when there is an end with that. A row that misses
  // an instant by a rounding error is at that instant.
  auto rows_until = [&](double time, bool inclusive) {
    const double margin = 8 * std::numeric_limits<double>::epsilon() * std::abs(time);
    for (; next <= experiment_.steps &&
           (inclusive ? grid(next) <= time + (time < experiment_.stop && event ? margin : 0)
                      : grid(next) < time - margin);
         ++next) {
      integrator->interpolate(grid(next));
      if (!problem.output(grid(next), integrator->y(), integrator->rates(), observed_))
        return fail(problem.failure()), false;
      if (!record(grid(next), problem.values())) return false;
      if (!problem.assertions_hold(grid(next), integrator->y(), integrator->rates()))
        return fail(problem.failure()), false;
    }
    return true;
  };
  const Problem::Interpolate interpolate = [&](double time, const double*& y, const double*& rates) {
    integrator->interpolate(time);
    y = integrator->y();
    rates = integrator->rates();
  };
  while (true) {
    if (cancelled()) {
      outcome_.status = Outcome::Cancelled;
      break;
    }
    if (!integrator->step()) {
      fail(problem.states_nearly_lost(integrator->time()).value_or(integrator->failure()));
      break;
    }
    double time = integrator->time();
    bool turned = false;
    if (problem.watchful()) {
      integrator->interpolate(time);
      const ZeroCrossings::Outlook outlook = problem.outlook(time, integrator->y(), integrator->rates());
      if (outlook == ZeroCrossings::Outlook::Missed) {
        fail(problem.endless_events(event_mark_));
        break;
      }
      turned = outlook == ZeroCrossings::Outlook::TurnedBack;
      if (turned) time = problem.calm_time();
    }
    if (!turned && !problem.remember(time, interpolate)) {
      fail(problem.failure());
      break;
    }
    if (!turned && !model_.sets.empty()) {
      integrator->interpolate(time);
      if (!problem.states_hold(time, integrator->y(), integrator->rates())) {
        fail(problem.failure());
        break;
      }
    }
    // Without states there is nothing to start anew: what has changed is looked for wherever a row ends.
    event = turned || !integrator->crossed().empty() || time >= instant || problem.form() == Form::Static;
    if (!rows_until(time, !event)) break;
    if ((event && !turned) || !model_.assertions.empty() || !model_.sets.empty())
      integrator->interpolate(time);
    bool restart = false;
    if (event) {
      if (!settle_event(problem, time, turned ? nullptr : integrator.get(), restart)) break;
      restart = restart || turned;
      instant = problem.next_instant(time);
      if (ended(problem, time)) break;
    } else if (!problem.assertions_hold(time, integrator->y(), integrator->rates())) {
      fail(problem.failure());
      break;
    }
    report(time);
    if (next > experiment_.steps) {
      outcome_.status = Outcome::Completed;
      break;
    }
    if (problem.choose_states(time, restart ? nullptr : integrator->y(), integrator->rates())) {
      ++choices;
      restart = true;
    }
    if ((restart && !integrator->restart(time)) ||
        (event && !integrator->limit(std::min(instant, experiment_.stop)))) {
      fail(integrator->failure());
      break;
    }
    if (event && !rows_until(time, true)) break;  // what holds after it
    if (next > experiment_.steps) {
      outcome_.status = Outcome::Completed;
      break;
    }
    if (time - mark > kStuckAdvance * range) {
      mark = time;
      stuck = 0;
    } else {
      standing = time > last || event ? 0 : standing + 1;
      if (++stuck >= kStuckSteps || standing >= kStandingSteps) {
        fail(problem.states_nearly_lost(time).value_or(integrator->stuck()));
        break;
      }
    }
    last = time;
  }
  integrator->statistics(outcome_.statistics);
  outcome_.statistics.state_changes = choices;
  outcome_.statistics.events = events_;
}

Outcome Simulation::run() {
  outcome_.reached = experiment_.start;
  if (!accept_experiment()) return std::move(outcome_);
  std::vector<double> parameters = evaluate_parameters(model_, experiment_.overrides);
  std::vector<double> nominal = nominal_values(model_, parameters);
  std::optional<ThreadPool> thread_pool;
  if (model_.variables >= kLarge)
    if (const unsigned threads = thread_count(experiment_.threads); threads > 1) thread_pool.emplace(threads);
  thread_pool_ = thread_pool ? &*thread_pool : nullptr;
  outcome_.statistics.threads = thread_pool ? thread_count(experiment_.threads) : 1;
  Problem problem(model_, std::move(parameters), std::move(nominal),
                  kMoment * (experiment_.stop - experiment_.start), thread_pool_);
  observed_ = wanted_steps(model_, output_);
  const bool begun = recorder_.begin();
  if (begun && prepare(problem)) {
    const Timer timer;
    if (record(experiment_.start, problem.values())) {
      report(experiment_.start);
      if (ended(problem, experiment_.start)) {
      } else if (experiment_.stop == experiment_.start)
        outcome_.status = Outcome::Completed;
      else
        integrate(problem);
    }
    outcome_.statistics.seconds_integrate = timer.seconds() - outcome_.statistics.seconds_write;
  }
  outcome_.values = problem.values();
  outcome_.parameters = problem.parameters();
  outcome_.statistics.rows = recorder_.rows();
  const Timer timer;
  recorder_.finish();
  outcome_.statistics.seconds_write += timer.seconds();
  if (const Sink::Error& error = recorder_.error(); error && !outcome_.failure) {
    Failure failure{.kind = FailureKind::Output, .time = outcome_.reached};
    failure.path = error.path;
    failure.error = error.reason;
    failure.kept_rows = error.kept_rows;
    failure.kept_until = error.kept_until;
    fail(std::move(failure));
  }
  return std::move(outcome_);
}

}  // namespace

std::optional<Solver> solver_named(std::string_view name) {
  if (name == "auto") return Solver::Auto;
  if (name == "cvode") return Solver::Cvode;
  if (name == "adams") return Solver::Adams;
  if (name == "ida") return Solver::Ida;
  return std::nullopt;
}

Outcome simulate(const Model& model, const Experiment& experiment, const Output& output,
                 const Control& control) {
  const FlushToZero flush;
  return Simulation(model, experiment, output, control).run();
}

}  // namespace runtime
