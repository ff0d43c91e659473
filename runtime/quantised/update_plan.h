// What is evaluated when one quantised state, or the held value of one comparison, changes: the derivatives
// and zero crossings that depend on it, and every row that these need, in order.
//
// Rows that do not depend on the change are evaluated as well where an affected target reads them, because
// they vary with time; nothing is extrapolated but states. A plan is worked out from the row graph when it is
// needed first, in time linear in its size, and kept while all plans together are at most `kKept` times as
// large as the graph; beyond that, as where one algebraic loop couples everything, it is worked out each
// time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/quantised/local_clocks.h"
#include "runtime/quantised/row_graph.h"

namespace runtime {

/// Rows in the order of their evaluation, the states that they read, and what they are evaluated for.
struct UpdatePart {
  std::span<const std::uint32_t> inputs;   // states
  std::span<const RowGraph::Rows> rows;    // empty ranges do not occur
  std::span<const std::uint32_t> targets;  // states, whose derivatives; or crossings
};

struct UpdatePlan {
  UpdatePart values;       // of a tick: what the assigned values read, from states; no targets
  UpdatePart derivatives;  // from quantised states
  UpdatePart crossings;    // from states
};

class UpdatePlans {
 public:
  UpdatePlans(const Model& model, const RowGraph& graph, const LocalClocks& clocks);

  // The plan is valid until the next call.
  /// The quantised value of a state changes: its own derivative is among the targets in any case.
  UpdatePlan of_state(std::uint32_t state) { return plan(state); }
  /// The held value of a crossing changes.
  UpdatePlan of_held(std::uint32_t crossing) { return plan(states_ + crossing); }
  /// What one crossing needs; no derivatives.
  UpdatePart of_crossing(std::uint32_t crossing) { return plan(states_ + crossings_ + crossing).crossings; }
  /// A local clock ticks.
  UpdatePlan of_tick(std::uint32_t clock) { return plan(states_ + 2 * crossings_ + clock); }
  /// All crossings.
  UpdatePart all_crossings() const { return view(all_crossings_, kept_); }

 private:
  struct Lists {
    std::vector<std::uint32_t> numbers;
    std::vector<RowGraph::Rows> rows;
  };
  struct Place {
    std::uint64_t numbers = 0, rows = 0;
    std::uint32_t inputs = 0, row_count = 0, targets = 0;
  };
  struct Places {
    Place values, derivatives, crossings;
    bool known = false;
  };

  UpdatePlan plan(std::uint32_t source);
  Places work_out(std::uint32_t source, Lists& into);
  void affected(std::uint32_t source);
  enum class Of : std::uint8_t { Variables, Derivatives, Crossings };
  Place part(std::span<const std::uint32_t> targets, Of of, Lists& into);
  static UpdatePlan view(const Places& places, const Lists& lists);
  static UpdatePart view(const Place& place, const Lists& lists);
  bool first_visit(std::vector<std::uint32_t>& stamps, std::uint32_t item) const {
    return stamps[item] != clock_ && (stamps[item] = clock_, true);
  }

  const Model& model_;
  const RowGraph& graph_;
  const LocalClocks& clocks_;
  std::uint32_t states_, crossings_;
  std::uint64_t limit_;
  Lists kept_, scratch_;
  std::vector<Places> places_;  // by source: states, held values, crossings alone, ticks
  Place all_crossings_;
  std::uint32_t clock_ = 0;
  std::vector<std::uint32_t> node_stamp_, state_stamp_, crossing_stamp_;
  std::vector<std::uint32_t> open_, found_, changed_states_, changed_crossings_;
};

}  // namespace runtime
