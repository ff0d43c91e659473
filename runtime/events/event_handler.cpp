#include "runtime/events/event_handler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/rounding.h"

namespace runtime {

EventHandler::EventHandler(const Model& model) : model_(model), clocks_(model.events), assignments_(model) {
  if (empty()) return;
  condition_.assign(model.events.condition_triggers.size(), 0);
  condition_before_ = constant_ = condition_;
  fired_.assign(model.events.triggers, 0);
  last_fired_ = due_ = replaced_ = executed_ = fired_;
  for (std::uint32_t k = 0; k < model.events.condition_triggers.size(); ++k) {
    const std::uint32_t trigger = model.events.condition_triggers[k];
    if (std::ranges::find(model.events.terminating, trigger) != model.events.terminating.end())
      terminating_.emplace_back(k, trigger);
    if (std::ranges::binary_search(model.events.transitions, trigger)) transitions_.emplace_back(k, trigger);
  }
  previous_.assign(model.events.previous.size(), 0.0);
  std::size_t largest = 0;
  for (const std::uint32_t r : model.events.conditions)
    largest = std::max<std::size_t>(largest, model.batches[r].count);
  results_.assign(largest, 0.0);
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
  reads_assigned_ = std::ranges::any_of(model_.events.assignments,
                                        [&](const Assignment& e) { return read_[e.variable] != 0; });
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
  // `pre` of what is itself a `pre`: what reads the one reads the other, a round later.
  std::vector<std::uint8_t> is_previous(model_.variables, 0);
  for (const Events::Previous& p : model_.events.previous) is_previous[p.variable] = 1;
  for (bool more = true; std::exchange(more, false);)
    for (const Events::Previous& p : model_.events.previous)
      if (p.of != kNone && is_previous[p.of] && read_[p.variable] && !std::exchange(read_[p.of], 1))
        more = true;
}

bool EventHandler::tick(double time, std::span<const double> parameters) {
  bool any = false;
  clocks_.tick(time, parameters, [&](std::uint32_t trigger) {
    due_[trigger] = 1;
    any = true;
  });
  return any;
}

void EventHandler::let_fire(std::span<const std::uint32_t> triggers) {
  for (const std::uint32_t t : triggers) due_[t] = 1;
}

void EventHandler::evaluate_conditions(const Point& point) {
  std::size_t at = 0;
  undefined_.reset();
  for (std::uint32_t r : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[r];
    runtime::evaluate(model_, batch, point, results_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row, ++at) {
      const bool known = std::isfinite(results_[row]);
      condition_[at] = known && results_[row] != 0;
      if (!known && !undefined_) undefined_ = static_cast<std::uint32_t>(at);
    }
  }
  for (std::size_t k = 0; k < constant_.size(); ++k) constant_[k] &= condition_[k];
}

std::optional<Failure> EventHandler::undefined_condition(double time) const {
  if (!undefined_) return std::nullopt;
  Failure failure{.kind = FailureKind::UndefinedCondition, .time = time};
  failure.triggers.push_back(model_.events.condition_triggers[*undefined_]);
  return failure;
}

void EventHandler::note_constant(std::span<const std::uint8_t> conditions) {
  constant_ = condition_;
  for (std::size_t k = 0; k < conditions.size(); ++k) constant_[k] &= conditions[k];
  note_interrupted(executed_);  // an event of the start made the condition true
}

void EventHandler::note_interrupted(std::span<const std::uint8_t> triggers) {
  for (std::size_t k = 0; k < constant_.size(); ++k)
    if (triggers[model_.events.condition_triggers[k]]) constant_[k] = 0;
}

std::vector<std::uint32_t> EventHandler::constantly_true(const Point& point) {
  const Events& events = model_.events;
  std::vector<std::uint32_t> conditions(events.triggers, 0);  // of each that count
  for (const std::uint32_t t : events.condition_triggers) ++conditions[t];
  for (const auto* others : {&events.initial, &events.terminating, &events.transitions})
    for (const std::uint32_t t : *others) conditions[t] = 0;
  for (std::size_t k = 0; k < constant_.size(); ++k)
    if (!constant_[k]) conditions[events.condition_triggers[k]] = 0;
  std::vector<std::uint32_t> found;
  for (std::uint32_t a = 0; a < events.assignments.size(); ++a) {
    const std::uint32_t trigger = events.assignments[a].trigger;
    if (conditions[trigger] != 1 || !assignments_.would_change(a, point)) continue;
    found.push_back(trigger);
    conditions[trigger] = 0;
  }
  return found;
}

void EventHandler::accept(const Point& point) {
  terminated_.reset();
  evaluate_conditions(point);
  condition_before_ = condition_;
}

bool EventHandler::rearm(const Point& point) {
  evaluate_conditions(point);
  bool become_true = false;
  for (std::size_t k = 0; k < condition_before_.size(); ++k) {
    become_true = become_true || (condition_[k] && !condition_before_[k]);
    condition_before_[k] = condition_before_[k] && condition_[k];
  }
  return become_true;
}

bool EventHandler::fire(const Point& point) {
  evaluate_conditions(point);
  if (!terminated_) terminated_ = terminated();
  fired_.swap(due_);
  std::ranges::fill(due_, std::uint8_t(0));
  if (point.time > just_after(change_)) held_at_change_.clear();
  for (std::size_t k = 0; k < condition_.size(); ++k)
    if (condition_[k] && !condition_before_[k] && (held_at_change_.empty() || !held_at_change_[k]))
      fired_[model_.events.condition_triggers[k]] = 1;
  for (const Events::Alternative& a : model_.events.alternatives) {
    replaced_[a.trigger] = fired_[a.preceding] || replaced_[a.preceding];
    if (replaced_[a.trigger]) fired_[a.trigger] = 0;
  }
  const bool any = std::ranges::find(fired_, std::uint8_t(1)) != fired_.end();
  condition_before_ = condition_;
  if (any) last_fired_ = fired_;
  for (std::size_t t = 0; any && t < fired_.size(); ++t) executed_[t] |= fired_[t];
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
  // All at once: one may be the `pre` of another.
  std::vector<double> now(model_.events.previous.size());
  for (std::size_t k = 0; k < now.size(); ++k) {
    const Events::Previous& p = model_.events.previous[k];
    now[k] = p.of == kNone ? 0.0 : p.negated ? 0.0 - values[p.of] : values[p.of];
  }
  for (std::size_t k = 0; k < now.size(); ++k) {
    const Events::Previous& p = model_.events.previous[k];
    double& before = values[p.variable];
    if (before != now[k] && read_[p.variable]) unsettled_.push_back(p.of);
    before = now[k];
  }
  return !unsettled_.empty();
}

bool EventHandler::return_to_previous(std::span<const double> before, std::span<double> values) const {
  bool changed = false;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const std::uint32_t v = model_.events.previous[k].variable;
    if (std::isnan(before[k]) || before[k] == values[v] || !read_[v]) continue;
    values[v] = before[k];
    changed = true;
  }
  return changed;
}

void EventHandler::add_unsettled(std::span<const double> values, Failure& failure) const {
  for (const std::uint32_t v : unsettled_)
    if (v != kNone && failure.variables.size() < kFailureDetails)
      failure.variables.push_back({v, values[v], 0});
}

bool EventHandler::assign(const Point& point, std::span<const double> nominal, bool again) {
  const auto changes = assignments_.execute(fired_, point, nominal, again);
  for (const auto& [variable, value] : changes) changed_ = changed_ || read_[variable];
  return !changes.empty();
}

// Of a condition in one number: whether it was true before, and twice whether it always was.
void EventHandler::save(double* out) const {
  for (std::size_t k = 0; k < condition_before_.size(); ++k) *out++ = condition_before_[k] + 2 * constant_[k];
  clocks_.save(out);
}

void EventHandler::load(const double* in) {
  for (std::size_t k = 0; k < condition_before_.size(); ++k) {
    const auto both = static_cast<std::uint8_t>(*in++);
    condition_before_[k] = both & 1;
    constant_[k] = both >> 1;
  }
  clocks_.load(in);
}

std::optional<std::uint32_t> EventHandler::terminated() const {
  if (terminated_) return terminated_;
  for (const auto& [condition, trigger] : terminating_)
    if (condition_[condition]) return trigger;
  return std::nullopt;
}

bool EventHandler::let_become_true(double time, std::span<const std::uint8_t> before) {
  bool any = false;
  change_ = time;
  held_at_change_.assign(before.begin(), before.end());
  for (std::uint8_t& held : held_at_change_) held = held == kHeld;
  for (std::size_t k = 0; k < condition_.size(); ++k) {
    if (!condition_[k] || before[k] != kDidNotHold) continue;
    condition_before_[k] = 0;
    any = true;
  }
  return any;
}

std::vector<std::uint32_t> EventHandler::transitions() const {
  std::vector<std::uint32_t> due;
  for (const auto& [condition, trigger] : transitions_)
    if (condition_[condition]) due.push_back(trigger);
  std::ranges::sort(due);
  return due;
}

std::vector<std::uint8_t> EventHandler::read_by_transitions() const {
  std::vector<std::uint8_t> result(model_.parameters.size(), 0);
  std::size_t at = 0;
  auto transition = transitions_.begin();
  for (const std::uint32_t r : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[r];
    const std::uint32_t* parameters =
        model_.tables.data() + batch.table + std::size_t{batch.slots} * batch.count;
    for (std::uint32_t row = 0; row < batch.count; ++row, ++at) {
      if (transition == transitions_.end() || transition->first != at) continue;
      for (std::uint32_t p = 0; p < batch.params; ++p) {
        std::uint8_t& read = result[parameters[std::size_t{p} * batch.count + row]];
        read = std::max(read, std::uint8_t(condition_[at] ? 2 : 1));
      }
      ++transition;
    }
  }
  return result;
}

Failure EventHandler::failure(FailureKind kind, double time) const {
  Failure failure{.kind = kind, .time = time};
  for (std::uint32_t t = 0; t < last_fired_.size() && failure.triggers.size() < kFailureDetails; ++t)
    if (last_fired_[t]) failure.triggers.push_back(t);
  const std::span<const std::uint8_t> assigned = assignments_.assigned();
  for (std::uint32_t v = 0; v < assigned.size() && failure.variables.size() < kFailureDetails; ++v)
    if (assigned[v]) failure.variables.push_back({v, 0, 0});
  return failure;
}

}  // namespace runtime
