#include "runtime/components/exact_components.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/thread_pool.h"
#include "runtime/timer.h"

namespace runtime {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Groups are dealt out in about so many parts.
constexpr std::size_t kParts = 256;
// Reports that are stored before they are passed on.
constexpr std::size_t kStored = 1 << 16;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::uint64_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  return hash;
}

}  // namespace

/// Calls the body for each group, in several threads.
template <class Body>
void ExactComponents::each_group(const Body& body) {
  each_part(count_ < kFewestForThreads ? nullptr : whole_.thread_pool, forms_.size(),
            1 + forms_.size() / kParts, [&](std::size_t begin, std::size_t end) {
              for (std::size_t f = begin; f < end; ++f) body(*forms_[f]);
            });
}

std::uint32_t ExactComponents::find(const Submodel& part) const {
  const auto [first, last] = form_of_.equal_range(hash_of(part.structure));
  for (auto it = first; it != last; ++it)
    if (forms_[it->second]->part.structure == part.structure) return it->second;
  return kNone;
}

bool ExactComponents::add(const Submodel& part, std::uint32_t id, bool in_order, double time) {
  std::uint32_t form_number = find(part);
  if (form_number == kNone || forms_[form_number]->full()) {
    const std::uint32_t group = static_cast<std::uint32_t>(forms_.size());
    forms_.push_back(std::make_unique<Form>(part, whole_, times_));
    if (form_number == kNone) {
      form_of_.emplace(hash_of(part.structure), group);
      forms_.back()->is_first = true;
    } else {
      const auto [first, last] = form_of_.equal_range(hash_of(part.structure));
      std::ranges::find(first, last, form_number, [](const auto& entry) { return entry.second; })->second =
          group;
    }
    form_number = group;
  }
  Form* form = forms_[form_number].get();
  const std::size_t component = form->append(part, whole_);
  ++count_;
  form->ids.push_back(id);
  form->in_order.push_back(in_order);
  if (!form->events.resume(time, form->instance.failure()) || !form->begin_piece(component, time))
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

void ExactComponents::store_reports(JoinedReports& reports, StoredReports& others, double time) {
  reports_ = &reports;
  reported_ = time;
  double first = kNever;
  stored_.push_back(&others);
  for (const std::unique_ptr<Form>& form : forms_) {
    form->report.stored = &form->stored;
    form->events.report_to(&form->report);
    stored_.push_back(&form->stored);
    for (const Form::Piece& piece : form->pieces) first = std::min(first, piece.end);
  }
  part_ = std::max(first - time, 16 * kEpsilon * std::abs(time));
}

/// The events of a component until this time. Of the whole model it reads what the component has in common
/// with others, alone. False: the failure of the instance, at the end of its piece.
bool ExactComponents::process(Form& form, std::size_t component, double until) {
  form.load(component);
  if (form.common()) form.load_common(component, whole_);
  form.report.part = 1 + form.ids[component];
  form.report.variables = form.numbers_of(form.variables, component, form.instance.values.size());
  form.report.crossings = form.numbers_of(form.crossings, component, form.part.crossings.size());
  form.report.triggers = form.numbers_of(form.triggers, component, form.part.triggers.size());
  Form::Piece& piece = form.pieces[component];
  while (piece.end <= until) {
    bool changed = false;
    if (!form.process(component, changed)) return false;
    form.changes += changed;
  }
  form.save(component);
  return true;
}

/// The event of the component that is next, one at a time, as others may have one before it has another; with
/// those of other components at the same instant if sinks read them.
bool ExactComponents::process_next() {
  simultaneous_.assign(1, queue_.top());
  queue_.pop();
  const Next first = simultaneous_[0];
  if (forms_[first.form]->in_order[first.component]) take_simultaneous(first.time);
  const Timer timer;
  bool fine = true;
  if (simultaneous_.size() == 1) {
    Form& form = *forms_[first.form];
    const std::uint64_t before = form.changes;
    fine = process(form, first.component, first.time) || fail(form, first.component, first.time);
    if (fine) write(form, first.component);
    events_ += form.changes - before;
  } else {
    fine = process_together();
  }
  for (Next next : simultaneous_) {
    next.time = forms_[next.form]->pieces[next.component].end;
    if (next.time < kNever) queue_.push(next);
  }
  forms_[first.form]->seconds += timer.seconds();
  return fine;
}

/// Where reports are stored, in parts of the time that have about kStored of them.
bool ExactComponents::advance(double time, double margin) {
  if (!reports_) return advance_to(time + margin);
  for (bool last = false; !last;) {
    last = reported_ + part_ >= time;
    const double until = last ? time : reported_ + part_;
    if (!advance_to(last ? time + margin : until)) return false;
    reported_ = until;
    // What is at this time may be at the same instant as an event that follows.
    const std::size_t passed = pass_on(until - 16 * kEpsilon * std::abs(until));
    if (passed < kStored) part_ *= 2;
    if (passed > 4 * kStored) part_ /= 2;
  }
  return true;
}

bool ExactComponents::advance_to(double time) {
  while (!queue_.empty() && queue_.top().time <= time)
    if (!process_next()) return false;
  if (queued_ == count_) return true;
  each_group([&](Form& form) {
    if (!form.common()) process_group(form, time);
  });
  for (const std::unique_ptr<Form>& form : forms_) {
    if (form->common()) process_group(*form, time);
    if (!finish_group(*form)) return false;
  }
  return true;
}

/// The events of a group until this time, up to its first failure. What components have in common goes from
/// one to the next by the whole model.
void ExactComponents::process_group(Form& form, double until) {
  const Timer timer;
  form.due.clear();
  for (std::uint32_t k = 0; k < form.pieces.size(); ++k)
    if (form.pieces[k].end <= until) form.due.push_back(k);
  for (std::size_t at = 0; at < form.due.size() && !form.failed; ++at) {
    const std::uint32_t k = form.due[at];
    if (at + 1 < form.due.size()) form.prefetch(form.due[at + 1]);
    if (!process(form, k, until))
      form.failed = k;
    else if (form.common())
      write(form, k);
    else
      form.processed.push_back(k);
  }
  form.seconds += timer.seconds();
}

/// Counts its events and writes what they changed.
bool ExactComponents::finish_group(Form& form) {
  for (const std::uint32_t k : form.processed) write(form, k);
  form.processed.clear();
  events_ += form.changes - std::exchange(form.counted_changes, form.changes);
  return !form.failed || fail(form, *form.failed, form.pieces[*form.failed].end);
}

bool ExactComponents::evaluate(double time) {
  each_group([&](Form& form) { form.failed = form.write_states(time, whole_.values); });
  for (const std::unique_ptr<Form>& form : forms_)
    if (form->failed) return fail_not_finite(*form, *form->failed, time);
  return true;
}

bool ExactComponents::evaluate_shown(double time) {
  return std::ranges::all_of(shown_,
                             [&](const Next& at) { return evaluate(*forms_[at.form], at.component, time); });
}

void ExactComponents::show(std::span<const std::uint8_t> variables) {
  shown_.clear();
  for (std::uint32_t f = 0; f < forms_.size(); ++f)
    for (std::uint32_t k = 0; k < forms_[f]->components(); ++k) {
      bool any = false;
      for (std::size_t j = 0; j < forms_[f]->states(); ++j)
        any = any || variables[forms_[f]->number_of_state(k, j)];
      if (any) shown_.push_back({0, f, k});
    }
}

bool ExactComponents::evaluate(Form& form, std::size_t component, double time) {
  states_.resize(form.states());
  form.states_at(component, time, states_.data());
  for (std::size_t j = 0; j < states_.size(); ++j) {
    whole_.values[form.number_of_state(component, j)] = states_[j];
    if (!std::isfinite(states_[j])) return fail_not_finite(form, component, time);
  }
  return true;
}

/// A state, as the whole model has it, is not finite.
bool ExactComponents::fail_not_finite(Form& form, std::size_t component, double time) {
  for (std::size_t j = 0; j < form.states(); ++j) {
    const double value = whole_.values[form.number_of_state(component, j)];
    if (std::isfinite(value)) continue;
    form.instance.failure() = Failure{.kind = FailureKind::NotFinite, .unknowns = 1};
    form.instance.failure().variables.push_back({form.part.model.states[j].variable, value, 0});
    break;
  }
  return fail(form, component, time);
}

/// What events have changed, of a component that is saved.
void ExactComponents::write(const Form& form, std::size_t component) {
  const std::uint32_t* variables = form.variables.data() + component * form.instance.values.size();
  const std::uint32_t* parameters = form.parameters.data() + component * form.instance.parameters.size();
  const double *values = form.values_of(component), *held = form.parameters_of(component);
  for (const std::uint32_t v : form.written_variables) whole_.values[variables[v]] = values[v];
  for (const std::uint32_t p : form.written_parameters) whole_.parameters[parameters[p]] = held[p];
}

bool ExactComponents::fail(const Form& form, std::size_t component, double time) {
  failed_ = {form.instance.failure(), {form.ids[component]}, &form.part};
  failed_.failure.time = time;
  return false;
}

}  // namespace runtime
