// Enclosures of the operations of expressions (rules of differentiation on intervals). Internal to this
// folder.
#pragma once
#include "compiler/ir/expr.h"
#include "compiler/ir/library.h"
#include "runtime/interval.h"

namespace sigrel::interpret {

/// The enclosure of an operation from those of its operands; unused ones are ignored. Not for leaves, calls
/// and tables of two arguments (`has_enclosure` in order/sharpness.h).
runtime::Enclosure enclose(const Library* library, const Node& node, const runtime::Enclosure& a,
                           const runtime::Enclosure& b, const runtime::Enclosure& c);

}  // namespace sigrel::interpret
