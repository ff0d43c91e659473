// Rows that only events concern, and that nothing continuous depends on: counters, logs, totals of discrete
// variables. A component that such a row reads need not have its clock in common with the others.
//
//   when x[i] > 1.0 do count := pre count + 1      for each i: `count` connects no components
//   der y = if count > 3 then 1.0 else 0.0         with this equation it does
//
// A sink is a connected part of these rows. An event of a component *activates* the rows of sinks that read
// what it changes, directly or through others; a row that assigns is activated by its trigger alone. The
// event is therefore that of a model of the component and the activated rows. What a sink remembers is common
// to all components that activate it, so their events are processed in the order of time, and those at one
// instant together (exact_components.h).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/components/dependency.h"
#include "runtime/components/row_index.h"

namespace runtime {

class DiscreteSinks {
 public:
  /// `dependent`: dependent_nodes(rows).
  DiscreteSinks(const RowIndex& rows, const Variation& variation, std::span<const std::uint8_t> dependent);

  /// By row: whether it belongs to a sink.
  const std::vector<std::uint8_t>& rows() const { return sink_; }
  bool any() const { return count_ > 0; }
  /// Makes the sink of this row a part of the components that it reads.
  void dissolve(std::uint32_t row);
  /// Dissolves all sinks that read a component for which `alone` is false, and those that read a single one.
  /// `component`, by row: its component. Whether there were any.
  bool dissolve(const Dependency& dependency, std::span<const std::uint8_t> alone);

  /// By component: whether a sink reads what it writes.
  std::vector<std::uint8_t> read_components(const Dependency& dependency) const;
  /// Appends the rows that these activate. False: more than `most` in all.
  bool activate(std::vector<std::uint32_t>& rows, std::size_t most);

 private:
  bool possible(std::uint32_t row, const Variation& variation, std::span<const std::uint8_t> dependent) const;
  void find_groups();
  void find_activated();
  template <class Visit>
  void each_activation(std::uint32_t row, const Visit& visit) const;
  template <class Visit>
  void each_component(const Dependency& dependency, std::uint32_t row, const Visit& visit) const;

  const RowIndex& index_;
  std::vector<std::uint8_t> sink_;
  std::vector<std::uint32_t> group_;              // by row
  std::vector<std::uint8_t> dissolved_;           // by group
  std::uint32_t count_ = 0;                       // groups that are not
  std::vector<std::uint32_t> first_, activated_;  // by node: the rows of sinks that it activates
  std::vector<std::uint32_t> stamp_;
  std::uint32_t clock_ = 0;
};

}  // namespace runtime
