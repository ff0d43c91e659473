// The scalar equations of an equation between values.
#pragma once
#include <vector>

#include "compiler/elaborate/values.h"

namespace sigrel::elaborate {

struct Residual {
  ExprId expression;    // left - right, over Machine::signals
  LocalName component;  // of an aggregate: "[2]", ".v"
};

/// Appends a residual for each scalar of two values. Not Done: an error was reported, or the size of a signal
/// is not known yet.
Machine::Status equate(Machine& machine, const Value& left, const Value& right, Span span,
                       std::vector<Residual>& out);

}  // namespace sigrel::elaborate
