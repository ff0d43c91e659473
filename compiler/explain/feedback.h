// How a zero crossing that changes without end drives itself: from its argument backwards along what the rows
// of the model read (runtime/components/row_index.h), to those that read what the crossing holds. Several
// lines may write the same comparison; the one that drives it is among these.
//
// Example: y = if x > 0 then 3 else 4, der x = if x > 0 then -1 else 1. The argument is computed from x, and
// x from der x, so the second equation drives the comparison and the first one does not.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/components/row_index.h"
#include "runtime/failure.h"

namespace sigrel::explain {

class Feedback {
 public:
  /// `crossing`: its number among all zero crossings.
  Feedback(const runtime::RowIndex& rows, std::uint32_t crossing);

  /// The number of the nearest equation that the argument depends on and that reads what the crossing holds.
  std::optional<std::uint32_t> driver() const { return driver_; }
  /// Whether the argument depends on what the trigger assigns.
  bool depends_on(std::uint32_t trigger) const { return reached_[rows_.trigger_node(trigger)]; }

 private:
  void reach(std::uint32_t node);
  void look_for_driver(std::uint32_t row);
  void look_for_driver(const runtime::KernelBatch& batch, std::uint32_t row);

  const runtime::RowIndex& rows_;
  std::vector<std::uint32_t> held_;   // nodes: what the crossing holds
  std::vector<std::uint32_t> queue_;  // nodes
  std::vector<bool> reached_;         // by node
  std::optional<std::uint32_t> driver_;
};

/// What drives the zero crossings of a failure (FailureKind::EndlessEvents).
struct Drivers {
  std::vector<std::uint32_t> triggers;   // of those of the failure
  std::vector<std::uint32_t> equations;  // one of each zero crossing that has one
};
Drivers find_drivers(const runtime::Model& model, const runtime::Failure& failure);

}  // namespace sigrel::explain
