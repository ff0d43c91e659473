// Blocks: relations whose interface is marked `in` and `out`. A block determines exactly its outputs from its
// inputs; where it is applied, its inputs are determined elsewhere, and its outputs nowhere else.
//
// The analysis of one body works on its core equations (block_equations.h):
//   sources       each signal is the output of at most one applied block, and each input of an applied block
//                 occurs in another item
//   determination equations and applied blocks are matched with outputs and locals (a derivative counts
//                 as its variable, as in the matching of flat systems). An unmatched one is an error. A
//                 body with items whose equations are not counted here (loops, conditions, connectors,
//                 relations without marks) is left to the flat system
//   feed-through  the inputs on which an output depends without a state between: a matching with known states
//
// Example: `der x = u; y = x + v`  ->  y is matched with the second equation, der x with the first; y <- v.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/check/types/types.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// For each interface variable that is an output, in order: whether each input, in order, passes through.
using FeedThrough = std::vector<std::vector<bool>>;

/// One application of a relation in a body: the interface in its type.
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

/// Reports the errors of the blocks applied in `relation`, and of `relation` if it is a block. The
/// feed-through of a block for which it could be found.
std::optional<FeedThrough> check_block(const core::Relation& relation, const BlockContext& context);

}  // namespace sigrel::check
