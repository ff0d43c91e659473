// The dependency graph of single rows: which rows of the schedules read which variables, and in which order
// they are evaluated.
//
// A node is one row of an assigned kernel batch of `dynamic` or `compared`, or one algebraic loop as a whole.
// Nodes are numbered in the order of the schedules, so any set of nodes is evaluated correctly in ascending
// order. The rows of zero crossings are sinks, numbered after the nodes. All relations are flat arrays; time
// and memory are linear in the number of entries of the tables.
//
//   dynamic: a = 2 x, x' = -a, y' = x - y     nodes: 0: a, 1: x', 2: y'
//                                             readers of x: 0, 2; of a: 1; of y: 2
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// Lists of numbers, end to end: list k is items[starts[k]] to items[starts[k + 1]].
struct NumberLists {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> items;

  std::span<const std::uint32_t> operator[](std::size_t k) const {
    return {items.data() + starts[k], items.data() + starts[k + 1]};
  }
  std::size_t size() const { return starts.size() - 1; }
  /// `lists` lists from (list, item) pairs, in the order in which `visit` passes them to its argument;
  /// `visit` is called twice.
  template <class Visit>
  static NumberLists collect(std::size_t lists, const Visit& visit);
};

class RowGraph {
 public:
  /// A contiguous range of rows of one step of the schedules; of a loop: the whole of it.
  struct Rows {
    std::uint32_t step = 0, begin = 0, end = 0;
  };

  explicit RowGraph(const Model& model);

  std::uint32_t nodes() const { return first_node_.back(); }
  std::uint32_t crossings() const { return static_cast<std::uint32_t>(crossing_rows_.size()); }
  const Step& step(std::uint32_t index) const { return steps_[index]; }
  Rows rows_of(std::uint32_t node) const;

  /// The node that computes a variable, or kNone: a state or a constant of the run.
  std::uint32_t producer(std::uint32_t variable) const { return producer_[variable]; }
  /// The state that a variable is, or kNone.
  std::uint32_t state_of(std::uint32_t variable) const { return state_of_[variable]; }
  /// Per variable: the states that it is the derivative of.
  const NumberLists& derivative_of() const { return derivative_of_; }
  /// Per node, then per crossing: the variables that it reads.
  const NumberLists& reads() const { return reads_; }
  /// Per node: the variables that it computes.
  const NumberLists& computes() const { return computes_; }
  /// Per variable: the nodes, and after them the crossings (`nodes()` + number), that read it.
  const NumberLists& readers() const { return readers_; }
  /// Per crossing: the nodes and crossings that read the value that it holds between events.
  const NumberLists& readers_of_held() const { return readers_of_held_; }

  /// Per node, then per crossing: the crossings whose held values it reads.
  const NumberLists& reads_held() const { return reads_held_; }
  /// The crossing that the parameter holds the value of, or kNone.
  std::uint32_t crossing_of(std::uint32_t parameter) const { return crossing_of_[parameter]; }

  /// Per node, then per crossing: 1 where it depends on the time other than through states.
  std::vector<std::uint8_t> depend_on_time() const;

  /// Marks the zero crossings whose held values conditions of event handlers depend on at the same instant,
  /// or variables that equations compute and whose `pre` is read: a change of one is an event of the whole
  /// model. All others change equations only.
  const std::vector<std::uint8_t>& global_crossings() const { return global_crossings_; }
  /// The same for variables.
  const std::vector<std::uint8_t>& decisive_variables() const { return decisive_variables_; }

 private:
  struct CrossingRow {
    std::uint32_t batch = 0, row = 0;
  };
  void find_decisive();
  template <class Visit>
  void each_read(std::uint32_t node, const Visit& visit) const;
  template <class Visit>
  void each_parameter(std::uint32_t node, const Visit& visit) const;

  const Model& model_;
  std::vector<Step> steps_;                // dynamic, then compared
  std::vector<std::uint32_t> first_node_;  // per step, and the end
  std::vector<std::uint32_t> step_of_;     // per node
  std::vector<std::uint32_t> producer_, state_of_;
  std::vector<std::uint32_t>
      crossing_of_;  // per parameter: the crossing that it holds the value of, or kNone
  std::vector<CrossingRow> crossing_rows_;
  NumberLists derivative_of_, reads_, computes_, readers_, readers_of_held_, reads_held_;
  std::vector<std::uint8_t> global_crossings_, decisive_variables_;
};

template <class Visit>
NumberLists NumberLists::collect(std::size_t lists, const Visit& visit) {
  NumberLists result;
  result.starts.assign(lists + 1, 0);
  visit([&](std::uint32_t list, std::uint32_t) { ++result.starts[list + 1]; });
  for (std::size_t k = 0; k < lists; ++k) result.starts[k + 1] += result.starts[k];
  result.items.resize(result.starts[lists]);
  std::vector<std::uint64_t> next(result.starts.begin(), result.starts.end() - 1);
  visit([&](std::uint32_t list, std::uint32_t item) { result.items[next[list]++] = item; });
  return result;
}

}  // namespace runtime
