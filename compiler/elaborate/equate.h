// The scalar equations of an equation between values.
#pragma once
#include <optional>
#include <vector>

#include "compiler/elaborate/body_parts.h"
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

/// The first column of the rotation that is a side of an equation with nine residuals, if one is. Those of
/// the modes of a `switch` are none: they do not always hold.
std::optional<ColumnId> rotation_given(const BodyParts& parts, const Value& left, const Value& right,
                                       std::size_t residuals);

}  // namespace sigrel::elaborate
