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
  for (const auto* steps : {&model.dynamic, &model.compared})
    for (const Step& step : *steps)
      for (std::uint32_t row = 0; step.kind == Step::Assign && row < model.batches[step.index].count; ++row)
        if (const std::uint32_t v = solved_variable(model, model.batches[step.index], row);
            std::ranges::binary_search(part.foreign_variables, v))
          written_variables.push_back(v);
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

/// What it has in common with others, from the whole model.
void ExactComponents::Form::load_common(std::size_t component, const ModelInstance& whole) {
  const auto of_variables = numbers_of(variables, component, instance.values.size());
  const auto of_parameters = numbers_of(parameters, component, instance.parameters.size());
  for (const std::uint32_t v : part.foreign_variables) instance.values[v] = whole.values[of_variables[v]];
  for (const std::uint32_t p : part.foreign_parameters)
    instance.parameters[p] = whole.parameters[of_parameters[p]];
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
  // Conditions of a sink are as the last event that activated it has left them.
  if (common()) events.handler().accept(instance.point(time));
  find_directions([&](std::uint32_t w) { return w == piece.watched; });
  if (piece.watched == kNone && std::ranges::count(directions, 0) == std::ssize(directions))
    directions.clear();
  return events.process(time, directions, changed, {.evaluated = true}) && advances(piece, time, range) &&
         begin_piece(piece, time);
}

void ExactComponents::Form::find_directions(const std::function<bool(std::uint32_t)>& crossed) {
  ZeroCrossingFunctions& functions = events.zero_crossings().functions();
  directions.assign(functions.watched().size(), 0);
  for (std::uint32_t w = 0; w < directions.size(); ++w) {
    const std::uint32_t k = functions.watched()[w];
    const bool below = functions.held(k, instance.parameters) != 0;
    const double difference = functions.differences()[k];
    if (crossed(w) || (below ? difference > 0 : difference < 0)) directions[w] = below ? 1 : -1;
  }
}

/// Counts events that do not advance time. False: they come to no end.
bool ExactComponents::Form::advances(Piece& piece, double time, double range) {
  if (time - piece.event_mark > kStuckAdvance * range) {
    piece.event_mark = time;
    piece.close_events = 0;
    events.begin_sequence();
  } else if (++piece.close_events >= kCloseEvents) {
    instance.failure() = events.endless_sequence(time);
    instance.failure().step = time - piece.event_mark;
    return false;
  }
  return true;
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
  // The rounding error of the rate is small beside a change by the distance to the equilibrium.
  auto is_close = [&] {
    const double equilibrium = std::abs(piece.rate / piece.coefficient);
    if (!(equilibrium > 4 * distance && equilibrium < 1e9 * distance)) return false;
    distance = power_of_two(equilibrium);
    return true;
  };
  is_close();  // by the coefficient of the last piece, which is often the same
  auto evaluate_at = [&] {
    instance.values[state] = piece.x + distance;
    if (!evaluate(time)) return false;
    piece.coefficient = (instance.values[derivative] - piece.rate) / distance;
    return true;
  };
  bool fine = evaluate_at();
  if (fine && is_close()) fine = evaluate_at();
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

std::uint32_t ExactComponents::find(const Submodel& part) const {
  const auto [first, last] = form_of_.equal_range(hash_of(part.structure));
  for (auto it = first; it != last; ++it)
    if (forms_[it->second]->part.structure == part.structure) return it->second;
  return kNone;
}

bool ExactComponents::add(const Submodel& part, std::uint32_t id, bool in_order, double time) {
  std::uint32_t form_number = find(part);
  if (form_number == kNone) {
    form_number = static_cast<std::uint32_t>(forms_.size());
    form_of_.emplace(hash_of(part.structure), form_number);
    forms_.push_back(std::make_unique<Form>(part, whole_, moment_));
  }
  Form* form = forms_[form_number].get();
  const std::size_t component = form->pieces.size();
  ++count_;
  form->pieces.emplace_back();
  form->ids.push_back(id);
  form->in_order.push_back(in_order);
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
  queued_ += in_order;
  if (in_order && form->pieces[component].end < kNever)
    queue_.push({form->pieces[component].end, form_number, static_cast<std::uint32_t>(component)});
  return true;
}

void ExactComponents::keep_order(JoinedReports* reports) {
  queued_ = count_;
  for (std::uint32_t f = 0; f < forms_.size(); ++f) {
    Form& form = *forms_[f];
    if (reports) {
      form.report.target = reports;
      form.events.report_to(&form.report);
    }
    for (std::uint32_t k = 0; k < form.pieces.size(); ++k)
      if (form.pieces[k].end < kNever && !form.in_order[k]) queue_.push({form.pieces[k].end, f, k});
  }
}

/// The events of a component until this time.
bool ExactComponents::process(Form& form, std::size_t component, double until) {
  form.load(component);
  if (form.common()) form.load_common(component, whole_);
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

/// The event of the component that is next, one at a time, as others may have one before it has another; with
/// those of other components at the same instant if sinks read them.
bool ExactComponents::process_next() {
  simultaneous_.assign(1, queue_.top());
  queue_.pop();
  const Next first = simultaneous_[0];
  if (forms_[first.form]->in_order[first.component]) take_simultaneous(first.time);
  const bool fine = simultaneous_.size() == 1 ? process(*forms_[first.form], first.component, first.time)
                                              : process_together();
  for (Next next : simultaneous_) {
    next.time = forms_[next.form]->pieces[next.component].end;
    if (next.time < kNever) queue_.push(next);
  }
  return fine;
}

bool ExactComponents::advance(double time, double margin) {
  while (!queue_.empty() && queue_.top().time <= time + margin)
    if (!process_next()) return false;
  if (queued_ == count_) return true;
  for (const std::unique_ptr<Form>& form : forms_)
    for (std::size_t k = 0; k < form->pieces.size(); ++k)
      if (form->pieces[k].end <= time + margin && !process(*form, k, time + margin)) return false;
  return true;
}

bool ExactComponents::evaluate(double time) {
  for (const std::unique_ptr<Form>& form : forms_)
    for (std::size_t k = 0; k < form->pieces.size(); ++k)
      if (!evaluate(*form, k, time)) return false;
  return true;
}

bool ExactComponents::evaluate_shown(double time) {
  return std::ranges::all_of(shown_,
                             [&](const Next& at) { return evaluate(*forms_[at.form], at.component, time); });
}

void ExactComponents::show(std::span<const std::uint8_t> variables) {
  shown_.clear();
  for (std::uint32_t f = 0; f < forms_.size(); ++f)
    for (std::uint32_t k = 0; k < forms_[f]->pieces.size(); ++k)
      if (variables[forms_[f]->number_of_state(k)]) shown_.push_back({0, f, k});
}

bool ExactComponents::evaluate(Form& form, std::size_t component, double time) {
  const Piece& piece = form.pieces[component];
  const double x = piece.at(std::max(time, piece.start));
  whole_.values[form.number_of_state(component)] = x;
  if (std::isfinite(x)) return true;
  form.instance.failure() = Failure{.kind = FailureKind::NotFinite, .unknowns = 1};
  form.instance.failure().variables.push_back({form.state, x, 0});
  return fail(form, component, time);
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
  failed_ = {form.instance.failure(), {form.ids[component]}, &form.part};
  failed_.failure.time = time;
  return false;
}

}  // namespace runtime
