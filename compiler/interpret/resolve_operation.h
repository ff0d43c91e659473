// Whether a sharp operation (runtime::Sharpness) is resolved by the enclosures of its operands and of its
// result over an interval. Internal to this folder.
//
// An operation is resolved where it cannot hide a pulse: its slope has one sign there and varies by less than
// a factor, or its value stays within a part of its magnitude or of the scale that the function has by
// itself. A quotient is resolved by its divisor, whose sign and order of magnitude are the same all over.
// Resolved pieces may differ by much; but then the ends of the pieces show it.
#pragma once
#include "compiler/ir/expr.h"
#include "compiler/ir/library.h"
#include "runtime/model.h"

namespace sigrel::interpret {

/// Whether `resolve` has to say anything about an operation.
bool is_sharp(const Node& node);

/// Whether the operands alone show that an operation is resolved, as they mostly do. False: the result is
/// needed.
bool is_resolved_by_operands(const Node& node, const runtime::Enclosure& a, const runtime::Enclosure& b);

void resolve(const Library* library, const Node& node, const runtime::Enclosure& a,
             const runtime::Enclosure& b, const runtime::Enclosure& result, runtime::Resolution& resolution);

}  // namespace sigrel::interpret
