#include "runtime/events/assignment_cycles.h"

#include <algorithm>

#include "runtime/solve/schedule.h"

namespace runtime {

AssignmentCycles::AssignmentCycles(const Model& model) {
  add_edges(model);
  remaining_.assign(assignments_.size(), 1);
  reduce_to_cycles([](const Edge&) { return true; });
  // What can be in no cycle is removed for good.
  std::vector<std::uint32_t> place(assignments_.size(), kNone);
  std::vector<std::uint32_t> assignments, triggers;
  for (std::uint32_t k = 0; k < assignments_.size(); ++k) {
    if (!remaining_[k]) continue;
    place[k] = static_cast<std::uint32_t>(assignments.size());
    assignments.push_back(assignments_[k]);
    triggers.push_back(triggers_[k]);
  }
  std::erase_if(edges_, [&](const Edge& e) { return !remaining_[e.reader] || !remaining_[e.assigner]; });
  for (Edge& e : edges_) e = {place[e.reader], place[e.assigner]};
  assignments_ = std::move(assignments);
  triggers_ = std::move(triggers);
  remaining_.assign(assignments_.size(), 0);
}

/// An edge for each assignment that reads a variable and each that assigns it.
void AssignmentCycles::add_edges(const Model& model) {
  const std::vector<Assignment>& assignments = model.events.assignments;
  if (assignments.empty()) return;
  std::vector<std::uint32_t> first(std::size_t{model.variables} + 1, 0), of(assignments.size());
  for (const Assignment& a : assignments) ++first[a.variable + 1];
  for (std::uint32_t v = 0; v < model.variables; ++v) first[v + 1] += first[v];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t a = 0; a < assignments.size(); ++a) of[next[assignments[a].variable]++] = a;

  for (std::uint32_t a = 0; a < assignments.size(); ++a) {
    const auto [number, row] = assignments[a].value;
    each_variable(model, model.batches[number], row, [&](std::uint32_t variable) {
      for (std::uint32_t k = first[variable]; k < first[variable + 1]; ++k) edges_.push_back({a, of[k]});
    });
  }
  if (edges_.empty()) return;
  for (std::uint32_t a = 0; a < assignments.size(); ++a) {
    assignments_.push_back(a);
    triggers_.push_back(assignments[a].trigger);
  }
}

/// Removes from `remaining_`, again and again, what reads none of the others or is read by none of them:
/// cycles, and what lies between them, remain. `counts`: whether an edge between two that remain does.
template <class Counts>
void AssignmentCycles::reduce_to_cycles(const Counts& counts) {
  readers_.assign(assignments_.size(), 0);
  assigners_.assign(assignments_.size(), 0);
  for (const Edge& e : edges_)
    if (remaining_[e.reader] && remaining_[e.assigner] && counts(e))
      ++assigners_[e.reader], ++readers_[e.assigner];
  std::vector<std::uint32_t> by_assigner(edges_.size());  // edges
  std::vector<std::uint32_t> first_read(assignments_.size() + 1, 0),
      first_reading(assignments_.size() + 1, 0);
  for (const Edge& e : edges_) ++first_read[e.assigner + 1], ++first_reading[e.reader + 1];
  for (std::size_t k = 0; k < assignments_.size(); ++k)
    first_read[k + 1] += first_read[k], first_reading[k + 1] += first_reading[k];
  std::vector<std::uint32_t> next(first_read.begin(), first_read.end() - 1);
  for (std::uint32_t e = 0; e < edges_.size(); ++e) by_assigner[next[edges_[e].assigner]++] = e;

  std::vector<std::uint32_t> work;
  auto remove = [&](std::uint32_t k) {
    if (!remaining_[k] || (readers_[k] != 0 && assigners_[k] != 0)) return;
    remaining_[k] = 0;
    work.push_back(k);
  };
  for (std::uint32_t k = 0; k < assignments_.size(); ++k) remove(k);
  while (!work.empty()) {
    const std::uint32_t k = work.back();
    work.pop_back();
    for (std::uint32_t e = first_read[k]; e < first_read[k + 1]; ++e) {
      const std::uint32_t reader = edges_[by_assigner[e]].reader;
      if (remaining_[reader] && counts(edges_[by_assigner[e]])) --assigners_[reader], remove(reader);
    }
    for (std::uint32_t e = first_reading[k]; e < first_reading[k + 1]; ++e) {
      const std::uint32_t assigner = edges_[e].assigner;
      if (remaining_[assigner] && counts(edges_[e])) --readers_[assigner], remove(assigner);
    }
  }
}

/// Finds the first cycle among those that remain: each of these reads another one, so following them comes
/// round.
template <class Counts>
void AssignmentCycles::follow(const Counts& counts) {
  cycle_.clear();
  auto at = static_cast<std::uint32_t>(std::ranges::find(remaining_, std::uint8_t(1)) - remaining_.begin());
  if (at == remaining_.size()) return;
  std::vector<std::uint32_t> place(assignments_.size(), kNone);
  while (place[at] == kNone) {
    place[at] = static_cast<std::uint32_t>(cycle_.size());
    cycle_.push_back(assignments_[at]);
    auto edge = std::ranges::lower_bound(edges_, at, {}, &Edge::reader);
    while (!remaining_[edge->assigner] || !counts(*edge)) ++edge;
    at = edge->assigner;
  }
  cycle_.erase(cycle_.begin(), cycle_.begin() + place[at]);
}

std::span<const std::uint32_t> AssignmentCycles::find(std::span<const std::uint8_t> fired) {
  cycle_.clear();
  bool any = false;
  for (std::size_t k = 0; k < assignments_.size(); ++k) any |= (remaining_[k] = fired[triggers_[k]]) != 0;
  if (!any) return cycle_;
  const auto all = [](const Edge&) { return true; };
  reduce_to_cycles(all);
  follow(all);
  return cycle_;
}

std::span<const std::uint32_t> AssignmentCycles::find_of_one_trigger() {
  const auto same = [&](const Edge& e) { return triggers_[e.reader] == triggers_[e.assigner]; };
  remaining_.assign(assignments_.size(), 1);
  reduce_to_cycles(same);
  follow(same);
  return cycle_;
}

}  // namespace runtime
