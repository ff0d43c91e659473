#include "runtime/integrate/problem.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/solve/algebraic_loop.h"
#include "runtime/solve/parameters.h"
#include "runtime/thread_pool.h"

namespace runtime {

namespace {

// Against fill-in: the explicit form is given up when its multiply-adds exceed this multiple of the partial
// derivatives (small systems may be full), and then variables with longer gradients than this become
// unknowns.
constexpr std::uint64_t kFillFactor = 8;
constexpr std::uint64_t kSmallList = 20000;
constexpr std::uint32_t kSmallBlock = 4;  // unknowns
constexpr std::size_t kPart = 8192;       // unknowns that a thread copies at once
constexpr std::uint32_t kLongGradient = 16;
constexpr std::uint64_t kMemoryLimit =
    400'000'000;  // multiply-adds when the explicit form is forced: about 5 GB

/// 0 when every term was finite, NaN otherwise: one addition per value instead of a test.
inline double finite_probe(double probe, double value) { return probe + value * 0.0; }

}  // namespace

Problem::Problem(const Model& model, std::vector<double> parameters, std::vector<double> nominal,
                 double moment, ThreadPool* thread_pool)
    : model_(model),
      parameters_(std::move(parameters)),
      nominal_(std::move(nominal)),
      moment_(moment),
      thread_pool_(thread_pool),
      evaluator_(model, nominal_),
      zero_crossings_(model),
      event_handler_(model),
      history_(model),
      values_(start_values(model, parameters_)) {
  for (const StateSet& set : model.sets) choices_.emplace_back(model, set, nominal_);
}

bool Problem::prepare(FormChoice choice) {
  if (!choose_form(choice)) return false;
  // In the implicit form the dynamic schedule is gone through as a whole.
  auto steps_for = [&](std::vector<std::uint8_t> wanted) {
    const std::vector<Step> compared = needed_steps(model_, model_.compared, wanted);
    std::vector<Step> steps;
    if (form_ != Form::Implicit) steps = needed_steps(model_, model_.dynamic, wanted);
    steps.insert(steps.end(), compared.begin(), compared.end());
    return steps;
  };
  if (zero_crossings_.watched() > 0) {
    std::vector<std::uint8_t> wanted(model_.variables, 0);
    for (const ZeroCrossing& r : model_.zero_crossings) {
      const KernelBatch& batch = model_.batches[r.batch];
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        for (std::uint32_t row = 0; row < batch.count; ++row)
          wanted[slot_variable(model_, batch, slot, row)] = 1;
    }
    watched_steps_ = steps_for(std::move(wanted));
  }
  if (history_.empty()) return true;
  std::vector<std::uint8_t> wanted(model_.variables, 0);
  for (const Delay& d : model_.delays)
    if (d.of != kNone) wanted[d.of] = 1;
  past_steps_ = steps_for(std::move(wanted));
  return true;
}

bool Problem::choose_form(FormChoice choice) {
  if (model_.states.empty()) return true;
  // Linear blocks and small ones are solved inside at little cost; others are left to the integrator, which
  // predicts where they go.
  const bool loops = std::any_of(model_.dynamic.begin(), model_.dynamic.end(), [&](const Step& step) {
    return step.kind == Step::Solve && model_.loops[step.index].kind == AlgebraicLoop::Nonlinear &&
           model_.loops[step.index].unknowns > kSmallBlock;
  });
  const std::uint64_t allowed = std::max(kFillFactor * ChainRule::direct_size(model_), kSmallList);
  bool found = false;
  if (choice == FormChoice::Explicit || (choice == FormChoice::Auto && !loops)) {
    layout_ = explicit_layout(model_);
    found =
        chain_.build(model_, layout_, {.operations = choice == FormChoice::Auto ? allowed : kMemoryLimit});
    form_ = Form::Explicit;
    if (!found && choice == FormChoice::Explicit) {
      evaluator_.failure() = Failure{.kind = FailureKind::TooDense};
      return false;
    }
  }
  if (!found) {
    form_ = Form::Implicit;
    std::vector<std::uint8_t> kept(model_.variables, 0);
    layout_ = implicit_layout(model_, kept);
    if (!chain_.build(model_, layout_, {.operations = allowed})) {
      chain_.build(model_, layout_, {.operations = ~0ull, .gradient = kLongGradient}, &kept);
      kept_variables_ = static_cast<std::uint32_t>(std::count(kept.begin(), kept.end(), 1));
      layout_ = implicit_layout(model_, std::move(kept));
      if (!chain_.build(model_, layout_, {})) {
        evaluator_.failure() = Failure{.kind = FailureKind::TooDense};
        return false;
      }
    }
  }
  for (std::uint32_t v = 0; v < model_.variables; ++v)
    if (layout_.rate_column[v] != kNone) rates_.push_back({v, layout_.rate_column[v]});
  for (std::uint32_t s = 0; s < model_.states.size(); ++s) {
    const std::uint32_t derivative = model_.states[s].derivative;
    if (layout_.rate_column[derivative] != s) state_rows_.push_back({s, derivative});
  }
  if (form_ == Form::Explicit) return true;
  std::size_t largest = 0;
  auto open = [&](std::uint32_t index) {
    const KernelBatch& batch = model_.batches[index];
    if (batch.role == Role::Residual) largest = std::max<std::size_t>(largest, batch.count);
    for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row) {
      const std::uint32_t variable = solved_variable(model_, batch, row);
      if (!layout_.kept[variable]) continue;
      const bool rate = layout_.rate_column[variable] != kNone;
      const std::uint32_t at = layout_.row_of_kept(variable);
      kept_rows_.push_back({variable, at, rate, at});
    }
    open_runs_.push_back({index, static_cast<std::uint32_t>(kept_rows_.size())});
  };
  for (const Step& step : model_.dynamic) {
    if (step.kind == Step::Assign) {
      open(step.index);
    } else {
      const AlgebraicLoop& loop = model_.loops[step.index];
      for (std::uint32_t r = 0; r < loop.batches; ++r) open(loop.first_batch + r);
    }
  }
  run_residuals_.assign(largest, 0.0);
  return true;
}

/// The states as `from` says, and all else that it knows as guesses.
bool Problem::start_from(const Point& at, std::span<const double> from) {
  for (std::uint32_t v = 0; v < model_.variables; ++v)
    if (!std::isnan(from[v])) values_[v] = from[v];
  // A set's own states are what it selects.
  for (const StateSet& set : model_.sets) {
    const std::uint32_t* candidates =
        model_.set_variables.data() + set.first_variable + set.eliminated + set.candidates;
    for (std::uint32_t s = 0; s < set.states; ++s) {
      double& value = values_[model_.states[set.first_state + s].variable];
      value = 0;
      for (std::uint32_t k = 0; k < set.candidates; ++k)
        value += parameters_[set.first_selector + s * set.candidates + k] * values_[candidates[k]];
    }
  }
  for (StateChoice& choice : choices_) choice.choose(at, parameters_, true);
  if (!choices_.empty()) evaluator_.parameters_changed();
  bool changed = false;
  if (!evaluator_.run_checked(model_.invariant, at) || !evaluator_.run_checked(model_.dynamic, at) ||
      !settle(at, {}, changed))
    return false;
  // The past is not in the file: it is taken to be as the start.
  for (int round = 0; !history_.empty() && see(at) && history_.catch_up(values_); ++round) {
    if (round == ZeroCrossings::kRounds) {
      evaluator_.failure() = Failure{.kind = FailureKind::LoopNotConverged, .time = at.time, .unknowns = 1};
      evaluator_.failure().variables.push_back(
          {model_.delays[0].variable, values_[model_.delays[0].variable], 0});
      return false;
    }
    if (!settle(at, {}, changed)) return false;
  }
  return !evaluator_.failure();
}

/// Whether the initial equations that determine nothing hold: to a part of what their terms amount to.
bool Problem::start_agrees(const Point& at) {
  constexpr double kAgrees = 1e-6;
  std::vector<double> residuals, slopes;
  Failure failure{.kind = FailureKind::StartContradicts, .time = at.time};
  for (std::uint32_t r : model_.initial_checks) {
    const KernelBatch& batch = model_.batches[r];
    residuals.assign(batch.count, 0.0);
    evaluate(model_, batch, at, residuals.data());
    std::vector<double> scale(batch.count, 0.0);
    auto add = [&](std::size_t row, std::uint32_t variable, double slope) {
      scale[row] += std::abs(slope) * (std::abs(values_[variable]) + nominal_[variable]);
    };
    if (batch.kernel == kNone) {
      const SumTable table(model_, batch);
      for (std::uint32_t row = 0; row < batch.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          add(row, table.terms[k] >> 1, 1);
    } else {
      slopes.assign(std::size_t{batch.slots} * batch.count, 0.0);
      evaluate_partials(model_, batch, at, slopes.data());
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        for (std::uint32_t row = 0; row < batch.count; ++row)
          add(row, slot_variable(model_, batch, slot, row), slopes[std::size_t{slot} * batch.count + row]);
    }
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      if (std::abs(residuals[row]) <= kAgrees * scale[row]) continue;
      ++failure.unknowns;  // here: how many do not hold
      if (failure.equations.size() < kFailureDetails)
        failure.equations.push_back({model_.equations[batch.equations + row], residuals[row]});
    }
  }
  if (failure.equations.empty()) return true;
  evaluator_.failure() = std::move(failure);
  return false;
}

bool Problem::initialise(double time, std::span<const double> from) {
  values_ = start_values(model_, parameters_);
  const Point at = point(time);
  if (!history_.measure(parameters_, evaluator_.failure())) return false;
  evaluator_.allow_continuation(zero_crossings_.empty());
  bool done = false, changed = false;
  if (from.empty()) {
    done = settle(at, model_.initial, changed);
    if (!done && !zero_crossings_.empty()) {
      // The comparisons that the guesses suggest leave no way to a solution: let them follow the iteration.
      evaluator_.failure() = {};
      evaluator_.allow_continuation(true);
      std::ranges::copy(start_values(model_, parameters_), values_.begin());  // where `at` looks
      const std::function<bool()> follow = [&] { return zero_crossings_.follow(at, parameters_); };
      Point moving = at;
      moving.follow = &follow;
      done = evaluator_.run_checked(model_.initial, moving) && settle(at, model_.initial, changed);
    }
    done = done && start_agrees(at);
    for (std::size_t k = 0; done && k < choices_.size(); ++k) choices_[k].choose(at, parameters_, true);
    if (!choices_.empty()) evaluator_.parameters_changed();
    done = done && evaluator_.run_checked(model_.dynamic, at);
  } else {
    done = start_from(at, from);
  }
  done = done && evaluator_.run_checked(model_.observed, at);
  // `pre` of the start is the start itself.
  for (int round = 0; done && event_handler_.catch_up(values_); ++round) {
    done = round < ZeroCrossings::kRounds && settle(at, {}, changed) &&
           evaluator_.run_checked(model_.observed, at);
    if (!done && !evaluator_.failure()) evaluator_.failure() = zero_crossings_.endless(at);
  }
  zero_crossings_.settled(parameters_);
  if (done) event_handler_.accept(at);
  evaluator_.allow_continuation(false);
  for (std::size_t k = 0; done && k < choices_.size(); ++k) choices_[k].regular(at);
  Failure& failure = evaluator_.failure();
  if (done) {
    // A state whose start is a parameter without value comes from no equation.
    for (const State& state : model_.states) {
      if (std::isfinite(values_[state.variable])) continue;
      if (!failure) failure = Failure{.kind = FailureKind::NotFinite, .time = time, .unknowns = 1};
      if (failure.variables.size() < kFailureDetails)
        failure.variables.push_back({state.variable, values_[state.variable], 0});
    }
    if (!failure) return true;
  }
  failure.initial = true;
  return false;
}

void Problem::read(double* y, double* rates) const {
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k) y[k] = values_[layout_.unknowns[k]];
  if (!rates) return;
  std::fill(rates, rates + layout_.unknowns.size(), 0.0);
  for (std::size_t s = 0; s < model_.states.size(); ++s) rates[s] = values_[model_.states[s].derivative];
}

void Problem::set(double time, const double* y, const double* rates) {
  history_.recall(time, values_);
  const std::size_t n = layout_.unknowns.size();
  each_part(thread_pool_, n, kPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) values_[layout_.unknowns[k]] = y[k];
  });
  for (const Rate& rate : rates_) values_[rate.variable] = rates[rate.state];
}

bool Problem::derivatives(double time, const double* y, double* out) {
  set(time, y, nullptr);
  if (!evaluator_.run(model_.dynamic, point(time))) return false;
  std::atomic<bool> finite = true;
  each_part(thread_pool_, model_.states.size(), kPart, [&](std::size_t begin, std::size_t end) {
    double probe = 0;
    for (std::size_t s = begin; s < end; ++s) {
      out[s] = values_[model_.states[s].derivative];
      probe = finite_probe(probe, out[s]);
    }
    if (probe != 0) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

bool Problem::residuals(double time, const double* y, const double* rates, double* out) {
  set(time, y, rates);
  const Point at = point(time);
  double probe = 0;
  std::size_t loop_row = 0, kept = 0;
  for (const OpenRun& step : open_runs_) {
    const KernelBatch& batch = model_.batches[step.batch];
    if (batch.role == Role::Residual) {
      evaluate(model_, batch, at, run_residuals_.data());
      for (std::uint32_t k = 0; k < batch.count; ++k) {
        out[layout_.loop_rows[loop_row++]] = run_residuals_[k];
        probe = finite_probe(probe, run_residuals_[k]);
      }
      continue;
    }
    evaluate(model_, batch, at, nullptr);
    // A kept variable has the integrator's value; what its run computed is its residual.
    for (; kept < step.kept_end; ++kept) {
      const KeptRow& row = kept_rows_[kept];
      const double own = row.rate ? rates[row.source] : y[row.source];
      out[row.row] = values_[row.variable] - own;
      values_[row.variable] = own;
      probe = finite_probe(probe, out[row.row]);
    }
  }
  for (const StateRow& row : state_rows_) {
    out[row.state] = values_[row.derivative] - rates[row.state];
    probe = finite_probe(probe, out[row.state]);
  }
  return probe == 0;
}

bool Problem::jacobian(double time, const double* y, const double* rates, double rate, double* out) {
  return place(time, y, rates) && chain_.evaluate(evaluator_, point(time), rate, out);
}

/// Takes the integrator's unknowns over and evaluates the other variables of the dynamic schedule; in the
/// implicit form no block is solved.
bool Problem::place(double time, const double* y, const double* rates) {
  set(time, y, rates);
  const Point at = point(time);
  if (form_ != Form::Implicit) return evaluator_.run(model_.dynamic, at);
  std::size_t kept = 0;
  for (const OpenRun& step : open_runs_) {
    if (model_.batches[step.batch].role == Role::Solve)
      evaluate(model_, model_.batches[step.batch], at, nullptr);
    for (; kept < step.kept_end; ++kept) {
      const KeptRow& row = kept_rows_[kept];
      values_[row.variable] = row.rate ? rates[row.source] : y[row.source];
    }
  }
  return true;
}

bool Problem::differences(double time, const double* y, const double* rates, double* out) {
  if (!place(time, y, rates) || !evaluator_.run(model_.compared, point(time))) return false;
  zero_crossings_.watch(point(time), out);
  return true;
}

/// What watched comparisons read.
bool Problem::place_watched(double time, const double* y, const double* rates) {
  if (form_ != Form::Implicit)
    set(time, y, rates);
  else if (!place(time, y, rates))
    return false;
  return evaluator_.run(watched_steps_, point(time));
}

bool Problem::nearest(double time, const double* y, const double* rates, double& out) {
  if (!place_watched(time, y, rates)) return false;
  out = zero_crossings_.nearest(point(time));
  return true;
}

bool Problem::crossings(double time, const double* y, const double* rates, std::vector<int>& directions) {
  if (!place_watched(time, y, rates)) return false;
  zero_crossings_.crossings(point(time), directions);
  return true;
}

bool Problem::settle(double time, const double* y, const double* rates, std::span<const int> directions,
                     bool& changed) {
  if (zero_crossings_.empty() && event_handler_.empty() && history_.empty()) return true;
  if (y) set(time, y, rates);
  const Point at = point(time);
  if (!event_handler_.empty()) {
    if (!see(at)) return false;
    event_handler_.remember(values_);
    event_handler_.tick(time, parameters_);
    if (!directions.empty()) {
      std::vector<double> here = values_;
      Point later = at;
      if (move_on(at, later)) zero_crossings_.head({at.time, here.data(), at.parameters}, later);
      std::ranges::copy(here, values_.begin());
    }
  }
  const bool arrived = history_.arrive(time);
  if (arrived) history_.recall(time, values_);
  const std::vector<double> before = parameters_;
  zero_crossings_.crossed(directions, parameters_);
  bool done = settle(at, {}, changed) && react(at, changed);
  zero_crossings_.settled(parameters_);
  const std::span<const std::uint8_t> read = event_handler_.read_parameters();
  changed = event_handler_.take_changed() || arrived;
  for (std::size_t k = 0; k < before.size() && !changed; ++k)
    changed = before[k] != parameters_[k] && (read.empty() || read[k]);
  if (done && !history_.empty()) {
    done = see(at);
    history_.happened(values_, changed);
  }
  keep_calm(time);
  return done;
}

/// The rounds of an instant; equations and comparisons agree, before and after.
bool Problem::react(const Point& at, bool& changed) {
  if (event_handler_.empty()) return true;
  for (int round = 0; round < ZeroCrossings::kRounds; ++round) {
    if (event_handler_.fire(at)) {
      if (!happen(at, changed)) return false;
      event_handler_.remember(values_);
    } else {
      if (!event_handler_.catch_up(values_)) return true;
      if (!settle(at, {}, changed)) return false;
    }
  }
  evaluator_.failure() = endless_events(at.time);
  return false;
}

/// What has fired is assigned, and equations and comparisons are made to agree with that, until nothing
/// changes.
bool Problem::happen(const Point& at, bool& changed) {
  event_handler_.recall(values_);
  for (int turn = 0; turn < ZeroCrossings::kRounds; ++turn) {
    if (!event_handler_.assign(at, nominal_, turn > 0) && turn > 0) {
      if (!settle(at, {}, changed, true)) return false;
      if (!zero_crossings_.lost()) return true;
      evaluator_.failure() = endless_events(at.time);
      return false;
    }
    if (!see(at)) return false;
    zero_crossings_.moved(at, event_handler_.assigned());
    zero_crossings_.update(at, parameters_, false);
    event_handler_.rearm(at);
    if (!settle(at, {}, changed)) return false;
  }
  evaluator_.failure() = event_handler_.failed(FailureKind::AssignmentsDisagree, at.time);
  return false;
}

bool Problem::begin(double time, bool happened, double tolerance) {
  if (!history_.empty()) history_.begin(time, values_, tolerance);
  if (event_handler_.empty()) return true;
  if (!event_handler_.begin(time, happened, parameters_, evaluator_.failure())) return false;
  if (event_handler_.next() > time) return true;
  bool changed = false;
  const Point at = point(time);
  return settle(time, nullptr, nullptr, {}, changed) && evaluator_.run_checked(model_.dynamic, at) &&
         evaluator_.run_checked(model_.observed, at);
}

Failure Problem::endless_events(double time) {
  Failure failure = zero_crossings_.endless(point(time));
  if (!event_handler_.empty())
    failure.triggers = event_handler_.failed(FailureKind::EndlessEvents, time).triggers;
  return failure;
}

/// Values to which `outlook` may return.
void Problem::keep_calm(double time) {
  if (!zero_crossings_.watchful()) return;
  calm_ = values_;
  calm_time_ = time;
}

ZeroCrossings::Outlook Problem::outlook(double time, const double* y, const double* rates) {
  using enum ZeroCrossings::Outlook;
  if (!place(time, y, rates) || !evaluator_.run(model_.compared, point(time)))
    return AsDecided;  // the next step will say why
  const ZeroCrossings::Outlook outlook =
      zero_crossings_.outlook({calm_time_, calm_.data(), parameters_.data()}, point(time), parameters_);
  if (outlook == AsDecided)
    keep_calm(time);
  else
    std::ranges::copy(calm_, values_.begin());
  return outlook;
}

bool Problem::remember(double time, const Interpolate& interpolate) {
  constexpr double kShortest = 1.0 / 4096;  // part of a step: there may be a kink in it
  if (history_.empty()) return true;
  const double shortest = kShortest * (time - history_.end());
  history_.forget();  // rows between here and `time` are still to come
  auto see_at = [&](double then) {
    const double *y = nullptr, *rates = nullptr;
    interpolate(then, y, rates);
    if (form_ == Form::Implicit) {
      if (!place(then, y, rates)) return false;
    } else {
      set(then, y, rates);
    }
    return evaluator_.run(past_steps_, point(then));
  };
  for (double until = time; history_.end() < time;) {
    const double from = history_.end(), length = until - from;
    history_.note(0, values_);
    for (std::uint32_t k = 1; k < History::kNodes; ++k) {
      if (!see_at(k + 1 < History::kNodes ? from + length * k / (History::kNodes - 1) : until)) return false;
      history_.note(k, values_);
    }
    if (!see_at(from + History::kTest * length)) return false;
    if (length > shortest && !history_.agrees(values_)) {
      until = from + length / 2;
      continue;
    }
    history_.append(until);
    until = time;
  }
  return true;
}

/// Solves and sets comparisons until they agree. `first`: what is to be solved before the rest, the start.
bool Problem::settle(const Point& at, std::span<const Step> first, bool& changed, bool leaving) {
  if (zero_crossings_.empty())
    return evaluator_.run_checked(first, at) && (event_handler_.empty() || see(at));
  if (!first.empty()) zero_crossings_.update(at, parameters_, false);  // by the guesses
  for (int round = 0; round < ZeroCrossings::kRounds; ++round) {
    evaluator_.parameters_changed();
    if (!evaluator_.run_checked(first, at) || !evaluator_.run_checked(model_.dynamic, at) ||
        !evaluator_.run_checked(model_.compared, at))
      return false;
    if (zero_crossings_.update(at, parameters_, round >= ZeroCrossings::kRoundsAtOnce) ||
        look_ahead(at, leaving)) {
      changed = true;
      continue;
    }
    return true;
  }
  evaluator_.failure() = zero_crossings_.endless(at);
  return false;
}

/// Moves the present values to a moment later. Whether they are known there.
bool Problem::move_on(const Point& at, Point& later) {
  const std::vector<double> here = values_;
  for (const State& state : model_.states) values_[state.variable] += moment_ * here[state.derivative];
  later = point(at.time + moment_);
  history_.recall(later.time, values_);
  const bool known = evaluator_.run(model_.dynamic, later) && evaluator_.run(model_.compared, later);
  evaluator_.failure() = {};
  return known;
}

/// Decides comparisons that stand at zero by what is true a moment later. Whether that changes one.
bool Problem::look_ahead(const Point& at, bool leaving) {
  if (!zero_crossings_.undecided(at, leaving)) return false;
  const std::vector<double> here = values_;
  Point later = at;
  const bool known = move_on(at, later);
  const bool changes = known && zero_crossings_.look_ahead(later, parameters_);
  values_ = here;
  return changes;
}

bool Problem::output(double time, const double* y, const double* rates, std::span<const Step> observed) {
  set(time, y, rates);
  const Point at = point(time);
  // Without states no integrator has seen that all is finite.
  if (!(form_ == Form::Static ? evaluator_.run_checked(model_.dynamic, at)
                              : evaluator_.run(model_.dynamic, at)))
    return false;
  return evaluator_.run_checked(observed, at);
}

Failure Problem::lost(const StateSet& states, double time) const {
  Failure failure{.kind = FailureKind::StatesLost, .time = time, .unknowns = states.eliminated};
  for (std::uint32_t k = 0; k < states.eliminated && k < kFailureDetails; ++k) {
    const std::uint32_t v = model_.set_variables[states.first_variable + k];
    failure.variables.push_back({v, values_[v], 0});
  }
  for (std::uint32_t r = 0; r < states.batches; ++r) {
    const KernelBatch& batch = model_.batches[states.first_batch + r];
    for (std::uint32_t row = 0; row < batch.count && failure.equations.size() < kFailureDetails; ++row)
      failure.equations.push_back({model_.equations[batch.equations + row], 0});
  }
  return failure;
}

std::optional<Failure> Problem::states_nearly_lost(double time) const {
  for (const StateChoice& choice : choices_)
    if (choice.nearly_singular()) return lost(choice.set(), time);
  return std::nullopt;
}

bool Problem::states_hold(double time, const double* y, const double* rates) {
  if (std::ranges::none_of(model_.sets, [](const StateSet& s) { return s.candidates == 0; })) return true;
  set(time, y, rates);
  const Point at = point(time);
  if (!evaluator_.run(model_.dynamic, at)) return true;  // the next step will say why
  for (StateChoice& choice : choices_) {
    if (choice.regular(at)) continue;
    evaluator_.failure() = lost(choice.set(), time);
    return false;
  }
  return true;
}

bool Problem::choose_states(double time, const double* y, const double* rates) {
  if (choices_.empty()) return false;
  if (y) set(time, y, rates);
  const Point at = point(time);
  if (!evaluator_.run(model_.dynamic, at)) return false;  // the next step will say why
  bool changed = false;
  for (StateChoice& choice : choices_) changed = choice.choose(at, parameters_, false) || changed;
  if (!changed) return false;
  evaluator_.parameters_changed();
  if (!evaluator_.run(model_.dynamic, at)) return false;
  keep_calm(time);
  return true;
}

bool Problem::observe(double time, std::span<const Step> observed) {
  return evaluator_.run_checked(model_.dynamic, point(time)) && evaluator_.run_checked(observed, point(time));
}

bool Problem::assertions_hold(double time, const double* y, const double* rates) {
  if (model_.assertions.empty()) return true;
  set(time, y, rates);
  if (!evaluator_.run(model_.dynamic, point(time)) || !evaluator_.run(model_.asserted, point(time)))
    return false;
  return assertions_hold(time);
}

bool Problem::assertions_hold(double time) {
  for (std::uint32_t r : model_.assertions) {
    const KernelBatch& batch = model_.batches[r];
    conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
    evaluate(model_, batch, point(time), conditions_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      if (conditions_[row] != 0) continue;
      Failure& failure = evaluator_.failure();
      failure = Failure{.kind = FailureKind::Assertion, .time = time};
      failure.equations.push_back({model_.equations[batch.equations + row], 0});
      failure.unknowns = batch.slots;
      for (std::uint32_t slot = 0; slot < batch.slots && slot < kFailureDetails; ++slot) {
        const std::uint32_t variable = slot_variable(model_, batch, slot, row);
        failure.variables.push_back({variable, values_[variable], 0});
      }
      return false;
    }
  }
  return true;
}

Failure Problem::explain(double time, const double* y, const double* rates) {
  set(time, y, rates);
  evaluator_.failure() = Failure{};
  if (evaluator_.run_checked(model_.dynamic, point(time))) return Failure{};
  return evaluator_.failure();
}

}  // namespace runtime
