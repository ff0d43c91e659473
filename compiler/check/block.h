// Blocks: relations whose interface is marked `in` and `out`. A block determines exactly its outputs from its
// inputs; where one is applied, something else determines its inputs and nothing else its outputs.
//
// What is asked, on the core equations of one body:
//   sources       which signals an output of an applied block stands for, and whether an input has any other
//   mention determination equations and applied blocks are matched with outputs and locals (a derivative
//   counts as its variable, as in
//                 the matching of flat systems); what stays over is an error. A body with items whose
//                 equations are not counted here (loops, conditions, connectors, relations without marks) is
//                 left to the flat system
//   feed-through  from the matching with states known: which inputs an output depends on without a state
//   between
//
// Example: `der x = u; y = x + v`  ->  y is matched with the second equation, der x with the first; y <- v.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/check/types.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// For each interface variable that is an output, in order: whether each input, in order, passes through.
using FeedThrough = std::vector<std::vector<bool>>;

/// One application of a relation in a body: what its type says of the interface.
struct BlockUse {
  std::span<const InterfaceName> names;  // empty: not known
  std::optional<core::GlobalId> head;
};

struct BlockContext {
  /// Of an ApplicationItem or a BlockApplyExpr.
  std::function<const BlockUse*(const void*)> use;
  /// Of a definition that is a block; null: every output may depend on every input.
  std::function<const FeedThrough*(core::GlobalId)> feed_through;
  Diagnostics& diagnostics;
};

/// Reports what is wrong with the blocks applied in `relation`, and with itself if it is one. Its
/// feed-through if it is a block and that could be found.
std::optional<FeedThrough> check_block(const core::Relation& relation, const BlockContext& context);

}  // namespace sigrel::check
