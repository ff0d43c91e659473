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
  each_part(count_ < kFewestForThreads ? nullptr : whole_.thread_pool, groups_.size(),
            1 + groups_.size() / kParts, [&](std::size_t begin, std::size_t end) {
              for (std::size_t f = begin; f < end; ++f) body(*groups_[f]);
            });
}

std::uint32_t ExactComponents::find(const Submodel& part) const {
  const auto [first, last] = last_groups_.equal_range(hash_of(part.structure));
  for (auto it = first; it != last; ++it)
    if (groups_[it->second]->part.structure == part.structure) return it->second;
  return kNone;
}

bool ExactComponents::add(const Submodel& part, std::uint32_t id, bool in_order, double time) {
  std::uint32_t form_number = find(part);
  if (form_number == kNone || groups_[form_number]->full()) {
    const std::uint32_t group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(std::make_unique<Group>(part, whole_, times_));
    if (form_number == kNone) {
      last_groups_.emplace(hash_of(part.structure), group);
      groups_.back()->is_first = true;
    } else {
      const auto [first, last] = last_groups_.equal_range(hash_of(part.structure));
      std::ranges::find(first, last, form_number, [](const auto& entry) { return entry.second; })->second =
          group;
    }
    form_number = group;
  }
  Group* group = groups_[form_number].get();
  const std::size_t component = group->append(part, whole_);
  ++count_;
  group->ids.push_back(id);
  group->in_order.push_back(in_order);
  if (!group->events.resume(time, group->instance.failure()) || !group->begin_piece(component, time))
    return fail(*group, component, time);
  group->events.handler().note_constant();
  group->save(component);
  queued_ += in_order;
  if (in_order && group->pieces[component].end < kNever)
    queue_.push({group->pieces[component].end, form_number, static_cast<std::uint32_t>(component)});
  return true;
}

void ExactComponents::keep_order(JoinedReports* reports) {
  queued_ = count_;
  for (std::uint32_t f = 0; f < groups_.size(); ++f) {
    Group& group = *groups_[f];
    if (reports) {
      group.report.target = reports;
      group.events.report_to(&group.report);
    }
    for (std::uint32_t k = 0; k < group.pieces.size(); ++k)
      if (group.pieces[k].end < kNever && !group.in_order[k]) queue_.push({group.pieces[k].end, f, k});
  }
}

void ExactComponents::store_reports(JoinedReports& reports, StoredReports& others, double time) {
  reports_ = &reports;
  reported_ = time;
  double first = kNever;
  stored_.push_back(&others);
  for (const std::unique_ptr<Group>& group : groups_) {
    group->report.stored = &group->stored;
    group->events.report_to(&group->report);
    stored_.push_back(&group->stored);
    for (const Group::Piece& piece : group->pieces) first = std::min(first, piece.end);
  }
  // Not zero, as `advance` doubles it.
  part_ = std::max({first - time, 16 * kEpsilon * std::abs(time), std::numeric_limits<double>::min()});
}

/// The events of a component until this time. Of the whole model it reads what the component has in common
/// with others, alone. False: the failure of the instance, at the end of its piece.
bool ExactComponents::process(Group& group, std::size_t component, double until) {
  group.load(component);
  if (group.common()) group.load_common(component, whole_);
  group.report.part = 1 + group.ids[component];
  group.report.variables = group.numbers_of(group.variables, component, group.instance.values.size());
  group.report.crossings = group.numbers_of(group.crossings, component, group.part.crossings.size());
  group.report.triggers = group.numbers_of(group.triggers, component, group.part.triggers.size());
  Group::Piece& piece = group.pieces[component];
  while (piece.end <= until) {
    bool changed = false;
    if (!group.process(component, changed)) return false;
    group.changes += changed;
  }
  group.save(component);
  return true;
}

/// The event of the component that is next, one at a time, as others may have one before it has another; with
/// those of other components at the same instant if sinks read them.
bool ExactComponents::process_next() {
  simultaneous_.assign(1, queue_.top());
  queue_.pop();
  const Next first = simultaneous_[0];
  if (groups_[first.group]->in_order[first.component]) take_simultaneous(first.time);
  const Timer timer;
  bool fine = true;
  if (simultaneous_.size() == 1) {
    Group& group = *groups_[first.group];
    const std::uint64_t before = group.changes;
    fine = process(group, first.component, first.time) || fail(group, first.component, first.time);
    if (fine) write(group, first.component);
    events_ += group.changes - before;
  } else {
    fine = process_together();
  }
  for (Next next : simultaneous_) {
    next.time = groups_[next.group]->pieces[next.component].end;
    if (next.time < kNever) queue_.push(next);
  }
  groups_[first.group]->seconds += timer.seconds();
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
  each_group([&](Group& group) {
    if (!group.common()) process_group(group, time);
  });
  for (const std::unique_ptr<Group>& group : groups_) {
    if (group->common()) process_group(*group, time);
    if (!finish_group(*group)) return false;
  }
  return true;
}

/// The events of a group until this time, up to its first failure. What components have in common goes from
/// one to the next by the whole model.
void ExactComponents::process_group(Group& group, double until) {
  const Timer timer;
  group.due.clear();
  for (std::uint32_t k = 0; k < group.pieces.size(); ++k)
    if (group.pieces[k].end <= until) group.due.push_back(k);
  for (std::size_t at = 0; at < group.due.size() && !group.failed; ++at) {
    const std::uint32_t k = group.due[at];
    if (at + 1 < group.due.size()) group.prefetch(group.due[at + 1]);
    if (!process(group, k, until))
      group.failed = k;
    else if (group.common())
      write(group, k);
    else
      group.processed.push_back(k);
  }
  group.seconds += timer.seconds();
}

void ExactComponents::find_interrupted(std::span<std::uint8_t> triggers) const {
  for (std::size_t t = 0; t < interrupted_.size(); ++t) triggers[t] |= interrupted_[t];
  for (const std::unique_ptr<Group>& group : groups_) {
    const std::vector<std::uint32_t>& of = group->part.model.events.condition_triggers;
    for (std::size_t k = 0; !of.empty() && k < group->components(); ++k) {
      group->load(k);
      const auto numbers = group->numbers_of(group->triggers, k, group->part.triggers.size());
      for (std::size_t c = 0; c < of.size(); ++c)
        if (!group->events.handler().constant()[c]) triggers[numbers[of[c]]] = 1;
    }
  }
}

/// Counts its events and writes what they changed.
bool ExactComponents::finish_group(Group& group) {
  for (const std::uint32_t k : group.processed) write(group, k);
  group.processed.clear();
  events_ += group.changes - std::exchange(group.counted_changes, group.changes);
  return !group.failed || fail(group, *group.failed, group.pieces[*group.failed].end);
}

bool ExactComponents::evaluate(double time) {
  each_group([&](Group& group) { group.failed = group.write_states(time, whole_.values); });
  for (const std::unique_ptr<Group>& group : groups_)
    if (group->failed) return fail_not_finite(*group, *group->failed, time);
  return true;
}

bool ExactComponents::evaluate_shown(double time) {
  return std::ranges::all_of(
      shown_, [&](const Next& at) { return evaluate(*groups_[at.group], at.component, time); });
}

void ExactComponents::show(std::span<const std::uint8_t> variables) {
  shown_.clear();
  for (std::uint32_t f = 0; f < groups_.size(); ++f)
    for (std::uint32_t k = 0; k < groups_[f]->components(); ++k) {
      bool any = false;
      for (std::size_t j = 0; j < groups_[f]->states(); ++j)
        any = any || variables[groups_[f]->number_of_state(k, j)];
      if (any) shown_.push_back({0, f, k});
    }
}

bool ExactComponents::evaluate(Group& group, std::size_t component, double time) {
  states_.resize(group.states());
  group.states_at(component, time, states_.data());
  for (std::size_t j = 0; j < states_.size(); ++j) {
    whole_.values[group.number_of_state(component, j)] = states_[j];
    if (!std::isfinite(states_[j])) return fail_not_finite(group, component, time);
  }
  return true;
}

/// A state, as the whole model has it, is not finite.
bool ExactComponents::fail_not_finite(Group& group, std::size_t component, double time) {
  for (std::size_t j = 0; j < group.states(); ++j) {
    const double value = whole_.values[group.number_of_state(component, j)];
    if (std::isfinite(value)) continue;
    group.instance.failure() = Failure{.kind = FailureKind::NotFinite, .unknowns = 1};
    group.instance.failure().variables.push_back({group.part.model.states[j].variable, value, 0});
    break;
  }
  return fail(group, component, time);
}

/// What events have changed, of a component that is saved.
void ExactComponents::write(const Group& group, std::size_t component) {
  const std::uint32_t* variables = group.variables.data() + component * group.instance.values.size();
  const std::uint32_t* parameters = group.parameters.data() + component * group.instance.parameters.size();
  const double *values = group.values_of(component), *held = group.parameters_of(component);
  for (const std::uint32_t v : group.written_variables) whole_.values[variables[v]] = values[v];
  for (const std::uint32_t p : group.written_parameters) whole_.parameters[parameters[p]] = held[p];
}

bool ExactComponents::fail(const Group& group, std::size_t component, double time) {
  failed_ = {group.instance.failure(), {group.ids[component]}, &group.part};
  failed_.failure.time = time;
  return false;
}

}  // namespace runtime
