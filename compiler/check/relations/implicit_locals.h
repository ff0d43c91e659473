// The names of a relation body that its walk needs beforehand: blocks, labels and implicit locals. A name
// that nothing binds is an implicit local if it occurs in the arguments of `<>` or `connect`; it belongs to
// the innermost block that contains all its uses.
#pragma once
#include "compiler/check/names/scopes.h"
#include "compiler/check/relations/relation_context.h"

namespace sigrel::check {

/// Fills in the blocks and labels of `relation`. The formals of `e` are in scope.
void collect_names(const ast::SigrelExpr& e, RelationContext& relation, Scopes& scopes, CoreBuilder& core);

}  // namespace sigrel::check
