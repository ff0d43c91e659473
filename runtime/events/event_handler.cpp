#include "runtime/events/event_handler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/rounding.h"

namespace runtime {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// A smaller relative change of a value that is assigned again in the same round is the rounding error of
// the equations solved in between.
constexpr double kSame = 1e-10;
// The displacement by which an assignment is examined: this part of the value, or of its nominal value.
constexpr double kDisplacement = 1e-4;

/// Whether two values of an effect differ by rounding only, which those of Ints do not have.
bool agree(const Effect& effect, double a, double b, double nominal) {
  if (effect.integer) return a == b;
  return a == b || (std::isfinite(a) && std::abs(b - a) <= kSame * std::max(std::abs(a), nominal));
}

}  // namespace

EventHandler::EventHandler(const Model& model) : model_(model), cycles_(model) {
  if (empty()) return;
  condition_.assign(model.events.conditional.size(), 0);
  condition_before_ = condition_;
  fired_.assign(model.events.triggers, 0);
  last_fired_ = due_ = replaced_ = fired_;
  for (std::uint32_t k = 0; k < model.events.conditional.size(); ++k) {
    const std::uint32_t trigger = model.events.conditional[k];
    if (std::ranges::find(model.events.last, trigger) != model.events.last.end())
      terminating_.emplace_back(k, trigger);
    if (std::ranges::binary_search(model.events.transitions, trigger)) leaving_.emplace_back(k, trigger);
  }
  previous_.assign(model.events.previous.size(), 0.0);
  previous_of_.assign(model.variables, kNone);
  for (std::uint32_t k = 0; k < previous_.size(); ++k)
    if (const std::uint32_t of = model.events.previous[k].of; of != kNone) previous_of_[of] = k;
  assigned_.assign(model.variables, 0);
  is_state_.assign(model.variables, 0);
  for (const State& state : model.states) is_state_[state.variable] = 1;
  for (const Effect& effect : model.events.effects) {
    if (assigned_[effect.variable]) assigned_by_.resize(model.variables);
    assigned_[effect.variable] = 1;
  }
  next_tick_.assign(model.events.clocks.size(), kNever);
  tick_.assign(next_tick_.size(), 0.0);
  elsewhere_.assign(next_tick_.size(), 0);
  std::size_t largest = 0;
  for (const auto* batches : {&model.events.conditions, &model.events.values})
    for (std::uint32_t r : *batches) largest = std::max<std::size_t>(largest, model.batches[r].count);
  results_.assign(largest, 0.0);
  if (!assigned_by_.empty()) again_ = results_;
  find_readers();
}

/// Finds whether assignments read what they assign. Marks the variables that equations, zero crossings and
/// conditions read, and the parameters that the first two read.
void EventHandler::find_readers() {
  read_.assign(model_.variables, 0);
  read_parameters_.assign(model_.parameters.size(), 0);
  auto reads = [&](const KernelBatch& batch) {
    if (batch.kernel == kNone) {
      const SumTable sums(model_, batch);
      for (std::uint32_t k = 0; k < sums.offsets[batch.count]; ++k) read_[sums.terms[k] >> 1] = 1;
      return;
    }
    const std::uint32_t* table = model_.tables.data() + batch.table;
    const std::size_t slots = std::size_t{batch.slots} * batch.count,
                      params = std::size_t{batch.params} * batch.count;
    for (std::size_t k = 0; k < slots; ++k) read_[table[k]] = 1;
    for (std::size_t k = 0; k < params; ++k) read_parameters_[table[slots + k]] = 1;
  };
  for (std::uint32_t r : model_.events.values) reads(model_.batches[r]);
  reads_assigned_ =
      std::ranges::any_of(model_.events.effects, [&](const Effect& e) { return read_[e.variable] != 0; });
  read_.assign(model_.variables, 0);
  read_parameters_.assign(model_.parameters.size(), 0);
  for (const State& s : model_.states) read_[s.variable] = 1;
  for (const auto* steps : {&model_.dynamic, &model_.compared})
    for (const Step& step : *steps) {
      if (step.kind == Step::Assign)
        reads(model_.batches[step.index]);
      else
        for (const KernelBatch& batch : loop_batches(model_, model_.loops[step.index])) reads(batch);
    }
  for (const ZeroCrossing& crossing : model_.zero_crossings) reads(model_.batches[crossing.batch]);
  const std::vector<std::uint8_t> parameters = read_parameters_;
  for (std::uint32_t r : model_.events.conditions) reads(model_.batches[r]);
  // The integrator need not restart for a zero crossing that conditions alone read.
  read_parameters_ = parameters;
}

double EventHandler::time_of_tick(std::size_t clock, double tick, std::span<const double> parameters) const {
  const Clock& c = model_.events.clocks[clock];
  double time = parameters[c.offset] + tick * parameters[c.period];
  if (c.jitters > 0) {
    const double index = tick - std::floor(tick / c.jitters) * c.jitters;
    time += parameters[model_.events.jitters[c.first_jitter + static_cast<std::uint32_t>(index)]];
  }
  return time > parameters[c.stop] ? kNever : time;
}

bool EventHandler::start_clocks(double time, bool processed, std::span<const double> parameters,
                                Failure& failure) {
  for (std::size_t k = 0; k < next_tick_.size(); ++k) {
    const Clock& c = model_.events.clocks[k];
    const double period = parameters[c.period];
    bool fine = std::isfinite(period) && period > 0 && std::isfinite(parameters[c.offset]) &&
                std::isfinite(parameters[c.start]);
    double most = 0;
    for (std::uint32_t j = 0; j < c.jitters && fine; ++j) {
      const double here = parameters[model_.events.jitters[c.first_jitter + j]];
      const double after = parameters[model_.events.jitters[c.first_jitter + (j + 1) % c.jitters]];
      fine = period + after - here > 0;  // ticks stay in order
      most = std::max(most, std::abs(here));
    }
    if (!fine) {
      failure = Failure{.kind = FailureKind::BadClock, .time = time};
      failure.triggers.push_back(c.trigger);
      return false;
    }
    // The first tick at or after `start`; then the first at or after `time`.
    const double start = std::ceil((parameters[c.start] - parameters[c.offset]) / period - 1e-9);
    double tick = std::max(start, std::floor((time - most - parameters[c.offset]) / period) - 1);
    while (just_after(time_of_tick(k, tick, parameters)) < time ||
           (processed && time_of_tick(k, tick, parameters) <= just_after(time)))
      ++tick;
    tick_[k] = tick;
    next_tick_[k] = time_of_tick(k, tick, parameters);
  }
  return true;
}

double EventHandler::next_tick() const {
  double next = kNever;
  for (std::size_t k = 0; k < next_tick_.size(); ++k)
    if (!elsewhere_[k]) next = std::min(next, next_tick_[k]);
  return next;
}

void EventHandler::tick(double time, std::span<const double> parameters) {
  for (std::size_t k = 0; k < next_tick_.size(); ++k) {
    if (elsewhere_[k] || next_tick_[k] > just_after(time)) continue;
    due_[model_.events.clocks[k].trigger] = 1;
    next_tick_[k] = time_of_tick(k, ++tick_[k], parameters);
  }
}

void EventHandler::let_fire(std::span<const std::uint32_t> triggers) {
  for (const std::uint32_t t : triggers) due_[t] = 1;
}

void EventHandler::evaluate_conditions(const Point& point) {
  std::size_t at = 0;
  for (std::uint32_t r : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[r];
    runtime::evaluate(model_, batch, point, results_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) condition_[at++] = results_[row] != 0;
  }
  for (std::size_t k = 0; k < constant_.size(); ++k) constant_[k] &= condition_[k];
}

std::vector<std::uint32_t> EventHandler::constantly_true(const Point& point) {
  if (constant_.empty()) return {};
  const Events& events = model_.events;
  std::vector<std::uint32_t> conditions(events.triggers, 0);  // of each that count
  for (const std::uint32_t t : events.conditional) ++conditions[t];
  for (const auto* others : {&events.initial, &events.last, &events.transitions})
    for (const std::uint32_t t : *others) conditions[t] = 0;
  for (std::size_t k = 0; k < constant_.size(); ++k)
    if (!constant_[k]) conditions[events.conditional[k]] = 0;
  std::vector<std::uint32_t> found;
  std::size_t effect = 0;
  for (const std::uint32_t r : events.values)
    for (std::uint32_t row = 0; row < model_.batches[r].count; ++row) {
      const Effect& e = events.effects[effect++];
      if (conditions[e.trigger] != 1) continue;
      evaluate_rows(model_, model_.batches[r], point, row, row + 1, results_.data());
      if ((e.negated ? 0.0 - results_[row] : results_[row]) == point.values[e.variable]) continue;
      found.push_back(e.trigger);
      conditions[e.trigger] = 0;
    }
  return found;
}

void EventHandler::accept(const Point& point) {
  evaluate_conditions(point);
  condition_before_ = condition_;
}

void EventHandler::rearm(const Point& point) {
  evaluate_conditions(point);
  for (std::size_t k = 0; k < condition_before_.size(); ++k)
    condition_before_[k] = condition_before_[k] && condition_[k];
}

bool EventHandler::fire(const Point& point) {
  evaluate_conditions(point);
  fired_.swap(due_);
  std::ranges::fill(due_, std::uint8_t(0));
  for (std::size_t k = 0; k < condition_.size(); ++k)
    if (condition_[k] && !condition_before_[k]) fired_[model_.events.conditional[k]] = 1;
  for (const Events::Alternative& a : model_.events.alternatives) {
    replaced_[a.trigger] = fired_[a.preceding] || replaced_[a.preceding];
    if (replaced_[a.trigger]) fired_[a.trigger] = 0;
  }
  const bool any = std::ranges::find(fired_, std::uint8_t(1)) != fired_.end();
  condition_before_ = condition_;
  if (any) last_fired_ = fired_;
  return any;
}

void EventHandler::record_previous(std::span<const double> values) {
  for (std::size_t k = 0; k < previous_.size(); ++k) {
    const Events::Previous& p = model_.events.previous[k];
    previous_[k] = p.of == kNone ? 0.0 : p.negated ? 0.0 - values[p.of] : values[p.of];
  }
}

void EventHandler::restore_previous(std::span<double> values) const {
  for (std::size_t k = 0; k < previous_.size(); ++k)
    values[model_.events.previous[k].variable] = previous_[k];
}

bool EventHandler::advance_previous(std::span<double> values) {
  unsettled_.clear();
  for (const Events::Previous& p : model_.events.previous) {
    const double now = p.of == kNone ? 0.0 : p.negated ? 0.0 - values[p.of] : values[p.of];
    double& before = values[p.variable];
    if (before != now && read_[p.variable]) unsettled_.push_back(p.of);
    before = now;
  }
  return !unsettled_.empty();
}

void EventHandler::add_unsettled(std::span<const double> values, Failure& failure) const {
  for (const std::uint32_t v : unsettled_)
    if (v != kNone && failure.variables.size() < kFailureDetails)
      failure.variables.push_back({v, values[v], 0});
}

/// Whether the effect is the first one in this execution that assigns its variable. Another value of a later
/// one is a conflict.
bool EventHandler::is_first_assignment(std::uint32_t effect, double value, const Point& point,
                                       double nominal) {
  if (assigned_by_.empty()) return true;
  const std::uint32_t v = model_.events.effects[effect].variable;
  Assigned& first = assigned_by_[v];
  if (first.effect == kNone) {
    first = {effect, value};
    assigned_now_.push_back(v);
    return true;
  }
  if (!agree(model_.events.effects[effect], first.value, value, nominal)) {
    if (!conflict_) conflict_ = Conflict{v, first, {effect, value}};
  } else if (!lost_ && counts_further(first.effect, value, point, nominal) &&
             counts_further(effect, value, point, nominal)) {
    lost_ = Conflict{v, first, {effect, value}};
  }
  return false;
}

/// Whether an assignment of this value to its variable would give another one if it were executed again, with
/// this value before it: a count does, `pre n + 1`, a largest value so far does not, `max (pre n) x`.
bool EventHandler::counts_further(std::uint32_t effect, double value, const Point& point, double nominal) {
  const Effect& e = model_.events.effects[effect];
  const std::uint32_t p = previous_of_[e.variable];
  if (p == kNone) return false;
  std::uint32_t row = effect, batch = 0;
  while (row >= model_.batches[model_.events.values[batch]].count)
    row -= model_.batches[model_.events.values[batch++]].count;
  double& before = point.values[model_.events.previous[p].variable];
  const double held = before;
  before = model_.events.previous[p].negated ? 0.0 - value : value;
  double next = 0;
  evaluate_rows(model_, model_.batches[model_.events.values[batch]], point, row, row + 1, again_.data());
  next = e.negated ? 0.0 - again_[row] : again_[row];
  before = held;
  return !agree(e, value, next, nominal);
}

void EventHandler::check_value(std::uint32_t effect, double value) {
  if (model_.events.effects[effect].integer && std::abs(value) >= kFirstInexact) {
    if (!not_exact_) not_exact_ = {effect, value};
  } else if (!std::isfinite(value) && !not_finite_) {
    not_finite_ = {effect, value};
  }
}

/// Whether a row of values gives a state its value before the round, whatever that is: x := pre x. Another
/// expression of the same value, such as x := 2.0 where x crosses 2, is an assignment that stops it there.
bool EventHandler::keeps_state(const KernelBatch& batch, std::uint32_t row, const Effect& effect,
                               const Point& point, double nominal) {
  const std::uint32_t p = previous_of_[effect.variable];
  if (p == kNone) return false;
  const Events::Previous& before = model_.events.previous[p];
  double& value = point.values[before.variable];
  const double held = value, distance = kDisplacement * std::max(std::abs(held), nominal);
  auto follows = [&](double displaced) {
    value = displaced;
    evaluate_rows(model_, batch, point, row, row + 1, results_.data());
    return results_[row] == (before.negated != effect.negated ? 0.0 - displaced : displaced);
  };
  const bool all = follows(held + distance) && follows(held - distance);
  value = held;
  return all;
}

bool EventHandler::assign(const Point& point, std::span<const double> nominal, bool again) {
  if (!again) std::ranges::fill(assigned_, std::uint8_t(0));
  for (const std::uint32_t v : assigned_now_) assigned_by_[v].effect = kNone;
  assigned_now_.clear();
  conflict_.reset();
  lost_.reset();
  not_finite_.reset();
  not_exact_.reset();
  executed_ = 0;
  bool any = false;
  std::size_t first = 0;
  // All values are computed before the first is assigned: the order of assignments does not matter.
  changes_.clear();
  for (std::uint32_t r : model_.events.values) {
    const KernelBatch& batch = model_.batches[r];
    const Effect* effects = model_.events.effects.data() + first;
    const auto number = static_cast<std::uint32_t>(first);
    first += batch.count;
    for (std::uint32_t row = 0; row < batch.count;) {
      if (!fired_[effects[row].trigger]) {
        ++row;
        continue;
      }
      std::uint32_t end = row;
      while (end < batch.count && fired_[effects[end].trigger]) ++end;
      evaluate_rows(model_, batch, point, row, end, results_.data());
      for (; row < end; ++row) {
        const std::uint32_t v = effects[row].variable;
        const double value = effects[row].negated ? 0.0 - results_[row] : results_[row];
        ++executed_;
        check_value(number + row, value);
        if (!is_first_assignment(number + row, value, point, nominal[v])) continue;
        const double old = point.values[v];
        const bool same = again ? agree(effects[row], old, value, nominal[v]) : value == old;
        if (is_state_[v])
          assigned_[v] = same && keeps_state(batch, row, effects[row], point, nominal[v]) ? 0 : kState;
        else if (!same)  // its own value changes nothing
          assigned_[v] = kDiscrete;
        if (!same) changes_.emplace_back(v, value);
      }
    }
  }
  for (auto [variable, value] : changes_) {
    point.values[variable] = value;
    any = true;
    changed_ = changed_ || read_[variable];
  }
  return any;
}

void EventHandler::save(double* out) const {
  out = std::ranges::copy(condition_before_, out).out;
  out = std::ranges::copy(tick_, out).out;
  std::ranges::copy(next_tick_, out);
}

void EventHandler::load(const double* in) {
  for (std::uint8_t& condition : condition_before_) condition = *in++ != 0;
  for (double& tick : tick_) tick = *in++;
  for (double& next : next_tick_) next = *in++;
}

std::optional<std::uint32_t> EventHandler::terminated() const {
  for (const auto& [condition, trigger] : terminating_)
    if (condition_[condition]) return trigger;
  return std::nullopt;
}

std::vector<std::uint8_t> EventHandler::holding() const {
  std::vector<std::uint8_t> result(model_.events.triggers, 0);
  for (std::size_t k = 0; k < condition_.size(); ++k)
    result[model_.events.conditional[k]] |= std::uint8_t(condition_[k] != 0);
  return result;
}

bool EventHandler::let_become_true(std::span<const std::uint8_t> before) {
  bool any = false;
  for (std::size_t k = 0; k < condition_.size(); ++k) {
    if (!condition_[k] || before[model_.events.conditional[k]] != kDidNotHold) continue;
    condition_before_[k] = 0;
    any = true;
  }
  return any;
}

std::vector<std::uint32_t> EventHandler::transitions() const {
  std::vector<std::uint32_t> due;
  for (const auto& [condition, trigger] : leaving_)
    if (condition_[condition]) due.push_back(trigger);
  std::ranges::sort(due);
  return due;
}

std::vector<std::uint8_t> EventHandler::read_by_transitions() const {
  std::vector<std::uint8_t> result(model_.parameters.size(), 0);
  std::size_t at = 0;
  auto leaving = leaving_.begin();
  for (const std::uint32_t r : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[r];
    const std::uint32_t* parameters =
        model_.tables.data() + batch.table + std::size_t{batch.slots} * batch.count;
    for (std::uint32_t row = 0; row < batch.count; ++row, ++at) {
      if (leaving == leaving_.end() || leaving->first != at) continue;
      for (std::uint32_t p = 0; p < batch.params; ++p) {
        std::uint8_t& read = result[parameters[std::size_t{p} * batch.count + row]];
        read = std::max(read, std::uint8_t(condition_[at] ? 2 : 1));
      }
      ++leaving;
    }
  }
  return result;
}

std::optional<Failure> EventHandler::invalid(double time) const {
  auto failure = [&](FailureKind kind, std::uint32_t variable, std::initializer_list<Assigned> all) {
    Failure result{.kind = kind, .time = time};
    for (const Assigned& a : all) {
      result.effects.push_back(a.effect);
      result.variables.push_back({variable, a.value, 0});
    }
    return result;
  };
  auto variable = [&](const Assigned& a) { return model_.events.effects[a.effect].variable; };
  if (not_finite_) return failure(FailureKind::NotFinite, variable(*not_finite_), {*not_finite_});
  if (conflict_)
    return failure(FailureKind::AssignmentsConflict, conflict_->variable,
                   {conflict_->first, conflict_->second});
  if (not_exact_) return failure(FailureKind::IntegerRange, variable(*not_exact_), {*not_exact_});
  if (lost_) return failure(FailureKind::AssignmentLost, lost_->variable, {lost_->first, lost_->second});
  return std::nullopt;
}

std::optional<Failure> EventHandler::cyclic(double time) {
  const std::span<const std::uint32_t> cycle = cycles_.find(fired_);
  if (cycle.empty()) return std::nullopt;
  Failure failure{.kind = FailureKind::AssignmentsDisagree, .time = time};
  for (const std::uint32_t e : cycle.first(std::min(cycle.size(), kFailureDetails))) {
    failure.effects.push_back(e);
    failure.variables.push_back({model_.events.effects[e].variable, 0, 0});
  }
  return failure;
}

Failure EventHandler::failure(FailureKind kind, double time) const {
  Failure failure{.kind = kind, .time = time};
  for (std::uint32_t t = 0; t < last_fired_.size() && failure.triggers.size() < kFailureDetails; ++t)
    if (last_fired_[t]) failure.triggers.push_back(t);
  for (std::uint32_t v = 0; v < assigned_.size() && failure.variables.size() < kFailureDetails; ++v)
    if (assigned_[v]) failure.variables.push_back({v, 0, 0});
  return failure;
}

}  // namespace runtime
