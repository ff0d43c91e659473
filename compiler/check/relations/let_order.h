// The order of `let` items: one that is used further up in its block is moved in front of its first use, with
// those that it needs. The walk over a block can then bind names in the order of its items. The order of
// other items, and of other `let`s, stays.
#pragma once
#include <span>

#include "compiler/ir/ast.h"

namespace sigrel::check {

/// Orders the items of a relation body and of the blocks in it, in place.
void order_lets(std::span<ast::Item*> body);

}  // namespace sigrel::check
