// Clocks whose ticks change equations only, and so are processed where they are read: O(1) each, in place of
// an event of the whole model.
//
// A clock is local if its assignments need no iteration and fire nothing else: no other trigger assigns the
// same variables, conditions of event handlers do not depend on what it assigns, and the assigned values do
// not depend on what a clock or a `when` assigns, but through `pre` on what this clock does, nor on steps of
// the time. A PWM with `every period do start := time` is of this kind. A model with assertions has no local
// clocks: a tick may break an assertion, and these are checked at events of the whole model. (Local crossings
// do so only by what follows continuously, up to the tolerance.)
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/quantised/row_graph.h"

namespace runtime {

struct LocalClocks {
  LocalClocks(const Model& model, const RowGraph& graph);

  std::vector<std::uint8_t> local;  // per clock
  // Per clock, if it is local:
  NumberLists assigns;   // into Events::assignments
  NumberLists reads;     // variables that the values need, those that `pre` refers to among them
  NumberLists previous;  // into Events::previous: what the values read by `pre`
  NumberLists advances;  // into Events::previous: `pre` of an assigned variable
};

}  // namespace runtime
