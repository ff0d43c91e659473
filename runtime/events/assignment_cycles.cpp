#include "runtime/events/assignment_cycles.h"

#include <algorithm>

#include "runtime/solve/schedule.h"

namespace runtime {

AssignmentCycles::AssignmentCycles(const Model& model) {
  add_edges(model);
  left_.assign(effects_.size(), 1);
  leave_cycles([](const Edge&) { return true; });
  // What can be in no cycle is left out for good.
  std::vector<std::uint32_t> place(effects_.size(), kNone);
  std::vector<std::uint32_t> effects, triggers;
  for (std::uint32_t k = 0; k < effects_.size(); ++k) {
    if (!left_[k]) continue;
    place[k] = static_cast<std::uint32_t>(effects.size());
    effects.push_back(effects_[k]);
    triggers.push_back(triggers_[k]);
  }
  std::erase_if(edges_, [&](const Edge& e) { return !left_[e.reader] || !left_[e.assigner]; });
  for (Edge& e : edges_) e = {place[e.reader], place[e.assigner]};
  effects_ = std::move(effects);
  triggers_ = std::move(triggers);
}

/// An edge for each assignment that reads a variable and each that assigns it.
void AssignmentCycles::add_edges(const Model& model) {
  const std::vector<Effect>& effects = model.events.effects;
  if (effects.empty()) return;
  std::vector<std::uint32_t> first(std::size_t{model.variables} + 1, 0), of(effects.size());
  for (const Effect& e : effects) ++first[e.variable + 1];
  for (std::uint32_t v = 0; v < model.variables; ++v) first[v + 1] += first[v];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t e = 0; e < effects.size(); ++e) of[next[effects[e].variable]++] = e;

  std::uint32_t effect = 0;
  auto reads = [&](std::uint32_t variable) {
    for (std::uint32_t k = first[variable]; k < first[variable + 1]; ++k) edges_.push_back({effect, of[k]});
  };
  for (const std::uint32_t r : model.events.values) {
    const KernelBatch& batch = model.batches[r];
    for (std::uint32_t row = 0; row < batch.count; ++row, ++effect)
      if (batch.kernel == kNone) {
        const SumTable sums(model, batch);
        for (std::uint32_t k = sums.offsets[row]; k < sums.offsets[row + 1]; ++k) reads(sums.terms[k] >> 1);
      } else {
        for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
          reads(slot_variable(model, batch, slot, row));
      }
  }
  if (edges_.empty()) return;
  for (std::uint32_t e = 0; e < effects.size(); ++e) {
    effects_.push_back(e);
    triggers_.push_back(effects[e].trigger);
  }
}

/// Removes from `left_`, again and again, what reads none of the others or is read by none of them: cycles,
/// and what lies between them, are left. `counts`: whether an edge between two that are left does.
template <class Counts>
void AssignmentCycles::leave_cycles(const Counts& counts) {
  readers_.assign(effects_.size(), 0);
  assigners_.assign(effects_.size(), 0);
  for (const Edge& e : edges_)
    if (left_[e.reader] && left_[e.assigner] && counts(e)) ++assigners_[e.reader], ++readers_[e.assigner];
  std::vector<std::uint32_t> by_assigner(edges_.size());  // edges
  std::vector<std::uint32_t> first_read(effects_.size() + 1, 0), first_reading(effects_.size() + 1, 0);
  for (const Edge& e : edges_) ++first_read[e.assigner + 1], ++first_reading[e.reader + 1];
  for (std::size_t k = 0; k < effects_.size(); ++k)
    first_read[k + 1] += first_read[k], first_reading[k + 1] += first_reading[k];
  std::vector<std::uint32_t> next(first_read.begin(), first_read.end() - 1);
  for (std::uint32_t e = 0; e < edges_.size(); ++e) by_assigner[next[edges_[e].assigner]++] = e;

  std::vector<std::uint32_t> work;
  auto remove = [&](std::uint32_t k) {
    if (!left_[k] || (readers_[k] != 0 && assigners_[k] != 0)) return;
    left_[k] = 0;
    work.push_back(k);
  };
  for (std::uint32_t k = 0; k < effects_.size(); ++k) remove(k);
  while (!work.empty()) {
    const std::uint32_t k = work.back();
    work.pop_back();
    for (std::uint32_t e = first_read[k]; e < first_read[k + 1]; ++e) {
      const std::uint32_t reader = edges_[by_assigner[e]].reader;
      if (left_[reader] && counts(edges_[by_assigner[e]])) --assigners_[reader], remove(reader);
    }
    for (std::uint32_t e = first_reading[k]; e < first_reading[k + 1]; ++e) {
      const std::uint32_t assigner = edges_[e].assigner;
      if (left_[assigner] && counts(edges_[e])) --readers_[assigner], remove(assigner);
    }
  }
}

/// Finds the first cycle among those that are left: each of these reads another one, so following them comes
/// round.
template <class Counts>
void AssignmentCycles::follow(const Counts& counts) {
  cycle_.clear();
  auto at = static_cast<std::uint32_t>(std::ranges::find(left_, std::uint8_t(1)) - left_.begin());
  if (at == left_.size()) return;
  std::vector<std::uint32_t> place(effects_.size(), kNone);
  while (place[at] == kNone) {
    place[at] = static_cast<std::uint32_t>(cycle_.size());
    cycle_.push_back(effects_[at]);
    auto edge = std::ranges::lower_bound(edges_, at, {}, &Edge::reader);
    while (!left_[edge->assigner] || !counts(*edge)) ++edge;
    at = edge->assigner;
  }
  cycle_.erase(cycle_.begin(), cycle_.begin() + place[at]);
}

std::span<const std::uint32_t> AssignmentCycles::find(std::span<const std::uint8_t> fired) {
  cycle_.clear();
  bool any = false;
  for (std::size_t k = 0; k < effects_.size(); ++k) any |= (left_[k] = fired[triggers_[k]]) != 0;
  if (!any) return cycle_;
  const auto all = [](const Edge&) { return true; };
  leave_cycles(all);
  follow(all);
  return cycle_;
}

std::span<const std::uint32_t> AssignmentCycles::find_of_one_trigger() {
  const auto same = [&](const Edge& e) { return triggers_[e.reader] == triggers_[e.assigner]; };
  left_.assign(effects_.size(), 1);
  leave_cycles(same);
  follow(same);
  return cycle_;
}

}  // namespace runtime
