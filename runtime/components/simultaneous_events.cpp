// Events of several components at one instant, where a sink reads them: they are one event, so that handlers
// of both in one round are executed together. It is the instant of a model of all of them, from which each
// continues by itself.
#include <algorithm>
#include <cmath>

#include "runtime/components/exact_components.h"
#include "runtime/rounding.h"

namespace runtime {

/// Takes the other components that sinks read and that have their next event at this time from the queue.
void ExactComponents::take_simultaneous(double time) {
  aside_.clear();
  for (; !queue_.empty() && queue_.top().time <= just_after(time); queue_.pop()) {
    const Next& next = queue_.top();
    (groups_[next.group]->in_order[next.component] ? simultaneous_ : aside_).push_back(next);
  }
  for (const Next& next : aside_) queue_.push(next);
}

bool ExactComponents::process_together() {
  join();
  const double time = simultaneous_.back().time;  // the latest
  const bool fine = process_joined(time);
  const Group& joined = *together_;
  if (!fine) {
    failed_ = {joined.instance.failure(), together_ids_, &joined.part};
    failed_.failure.time = time;
    return false;
  }
  for (std::size_t k = 0; k < joined.part.variables.size(); ++k)
    whole_.values[joined.part.variables[k]] = joined.instance.values[k];
  for (const std::uint32_t p : joined.written_parameters)
    whole_.parameters[joined.part.parameters[p]] = joined.instance.parameters[p];
  return std::ranges::all_of(simultaneous_, [&](const Next& next) { return continue_apart(next, time); });
}

/// The model of all of them, with its values from the whole model; that of the last time, if it is the same.
void ExactComponents::join() {
  std::vector<std::uint32_t> ids;
  for (const Next& next : simultaneous_) ids.push_back(groups_[next.group]->ids[next.component]);
  std::ranges::sort(ids);
  if (ids != together_ids_) {
    Submodel part;
    extract_(ids, part);
    together_ = std::make_unique<Group>(part, whole_, times_);
    together_ids_ = std::move(ids);
    Group& joined = *together_;
    joined.report.part = 0;
    joined.report.target = groups_[0]->report.target;
    joined.report.stored = groups_[0]->report.stored;
    joined.report.variables = joined.part.variables;
    joined.report.crossings = joined.part.crossings;
    joined.report.triggers = joined.part.triggers;
    if (joined.report.target || joined.report.stored) joined.events.report_to(&joined.report);
  }
}

bool ExactComponents::process_joined(double time) {
  Group& joined = *together_;
  ModelInstance& instance = joined.instance;
  double last = -HUGE_VAL;  // the last event of any of them: until then ticks are processed
  crossed_.clear();
  for (const Next& next : simultaneous_) {
    Group& group = *groups_[next.group];
    const Group::Piece& piece = group.pieces[next.component];
    last = std::max(last, piece.start);
    if (!piece.ends_by_crossing()) continue;
    const std::uint32_t k = group.events.zero_crossings().functions().watched()[piece.watched];
    crossed_.push_back(group.numbers_of(group.crossings, next.component, group.part.crossings.size())[k]);
  }
  std::ranges::sort(crossed_);
  auto load_states = [&](double at) {
    for (const Next& next : simultaneous_) {
      Group& group = *groups_[next.group];
      states_.resize(group.states());
      group.states_at(next.component, at, states_.data());
      for (std::size_t j = 0; j < states_.size(); ++j)
        whole_.values[group.number_of_state(next.component, j)] = states_[j];
    }
    for (const State& state : joined.part.model.states)
      instance.values[state.variable] = whole_.values[joined.part.variables[state.variable]];
  };
  for (std::size_t k = 0; k < joined.part.variables.size(); ++k) {
    instance.values[k] = whole_.values[joined.part.variables[k]];
    instance.nominal[k] = whole_.nominal[joined.part.variables[k]];
  }
  for (std::size_t k = 0; k < joined.part.parameters.size(); ++k)
    instance.parameters[k] = whole_.parameters[joined.part.parameters[k]];
  load_states(last);
  if (!joined.events.resume(last, instance.failure(), true)) return false;
  joined.events.handler().note_constant();
  load_states(time);
  if (!joined.evaluate(time)) return false;
  const std::span<const std::uint32_t> watched = joined.events.zero_crossings().functions().watched();
  joined.find_directions([&](std::uint32_t w) {
    return std::ranges::binary_search(crossed_, joined.part.crossings[watched[w]]);
  });
  if (std::ranges::count(joined.directions, 0) == std::ssize(joined.directions)) joined.directions.clear();
  bool changed = false;
  if (!joined.events.process(time, joined.directions, changed, {.evaluated = true})) return false;
  interrupted_.resize(whole_.model.events.triggers, 0);
  const std::vector<std::uint32_t>& of = joined.part.model.events.condition_triggers;
  for (std::size_t c = 0; c < of.size(); ++c)
    if (!joined.events.handler().constant()[c]) interrupted_[joined.part.triggers[of[c]]] = 1;
  events_ += changed;
  return true;
}

/// From the values of the whole model, as the event has left them.
bool ExactComponents::continue_apart(const Next& next, double time) {
  Group& group = *groups_[next.group];
  const std::size_t k = next.component;
  group.load(k);
  const auto variables = group.numbers_of(group.variables, k, group.instance.values.size());
  const auto parameters = group.numbers_of(group.parameters, k, group.instance.parameters.size());
  for (std::size_t v = 0; v < variables.size(); ++v) group.instance.values[v] = whole_.values[variables[v]];
  for (std::size_t p = 0; p < parameters.size(); ++p)
    group.instance.parameters[p] = whole_.parameters[parameters[p]];
  if (!group.events.resume(time, group.instance.failure(), true)) return fail(group, k, time);
  group.load_memory_of_crossings(k);
  if (!group.advances(k, time) || !group.begin_piece(k, time)) return fail(group, k, time);
  group.save(k);
  return true;
}

}  // namespace runtime
