#include "runtime/events/event_handler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace runtime {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
// Of a value that is assigned again in the same round: a smaller change is a rounding error of the equations
// between.
constexpr double kSame = 1e-10;

/// Ticks that are so near are the same instant, whatever rounding made of them.
double just_after(double time) { return time + 8 * std::numeric_limits<double>::epsilon() * std::abs(time); }
}  // namespace

EventHandler::EventHandler(const Model& model) : model_(model) {
  if (empty()) return;
  now_.assign(model.events.triggers, 0);
  was_ = fired_ = last_ = ticked_ = now_;
  before_.assign(model.events.previous.size(), 0.0);
  assigned_.assign(model.variables, 0);
  next_.assign(model.events.clocks.size(), kNever);
  tick_.assign(next_.size(), 0.0);
  std::size_t largest = 0;
  for (const auto* batches : {&model.events.conditions, &model.events.values})
    for (std::uint32_t r : *batches) largest = std::max<std::size_t>(largest, model.batches[r].count);
  results_.assign(largest, 0.0);
  find_readers();
}

/// Which variables and parameters the equations, comparisons and conditions read.
void EventHandler::find_readers() {
  read_.assign(model_.variables, 0);
  read_parameters_.assign(model_.parameters.size(), 0);
  for (const State& s : model_.states) read_[s.variable] = 1;
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
  for (const auto* steps : {&model_.dynamic, &model_.compared})
    for (const Step& step : *steps) {
      if (step.kind == Step::Assign)
        reads(model_.batches[step.index]);
      else
        for (const KernelBatch& batch : loop_batches(model_, model_.loops[step.index])) reads(batch);
    }
  for (const ZeroCrossing& r : model_.zero_crossings) reads(model_.batches[r.batch]);
  const std::vector<std::uint8_t> parameters = read_parameters_;
  for (std::uint32_t r : model_.events.conditions) reads(model_.batches[r]);
  read_parameters_ = parameters;  // a comparison that a condition alone reads is none of the integrator's
}

double EventHandler::instant(std::size_t clock, double tick, std::span<const double> parameters) const {
  const Clock& c = model_.events.clocks[clock];
  double time = parameters[c.offset] + tick * parameters[c.period];
  if (c.jitters > 0) {
    const double turn = tick - std::floor(tick / c.jitters) * c.jitters;
    time += parameters[model_.events.jitters[c.first_jitter + static_cast<std::uint32_t>(turn)]];
  }
  return time > parameters[c.stop] ? kNever : time;
}

bool EventHandler::begin(double time, bool happened, std::span<const double> parameters, Failure& failure) {
  for (std::size_t k = 0; k < next_.size(); ++k) {
    const Clock& c = model_.events.clocks[k];
    const double period = parameters[c.period];
    bool fine = std::isfinite(period) && period > 0 && std::isfinite(parameters[c.offset]) &&
                std::isfinite(parameters[c.start]);
    double most = 0;
    for (std::uint32_t j = 0; j < c.jitters && fine; ++j) {
      const double here = parameters[model_.events.jitters[c.first_jitter + j]];
      const double after = parameters[model_.events.jitters[c.first_jitter + (j + 1) % c.jitters]];
      fine = period + after - here > 0;  // in their order
      most = std::max(most, std::abs(here));
    }
    if (!fine) {
      failure = Failure{.kind = FailureKind::BadClock, .time = time};
      failure.triggers.push_back(c.trigger);
      return false;
    }
    // The first tick that is not before `start`; then the first that is not before now.
    const double start = std::ceil((parameters[c.start] - parameters[c.offset]) / period - 1e-9);
    double tick = std::max(start, std::floor((time - most - parameters[c.offset]) / period) - 1);
    while (just_after(instant(k, tick, parameters)) < time ||
           (happened && instant(k, tick, parameters) <= just_after(time)))
      ++tick;
    tick_[k] = tick;
    next_[k] = instant(k, tick, parameters);
  }
  return true;
}

double EventHandler::next() const {
  double next = kNever;
  for (double time : next_) next = std::min(next, time);
  return next;
}

void EventHandler::tick(double time, std::span<const double> parameters) {
  for (std::size_t k = 0; k < next_.size(); ++k) {
    if (next_[k] > just_after(time)) continue;
    ticked_[model_.events.clocks[k].trigger] = 1;
    next_[k] = instant(k, ++tick_[k], parameters);
  }
}

void EventHandler::evaluate(const Point& point) {
  std::size_t at = 0;
  for (std::uint32_t r : model_.events.conditions) {
    const KernelBatch& batch = model_.batches[r];
    runtime::evaluate(model_, batch, point, results_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row)
      now_[model_.events.conditional[at++]] = results_[row] != 0;
  }
}

void EventHandler::accept(const Point& point) {
  evaluate(point);
  was_ = now_;
}

void EventHandler::rearm(const Point& point) {
  evaluate(point);
  for (std::size_t k = 0; k < was_.size(); ++k) was_[k] = was_[k] && now_[k];
}

bool EventHandler::fire(const Point& point) {
  evaluate(point);
  bool any = false;
  for (std::size_t k = 0; k < now_.size(); ++k) {
    fired_[k] = ticked_[k] || (now_[k] && !was_[k]);
    any = any || fired_[k];
    ticked_[k] = 0;
  }
  was_ = now_;
  if (any) last_ = fired_;
  return any;
}

void EventHandler::remember(std::span<const double> values) {
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const Events::Previous& p = model_.events.previous[k];
    before_[k] = p.of == kNone ? 0.0 : p.negated ? 0.0 - values[p.of] : values[p.of];
  }
}

void EventHandler::recall(std::span<double> values) const {
  for (std::size_t k = 0; k < before_.size(); ++k) values[model_.events.previous[k].variable] = before_[k];
}

bool EventHandler::catch_up(std::span<double> values) const {
  bool matters = false;
  for (const Events::Previous& p : model_.events.previous) {
    const double now = p.of == kNone ? 0.0 : p.negated ? 0.0 - values[p.of] : values[p.of];
    double& before = values[p.variable];
    matters = matters || (before != now && read_[p.variable]);
    before = now;
  }
  return matters;
}

bool EventHandler::assign(const Point& point, std::span<const double> nominal, bool again) {
  if (!again) std::ranges::fill(assigned_, std::uint8_t(0));
  bool any = false;
  std::size_t first = 0;
  // All values are computed before one is assigned: a round does not depend on the order of its lines.
  std::vector<std::pair<std::uint32_t, double>> changes;
  for (std::uint32_t r : model_.events.values) {
    const KernelBatch& batch = model_.batches[r];
    const Effect* effects = model_.events.effects.data() + first;
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
        const double old = point.values[v];
        const bool same =
            again ? std::abs(value - old) <= kSame * std::max(std::abs(old), nominal[v]) : value == old;
        assigned_[v] = 1;
        if (!same) changes.emplace_back(v, value);
      }
    }
  }
  for (auto [variable, value] : changes) {
    point.values[variable] = value;
    any = true;
    changed_ = changed_ || read_[variable];
  }
  return any;
}

std::optional<std::uint32_t> EventHandler::ended() const {
  for (std::uint32_t t : model_.events.last)
    if (now_[t]) return t;
  return std::nullopt;
}

Failure EventHandler::failed(FailureKind kind, double time) const {
  Failure failure{.kind = kind, .time = time};
  for (std::uint32_t t = 0; t < last_.size() && failure.triggers.size() < kFailureDetails; ++t)
    if (last_[t]) failure.triggers.push_back(t);
  for (std::uint32_t v = 0; v < assigned_.size() && failure.variables.size() < kFailureDetails; ++v)
    if (assigned_[v]) failure.variables.push_back({v, 0, 0});
  return failure;
}

}  // namespace runtime
