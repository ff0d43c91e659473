#include "runtime/components/exact_components.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// As for the whole model (time_loop.cpp): events that do not advance time come to no end.
constexpr double kStuckAdvance = 1e-9;
constexpr std::uint32_t kCloseEvents = 1000;

std::uint64_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  return hash;
}

/// A power of two near the magnitude: sums and quotients with it lose little.
double power_of_two(double magnitude) { return std::ldexp(1.0, std::ilogb(magnitude) + 1); }

template <class T>
void sort_unique(std::vector<T>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

template <class T>
std::vector<T> gathered(const std::vector<T>& whole, std::span<const std::uint32_t> numbers) {
  std::vector<T> own;
  own.reserve(numbers.size());
  for (const std::uint32_t k : numbers) own.push_back(whole[k]);
  return own;
}

}  // namespace

double ExactComponents::Piece::at(double time) const {
  const double s = time - start, z = coefficient * s;
  if (rate == 0 || s == 0) return x;
  return x + rate * s * (z == 0 ? 1.0 : std::expm1(z) / z);
}

ExactComponents::Form::Form(const Submodel& p, const ModelInstance& whole, double moment)
    : part([&] {
        Submodel own = p;
        own.link(whole.model);
        return own;
      }()),
      instance(part.model, gathered(whole.parameters, part.parameters),
               gathered(whole.nominal, part.variables)),
      events(instance, moment),
      state(part.model.states[0].variable),
      derivative(part.model.states[0].derivative),
      stride(2 * part.variables.size() + part.parameters.size() + events.memory_size()) {
  const Model& model = part.model;
  for (const Effect& effect : model.events.effects) written_variables.push_back(effect.variable);
  for (const Events::Previous& p : model.events.previous) written_variables.push_back(p.variable);
  sort_unique(written_variables);
  for (const ZeroCrossing& crossing : model.zero_crossings)
    for (std::uint32_t row = 0; row < model.batches[crossing.batch].count; ++row)
      written_parameters.push_back(crossing.first + row);
}

void ExactComponents::Form::load(std::size_t component) {
  const double* from = numbers.data() + component * stride;
  std::copy_n(from, instance.values.size(), instance.values.begin());
  from += instance.values.size();
  std::copy_n(from, instance.nominal.size(), instance.nominal.begin());
  from += instance.nominal.size();
  std::copy_n(from, instance.parameters.size(), instance.parameters.begin());
  events.load(from + instance.parameters.size());
}

void ExactComponents::Form::save(std::size_t component) {
  double* to = numbers.data() + component * stride;
  to = std::ranges::copy(instance.values, to).out;
  to = std::ranges::copy(instance.nominal, to).out;
  to = std::ranges::copy(instance.parameters, to).out;
  events.save(to);
}

/// Evaluates everything and the differences at the current value of the state.
bool ExactComponents::Form::evaluate(double time) {
  const Point point = instance.point(time);
  if (!instance.evaluator.run(instance.model.dynamic, point) ||
      !instance.evaluator.run(instance.model.compared, point))
    return false;
  events.zero_crossings().functions().evaluate(point);
  return true;
}

/// The instant at the end of the piece of a component that is loaded.
bool ExactComponents::Form::process(std::size_t component, double range, bool& changed) {
  Piece& piece = pieces[component];
  const double time = piece.end;
  instance.values[state] = piece.at(time);
  if (!evaluate(time)) return false;
  ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  directions.assign(functions.watched().size(), 0);
  for (std::uint32_t w = 0; w < directions.size(); ++w) {
    const std::uint32_t k = functions.watched()[w];
    const bool below = functions.held(k, instance.parameters) != 0;
    const double difference = functions.differences()[k];
    if (w == piece.watched || (below ? difference > 0 : difference < 0)) directions[w] = below ? 1 : -1;
  }
  if (piece.watched == kNone && std::ranges::count(directions, 0) == std::ssize(directions))
    directions.clear();
  if (!events.process(time, directions, changed)) return false;
  if (time - piece.event_mark > kStuckAdvance * range) {
    piece.event_mark = time;
    piece.close_events = 0;
    events.begin_sequence();
  } else if (++piece.close_events >= kCloseEvents) {
    instance.failure() = events.endless_sequence(time);
    instance.failure().step = time - piece.event_mark;
    return false;
  }
  return begin_piece(piece, time);
}

/// From the consistent values of the instance, at which everything is evaluated.
bool ExactComponents::Form::begin_piece(Piece& piece, double time) {
  events.zero_crossings().functions().evaluate(instance.point(time));
  before = instance.values;
  const std::vector<double>& now = events.zero_crossings().functions().differences();
  differences = now;
  piece.start = time;
  piece.x = before[state];
  piece.rate = before[derivative];
  double distance = power_of_two(std::max(std::abs(piece.x), instance.nominal[state]));
  auto evaluate_at = [&] {
    instance.values[state] = piece.x + distance;
    if (!evaluate(time)) return false;
    piece.coefficient = (instance.values[derivative] - piece.rate) / distance;
    return true;
  };
  bool fine = evaluate_at();
  // The rounding error of the rate is small beside a change by the distance to the equilibrium.
  const double equilibrium = std::abs(piece.rate / piece.coefficient);
  if (fine && equilibrium > 4 * distance && equilibrium < 1e9 * distance) {
    distance = power_of_two(equilibrium);
    fine = evaluate_at();
  }
  std::ranges::copy(before, instance.values.begin());
  if (!fine) return false;
  if (!std::isfinite(piece.x) || !std::isfinite(piece.rate) || !std::isfinite(piece.coefficient)) {
    instance.failure() = Failure{.kind = FailureKind::NotFinite, .time = time, .unknowns = 1};
    instance.failure().variables.push_back({state, piece.x, 0});
    return false;
  }
  find_end(piece, now, distance);
  const double next = events.next_time_event(time);
  if (next <= piece.end) {
    piece.end = next;
    piece.watched = kNone;
  }
  return true;
}

/// Where the first watched difference crosses zero: `differences` now, `later` with the state changed by the
/// distance.
void ExactComponents::Form::find_end(Piece& piece, std::span<const double> later, double distance) {
  piece.end = kNever;
  piece.watched = kNone;
  if (piece.rate == 0) return;
  ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  for (std::uint32_t w = 0; w < functions.watched().size(); ++w) {
    const std::uint32_t k = functions.watched()[w];
    const double difference = differences[k], slope = (later[k] - difference) / distance;
    const double side = functions.held(k, instance.parameters) != 0 ? -1.0 : 1.0;
    if (!(side * slope * piece.rate < 0)) continue;  // it does not move towards the other side
    double end = piece.start;
    if (side * difference > 0) {
      const double change = -difference / slope / piece.rate, z = piece.coefficient * change;
      if (!(z > -1)) continue;  // beyond the equilibrium
      end += change * (z == 0 ? 1.0 : std::log1p(z) / z);
    }
    if (end < piece.end) {
      piece.end = end;
      piece.watched = w;
    }
  }
}

ExactComponents::Form* ExactComponents::find(const Submodel& part) const {
  const auto [first, last] = form_of_.equal_range(hash_of(part.structure));
  for (auto it = first; it != last; ++it)
    if (forms_[it->second]->part.structure == part.structure) return forms_[it->second].get();
  return nullptr;
}

bool ExactComponents::add(const Submodel& part, std::uint32_t id, double time) {
  Form* form = find(part);
  if (!form) {
    form_of_.emplace(hash_of(part.structure), static_cast<std::uint32_t>(forms_.size()));
    form = forms_.emplace_back(std::make_unique<Form>(part, whole_, moment_)).get();
  }
  const std::size_t component = form->pieces.size();
  ++count_;
  form->pieces.emplace_back();
  form->ids.push_back(id);
  form->numbers.resize(form->numbers.size() + form->stride);
  auto append = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(form->variables, part.variables);
  append(form->parameters, part.parameters);
  append(form->crossings, part.crossings);
  append(form->triggers, part.triggers);
  ModelInstance& instance = form->instance;
  for (std::size_t k = 0; k < part.variables.size(); ++k) {
    instance.values[k] = whole_.values[part.variables[k]];
    instance.nominal[k] = whole_.nominal[part.variables[k]];
  }
  for (std::size_t k = 0; k < part.parameters.size(); ++k)
    instance.parameters[k] = whole_.parameters[part.parameters[k]];
  if (!form->events.resume(time, instance.failure()) || !form->begin_piece(form->pieces[component], time))
    return fail(*form, component, time);
  form->save(component);
  return true;
}

void ExactComponents::keep_order(JoinedReports* reports) {
  for (std::uint32_t f = 0; f < forms_.size(); ++f) {
    Form& form = *forms_[f];
    if (reports) {
      form.report.target = reports;
      form.events.report_to(&form.report);
    }
    for (std::uint32_t k = 0; k < form.pieces.size(); ++k)
      if (form.pieces[k].end < kNever) queue_.push({form.pieces[k].end, f, k});
  }
}

/// The events of a component until this time.
bool ExactComponents::process(Form& form, std::size_t component, double until) {
  form.load(component);
  form.report.part = 1 + form.ids[component];
  form.report.variables = form.numbers_of(form.variables, component, form.instance.values.size());
  form.report.crossings = form.numbers_of(form.crossings, component, form.part.crossings.size());
  form.report.triggers = form.numbers_of(form.triggers, component, form.part.triggers.size());
  Piece& piece = form.pieces[component];
  while (piece.end <= until) {
    bool changed = false;
    if (!form.process(component, range_, changed)) return fail(form, component, piece.end);
    events_ += changed;
  }
  form.save(component);
  write(form, component);
  return true;
}

bool ExactComponents::advance(double time, double margin) {
  while (!queue_.empty() && queue_.top().time <= time + margin) {
    Next next = queue_.top();
    queue_.pop();
    Form& form = *forms_[next.form];
    // One event at a time: others may have one before the next of this component.
    if (!process(form, next.component, next.time)) return false;
    next.time = form.pieces[next.component].end;
    if (next.time < kNever) queue_.push(next);
  }
  for (const std::unique_ptr<Form>& form : forms_)
    for (std::size_t k = 0; k < form->pieces.size(); ++k)
      if (form->pieces[k].end <= time + margin && !process(*form, k, time + margin)) return false;
  return evaluate(time);
}

bool ExactComponents::evaluate(double time) {
  for (const std::unique_ptr<Form>& each : forms_) {
    Form& form = *each;
    for (std::size_t k = 0; k < form.pieces.size(); ++k) {
      const Piece& piece = form.pieces[k];
      const double x = piece.at(std::max(time, piece.start));
      whole_.values[form.variables[k * form.instance.values.size() + form.state]] = x;
      if (std::isfinite(x)) continue;
      form.instance.failure() = Failure{.kind = FailureKind::NotFinite, .unknowns = 1};
      form.instance.failure().variables.push_back({form.state, x, 0});
      return fail(form, k, time);
    }
  }
  return true;
}

/// What events have changed.
void ExactComponents::write(const Form& form, std::size_t component) {
  const std::uint32_t* variables = form.variables.data() + component * form.instance.values.size();
  const std::uint32_t* parameters = form.parameters.data() + component * form.instance.parameters.size();
  for (const std::uint32_t v : form.written_variables) whole_.values[variables[v]] = form.instance.values[v];
  for (const std::uint32_t p : form.written_parameters)
    whole_.parameters[parameters[p]] = form.instance.parameters[p];
}

bool ExactComponents::fail(const Form& form, std::size_t component, double time) {
  failed_ = {form.instance.failure(), form.ids[component], &form.part};
  failed_.failure.time = time;
  return false;
}

}  // namespace runtime
