#include "runtime/quantised/quantised_solver.h"

#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kProbe = 1.0 / 128;     // finite differences, as a part of the expected interval
constexpr double kLongest = 0.02;        // interval without evaluation, as a part of the time range
constexpr double kLongestOfTime = 1e-3;  // the same where something depends on the time
constexpr double kFirstInterval = 1e-4;  // of the time range, at most; that of a crossing is never longer
constexpr double kInside = 0.98;         // of the quantum: where the line may begin

// A state (crossing) that is updated (changes) this often while time advances by this part of the range will
// not come to an end. A clock that ticks so often may have too many ticks (Clocks::endless).
constexpr double kStuckAdvance = 1e-9, kChatterAdvance = 1e-6;
constexpr std::uint32_t kCloseUpdates = 20'000, kCloseChanges = 1000;
constexpr std::uint64_t kPause = 20'000;  // events after which `advance` returns

}  // namespace

Failure quantised_refusal(const Model& model) {
  Failure failure;
  if (!model.sets.empty()) {
    failure.kind = FailureKind::QuantisedStateSet;
    const StateSet& set = model.sets.front();
    for (std::uint32_t k = 0; k < set.candidates && k < kFailureDetails; ++k)
      failure.variables.push_back(
          {model.set_variables[set.first_variable + set.eliminated + set.candidates + k], 0, 0});
  } else if (!model.delays.empty()) {
    failure.kind = FailureKind::QuantisedDelay;
    failure.parameters.push_back({model.delays.front().length, 0});
  }
  return failure;
}

QuantisedSolver::QuantisedSolver(ModelInstance& instance, ZeroCrossings& zero_crossings,
                                 EventHandler& handler, const QuantisedOptions& options)
    : instance_(instance),
      model_(instance.model),
      functions_(zero_crossings.functions()),
      time_functions_(zero_crossings.time_functions()),
      time_events_(time_functions_),
      handler_(handler),
      observer_(options.observer),
      tolerance_(options.tolerance),
      range_(options.range),
      stop_(options.stop),
      stop_rounding_(time_rounding(std::max(std::abs(options.stop - options.range), std::abs(options.stop)))),
      longest_(std::min(kLongest * options.range, options.longest)),
      longest_of_time_(std::min(kLongestOfTime * options.range, options.longest)),
      graph_(model_),
      clocks_(model_, graph_),
      plans_(model_, graph_, clocks_),
      queue_(static_cast<std::uint32_t>(model_.states.size() + graph_.crossings() + clocks_.local.size())),
      global_(graph_.global_crossings()),
      watched_number_(graph_.crossings(), kNone),
      states_(model_.states.size()),
      crossings_(graph_.crossings()),
      updates_(model_.states.size(), 0),
      windows_(model_.states.size() + graph_.crossings() + clocks_.local.size()) {
  if (!clocks_.local.empty()) handler_.clocks().process_elsewhere(clocks_.local);
  const std::span<const std::uint32_t> watched = functions_.watched();
  for (std::uint32_t w = 0; w < watched.size(); ++w) watched_number_[watched[w]] = w;
  for (std::uint32_t k = 0; k < global_.size(); ++k)
    if (of_time(k) && global_[k]) times_are_local_ = false;
  const std::vector<std::uint8_t> of_time = graph_.depend_on_time();
  for (const State& state : model_.states) {
    const std::uint32_t node = graph_.producer(state.derivative);
    longest_of_state_.push_back(node != kNone && of_time[node] ? longest_of_time_ : longest_);
  }
  for (std::uint32_t k = 0; k < graph_.crossings(); ++k)
    longest_of_crossing_.push_back(of_time[graph_.nodes() + k] ? longest_of_time_ : longest_);
}

Point QuantisedSolver::point(double time, std::vector<double>& values) {
  return {time, values.data(), instance_.parameters.data()};
}

double QuantisedSolver::quantum(std::uint32_t state) const {
  return tolerance_ * std::max(std::abs(states_[state].x), instance_.nominal[model_.states[state].variable]);
}

/// The distance of finite differences for an interval: such that the sum with the time is exact.
double QuantisedSolver::probe(double interval) const {
  const double least = 1024 * kEpsilon * std::max(std::abs(time_), kStuckAdvance * range_);
  return (time_ + std::max(kProbe * std::min(interval, longest_), least)) - time_;
}

/// The time after an interval, which is later than now unless the interval is zero.
double QuantisedSolver::later(double interval) const {
  if (!(interval > 0)) return time_;
  return std::max(time_ + interval, time_ + 2 * kEpsilon * std::abs(time_));
}

bool QuantisedSolver::start(double time) {
  time_ = time;
  crossed_.clear();
  quantised_ = instance_.values;
  continuous_ = instance_.values;
  instance_.evaluator.parameters_changed();
  const std::size_t count = states_.size();
  now_.resize(count);
  soon_.resize(count);
  later_.resize(count);
  auto evaluate = [&](double at, std::vector<double>& out) {
    for (std::size_t s = 0; s < count; ++s)
      quantised_[model_.states[s].variable] = states_[s].quantised_at(at);
    ++counters_.evaluations;
    if (!instance_.evaluator.run(model_.dynamic, point(at, quantised_))) return false;
    for (std::size_t s = 0; s < count; ++s) out[s] = quantised_[model_.states[s].derivative];
    return all_finite(out);
  };
  for (std::size_t s = 0; s < count; ++s) {
    StateTrajectory& state = states_[s];
    state.x = instance_.values[model_.states[s].variable];
    state.x1 = state.x2 = state.x3 = 0;
    state.time = state.evaluated = state.quantised_time = time;
    state.q = {state.x, 0};
    state.quantum = quantum(static_cast<std::uint32_t>(s));
  }
  if (!evaluate(time, now_)) return explain();
  double shortest = longest_;
  for (std::size_t s = 0; s < count; ++s) {
    StateTrajectory& state = states_[s];
    state.q.slope = now_[s];
    const double guess = std::sqrt(tolerance_) * (std::abs(state.x) + state.quantum / tolerance_) /
                         std::max(std::abs(now_[s]), 1e-300);
    if (state.interval == 0) state.interval = std::min(kFirstInterval * range_, guess);
    shortest = std::min(shortest, state.interval);
  }
  const double h = probe(std::max(shortest, 1e-6 * range_));
  if (!evaluate(time + h, soon_) || !evaluate(time + 2 * h, later_)) {
    // Outside of the domain of a function a little later: the slopes are unknown.
    soon_ = later_ = now_;
    instance_.failure() = {};
  }
  for (std::uint32_t s = 0; s < count; ++s) {
    states_[s].set_derivative(now_[s], soon_[s], later_[s], h, states_[s].interval, longest_of_state_[s]);
    schedule(s);
  }
  for (std::uint32_t k = 0; k < crossings_.size(); ++k) {
    CrossingPrediction& c = crossings_[k];
    read_held(k);
    c.time = time;
    c.argument = {};
    c.interval = kFirstInterval * range_;
  }
  for (std::uint32_t c = 0; c < clocks_.local.size(); ++c)
    if (clocks_.local[c]) queue_.set(event_of_clock(c), handler_.clocks().next_tick_of(c));
  if (!predict(plans_.all_crossings())) return false;
  for (std::uint32_t k = 0; k < crossings_.size(); ++k) {
    if (of_time(k)) continue;
    if (!accept_held(k)) return false;
    schedule_crossing(k);
  }
  return true;
}

bool QuantisedSolver::resume() {
  crossed_.clear();
  for (const std::uint32_t v : model_.constants) quantised_[v] = continuous_[v] = instance_.values[v];
  for (std::uint32_t k = 0; k < crossings_.size(); ++k) {
    if (functions_.held(k, instance_.parameters) == crossings_[k].held) continue;
    read_held(k);
    if (!evaluate_held(k)) return false;
    if (of_time(k)) continue;
    if (!accept_held(k)) return false;
    schedule_crossing(k);
  }
  return true;
}

bool QuantisedSolver::advance(double limit) {
  crossed_.clear();
  const std::uint32_t count = static_cast<std::uint32_t>(states_.size());
  const std::uint32_t crossings = static_cast<std::uint32_t>(crossings_.size());
  // An event that misses the limit by a rounding error, as that of a clock and a result row, is at the limit.
  const double end = limit < stop_ ? just_after(limit) : limit + stop_rounding_;
  for (std::uint64_t work = 0; work < kPause; ++work) {
    if (queue_.first_time() > end) {
      time_ = std::max(time_, limit);
      if (!crosses_early()) return true;
    }
    const std::uint32_t event = queue_.first();
    time_ = std::max(time_, queue_.first_time());
    const bool done = event < count               ? update(event)
                      : event - count < crossings ? cross(event - count)
                                                  : tick(event - count - crossings);
    if (!done) return false;
    if (!crossed_.empty()) return tick_at_stop();
  }
  return true;
}

/// After an event of the whole model at the stop time nothing follows: ticks of local clocks that are due
/// there, which do not depend on what it assigns, come first.
bool QuantisedSolver::tick_at_stop() {
  if (time_ < stop_ - stop_rounding_) return true;
  for (std::uint32_t c = 0; c < clocks_.local.size(); ++c)
    while (clocks_.local[c] && handler_.clocks().next_tick_of(c) <= stop_ + stop_rounding_)
      if (!tick(c)) return false;
  return true;
}

/// Whether the next event is a crossing that is predicted to follow, by an error of this prediction: its
/// argument has left the piece already. So what is read here, and what a run continues from, agrees with what
/// is held.
bool QuantisedSolver::crosses_early() {
  const std::uint32_t count = static_cast<std::uint32_t>(states_.size());
  if (queue_.first_time() > time_ + kPredictionError * range_) return false;
  const std::uint32_t crossing = queue_.first() - count;
  if (queue_.first() < count || crossing >= crossings_.size() || of_time(crossing)) return false;
  // A failure will be told when the crossing is due.
  if (!predict(plans_.of_crossing(crossing))) {
    instance_.failure() = failure_ = {};
    return false;
  }
  return queue_.first() == event_of_crossing(crossing) && queue_.first_time() <= time_;
}

void QuantisedSolver::states(double time, double* out) const {
  for (std::size_t s = 0; s < states_.size(); ++s) out[s] = states_[s].at(time);
}

bool QuantisedSolver::update(std::uint32_t state) {
  ++counters_.updates;
  ++updates_[state];
  if (!advances(state)) return false;
  const UpdatePlan plan = plans_.of_state(state);
  if (!choose(state, plan.derivatives)) return explain();
  derivatives(plan.derivatives, states_[state].interval);
  return predict(plan.crossings);
}

/// Chooses the line of a state; a second time if the derivative by the state itself was estimated badly.
bool QuantisedSolver::choose(std::uint32_t state, const UpdatePart& part) {
  constexpr double kBadEstimate = 0.2;
  constexpr double kSmallChange = 1e-3;  // of the quantum: too small for a difference quotient
  StateTrajectory& s = states_[state];
  const std::size_t own = std::ranges::lower_bound(part.targets, state) - part.targets.begin();
  s.advance(time_);
  s.quantum = quantum(state);
  const QuantisedState before{s.quantised_at(time_), s.q.slope};
  s.q = before;
  s.quantised_time = time_;
  if (!evaluate_derivatives(part, time_, now_)) return false;
  const double rate = now_[own], rate_slope = 2 * s.x2;
  for (int attempt = 0; attempt < 2; ++attempt) {
    s.q = choose_quantised({.x = s.x,
                            .a = s.a,
                            .u0 = rate - s.a * before.value,
                            .u1 = rate_slope - s.a * before.slope,
                            .quantum = kInside * s.quantum,
                            .longest = longest_});
    if (!evaluate_derivatives(part, time_, now_)) return false;
    const double change = s.q.value - before.value;
    const double missed = std::abs(now_[own] - rate - s.a * change);
    const bool small = std::abs(change) <= kSmallChange * s.quantum;
    if (change == 0 || (small && missed <= kBadEstimate * std::max(std::abs(rate), std::abs(now_[own]))))
      return true;
    const double a = (now_[own] - rate) / change;
    const bool bad = std::abs(a - s.a) > kBadEstimate * std::max(std::abs(a), std::abs(s.a));
    s.a = a;
    if (!bad) return true;
  }
  return true;
}

/// The derivatives of the targets are in `now_`: their polynomials.
void QuantisedSolver::derivatives(const UpdatePart& part, double shortest) {
  constexpr double kSmallestShare = 1e-3;  // of the interval of the state that is updated
  const double own = shortest;
  for (const std::uint32_t s : part.targets) shortest = std::min(shortest, states_[s].interval);
  double h = probe(std::max(shortest, kSmallestShare * own));
  if (!evaluate_derivatives(part, time_ + h, soon_) || !evaluate_derivatives(part, time_ + 2 * h, later_)) {
    // Outside of the domain of a function a little later: the slope is unknown.
    soon_ = later_ = now_;
    instance_.failure() = {};
  }
  for (std::size_t k = 0; k < part.targets.size(); ++k) {
    StateTrajectory& s = states_[part.targets[k]];
    const double previous = std::max(time_ - s.evaluated, h);
    s.advance(time_);
    s.evaluated = time_;
    s.set_derivative(now_[k], soon_[k], later_[k], h, previous, longest_of_state_[part.targets[k]]);
    schedule(part.targets[k]);
  }
}

void QuantisedSolver::schedule(std::uint32_t state) {
  StateTrajectory& s = states_[state];
  const double next = s.next_update();
  if (next > 0) s.interval = std::min(next, longest_);
  queue_.set(state, later(next));
}

/// The equations of the targets have changed: their lines, which were chosen for the equations before and may
/// even be on the other side of the crossing, begin anew at the states.
bool QuantisedSolver::jump(const UpdatePlan& plan) {
  const UpdatePart& part = plan.derivatives;
  if (!part.targets.empty()) {
    for (const std::uint32_t k : part.targets) {
      StateTrajectory& s = states_[k];
      s.advance(time_);
      s.q = {s.x, 0};
      s.quantised_time = time_;
    }
    if (!evaluate_derivatives(part, time_, now_)) return explain();
    for (std::size_t k = 0; k < part.targets.size(); ++k) states_[part.targets[k]].q.slope = now_[k];
    derivatives(part, 0);  // the intervals are those of the equations before
    for (const std::uint32_t k : part.targets) queue_.set(k, time_);
  }
  return predict(plan.crossings, true);
}

/// A tick of a local clock: its assignments, and what depends on them.
bool QuantisedSolver::tick(std::uint32_t clock) {
  ++counters_.events;
  if (!advances(event_of_clock(clock))) return false;
  handler_.clocks().advance(clock, instance_.parameters);
  queue_.set(event_of_clock(clock), handler_.clocks().next_tick_of(clock));
  const UpdatePlan plan = plans_.of_tick(clock);
  for (const std::uint32_t s : plan.values.inputs)
    continuous_[model_.states[s].variable] = states_[s].at(time_);
  const Point at = point(time_, continuous_);
  if (!evaluate_rows(plan.values, at)) return explain();
  auto set_previous = [&](std::uint32_t k) {
    const Events::Previous& p = model_.events.previous[k];
    const double value = p.of == kNone ? 0.0 : p.negated ? 0.0 - continuous_[p.of] : continuous_[p.of];
    assign(p.variable, value);
  };
  for (const std::uint32_t k : clocks_.previous[clock]) set_previous(k);
  // All values are computed before the first is assigned.
  now_.clear();
  for (const std::uint32_t a : clocks_.assigns[clock]) {
    const Assignment& assignment = model_.events.assignments[a];
    const std::uint32_t row = assignment.value.row;
    const KernelBatch& batch = model_.batches[assignment.value.batch];
    if (soon_.size() < batch.count) soon_.resize(batch.count);
    runtime::evaluate_rows(model_, batch, at, row, row + 1, soon_.data());
    now_.push_back(assignment.negated ? 0.0 - soon_[row] : soon_[row]);
  }
  std::size_t value = 0;
  jumps_.clear();
  for (const std::uint32_t a : clocks_.assigns[clock]) {
    if (!is_valid(a, now_[value])) return false;
    const std::uint32_t variable = model_.events.assignments[a].variable;
    const std::uint32_t s = graph_.state_of(variable);
    const double before = s == kNone ? instance_.values[variable] : states_[s].at(time_);
    if (observer_ && now_[value] != before) jumps_.push_back({variable, before, now_[value]});
    assign(variable, now_[value++]);
  }
  if (observer_) {
    const FiredTrigger fired{model_.events.clocks[clock].trigger};
    observer_->event({.time = time_, .triggers = {&fired, 1}, .jumps = jumps_});
  }
  for (const std::uint32_t k : clocks_.advances[clock]) set_previous(k);
  instance_.evaluator.parameters_changed();
  return jump(plan);
}

/// Whether an assignment may give this value to its variable, as in Assignments::invalid.
bool QuantisedSolver::is_valid(std::uint32_t number, double value) {
  const Assignment& assignment = model_.events.assignments[number];
  const bool in_range = !assignment.integer || !(std::abs(value) >= kFirstInexact);
  if (in_range && std::isfinite(value)) return true;
  failure_ = {.kind = in_range ? FailureKind::NotFinite : FailureKind::IntegerRange, .time = time_};
  failure_.assignments.push_back(number);
  failure_.variables.push_back({assignment.variable, value, 0});
  return false;
}

void QuantisedSolver::assign(std::uint32_t variable, double value) {
  instance_.values[variable] = quantised_[variable] = continuous_[variable] = value;
  const std::uint32_t s = graph_.state_of(variable);
  if (s == kNone) return;
  states_[s].advance(time_);
  states_[s].x = value;
  states_[s].quantum = quantum(s);
}

void QuantisedSolver::schedule_crossing(std::uint32_t crossing) {
  CrossingPrediction& c = crossings_[crossing];
  const double next = std::min(c.next_exit(), c.trusted);
  if (next > 0) c.interval = std::min(next, kFirstInterval * range_);
  queue_.set(event_of_crossing(crossing), later(next));
}

bool QuantisedSolver::evaluate_derivatives(const UpdatePart& part, double time, std::vector<double>& out) {
  ++counters_.evaluations;
  for (const std::uint32_t s : part.inputs)
    quantised_[model_.states[s].variable] = states_[s].quantised_at(time);
  if (!evaluate_rows(part, point(time, quantised_))) return false;
  out.resize(part.targets.size());
  for (std::size_t k = 0; k < part.targets.size(); ++k)
    out[k] = quantised_[model_.states[part.targets[k]].derivative];
  return all_finite(out);
}

/// Those of time alone are not needed. They may be no numbers, as the root of what is negative.
bool QuantisedSolver::evaluate_arguments(const UpdatePart& part, double time, std::vector<double>& out) {
  for (const std::uint32_t s : part.inputs) continuous_[model_.states[s].variable] = states_[s].at(time);
  const Point at = point(time, continuous_);
  if (!evaluate_rows(part, at)) return false;
  out.resize(part.targets.size());
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    const std::uint32_t k = part.targets[i];
    out[i] = 0;
    if (of_time(k)) continue;
    functions_.evaluate_one(at, k);
    out[i] = functions_.arguments()[k];
  }
  return true;
}

bool QuantisedSolver::evaluate_rows(const UpdatePart& part, const Point& point) {
  for (const RowGraph::Rows& rows : part.rows) {
    const Step& step = graph_.step(rows.step);
    if (step.kind == Step::Assign)
      runtime::evaluate_rows(model_, model_.batches[step.index], point, rows.begin, rows.end, nullptr);
    else if (!instance_.evaluator.run({&step, 1}, point))
      return false;
  }
  return true;
}

/// Sets `failure()` to the equations that cannot be evaluated at this time.
bool QuantisedSolver::explain() {
  for (const auto* values : {&quantised_, &continuous_}) {
    instance_.values = *values;
    for (std::size_t s = 0; s < states_.size(); ++s)
      instance_.values[model_.states[s].variable] =
          values == &quantised_ ? states_[s].quantised_at(time_) : states_[s].at(time_);
    instance_.failure() = {};
    if (!instance_.evaluator.run_checked(model_.dynamic, instance_.point(time_)) ||
        !instance_.evaluator.run_checked(model_.compared, instance_.point(time_)))
      break;
  }
  failure_ = instance_.failure();
  if (!failure_) failure_ = Failure{.kind = FailureKind::NoProgress};
  failure_.time = time_;
  return false;
}

/// Counts an event. False: it occurs again and again while time does not advance.
bool QuantisedSolver::advances(std::uint32_t event) {
  Window& window = windows_[event];
  const bool is_state = event < states_.size(), is_clock = event >= event_of_clock(0);
  if (time_ - window.begin > (is_state || is_clock ? kStuckAdvance : kChatterAdvance) * range_) {
    window = {time_, 0};
    return true;
  }
  if (++window.count < (is_state ? kCloseUpdates : kCloseChanges)) return true;
  if (is_clock) {
    const auto endless = handler_.clocks().endless(stop_, instance_.parameters);
    if (!endless) return true;
    failure_ = Failure{.kind = FailureKind::EndlessEvents, .time = time_};
    failure_.triggers = {*endless};
    failure_.events = window.count;
    failure_.step = time_ - window.begin;
    return false;
  }
  if (!is_state) return fail_as_endless(event - static_cast<std::uint32_t>(states_.size()));
  failure_ = Failure{.kind = FailureKind::NoProgress, .time = time_};
  failure_.variables.push_back({model_.states[event].variable, states_[event].x, 0});
  failure_.step = states_[event].interval;
  return false;
}

/// False, with the failure of a crossing that changes without end.
bool QuantisedSolver::fail_as_endless(std::uint32_t crossing) {
  const CrossingPrediction& c = crossings_[crossing];
  failure_ = Failure{.kind = FailureKind::EndlessEvents, .time = time_};
  failure_.equations.push_back(
      {functions_.equation(crossing), functions_.is_comparison(crossing) ? c.argument.c0 : c.distance()});
  for (std::uint32_t slot = 0; slot < functions_.batch(crossing).slots && slot < kFailureDetails; ++slot) {
    const std::uint32_t variable = functions_.variable(crossing, slot);
    failure_.variables.push_back({variable, continuous_[variable], 0});
  }
  return false;
}

}  // namespace runtime
