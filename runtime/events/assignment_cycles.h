// Assignments of one round that need each other's new values: a := f(b) and b := g(a). Each round executes
// the assignments of the triggers that fired; which of these read what others assign is a graph, and a cycle
// of it has no order in which the values could be computed, although iteration may find numbers that agree.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"

namespace runtime {

class AssignmentCycles {
 public:
  /// Finds the assignments that can be in a cycle, whatever fires.
  explicit AssignmentCycles(const Model& model);

  /// The assignments of a cycle, in the order in which each reads the next one; empty if there is none among
  /// the assignments of the triggers that fired (per trigger: 1).
  std::span<const std::uint32_t> find(std::span<const std::uint8_t> fired);
  /// The same among those of one trigger, whichever: they need each other whenever it fires.
  std::span<const std::uint32_t> find_of_one_trigger();

 private:
  template <class Counts>
  void reduce_to_cycles(const Counts& counts);
  template <class Counts>
  void follow(const Counts& counts);
  void add_edges(const Model& model);

  struct Edge {
    std::uint32_t reader = 0, assigner = 0;  // places in `assignments_`
  };
  std::vector<std::uint32_t> assignments_;  // those that can be in a cycle, ascending
  std::vector<std::uint32_t> triggers_;     // of each
  std::vector<Edge> edges_;                 // by reader
  // Of the current search, by assignment: whether it remains, and what it has among those that do.
  std::vector<std::uint8_t> remaining_;
  std::vector<std::uint32_t> readers_, assigners_;
  std::vector<std::uint32_t> cycle_;
};

}  // namespace runtime
