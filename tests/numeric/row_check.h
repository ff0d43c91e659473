// Whether the rows of a run satisfy the equations of its model: a check that knows nothing of steps and
// events.
//
// A row has the values of all variables. The values of comparisons follow from the row itself, by the signs
// of their differences, and not from what the run held; then every equation is evaluated again. Where a
// difference is at zero, as at an event, the row must satisfy the equations with the values of the row
// before, or with those of the row after.
#pragma once
#include <string>

#include "compiler/session/session.h"

namespace numeric {

struct RowCheck {
  std::size_t rows = 0, events = 0;  // `events`: times with two rows
  std::size_t wrong = 0;             // rows that contradict an equation
  std::string first = {};            // of them
};

/// Runs the model with all variables as columns. The model has no dynamic state selection.
RowCheck check_rows(const sigrel::pipeline::Compiled& model, const runtime::Experiment& experiment);

}  // namespace numeric
