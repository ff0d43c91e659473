// Sizes of vectors as sums of multiples (`2*n + 1`): between core expressions and types.
#pragma once
#include <unordered_map>

#include "compiler/check/expressions/core_builder.h"
#include "compiler/check/types/unify.h"

namespace sigrel::check {

class Sizes {
 public:
  Sizes(Types& types, Unifier& unifier, CoreBuilder& core) : types_(types), unifier_(unifier), core_(core) {}

  /// Forgets the locals of the definition before.
  void begin_definition() { atoms_.clear(); }
  /// The size type that `size` computes. A local stands for itself; a part that is no sum of multiples is one
  /// opaque atom, which only the elaborator knows.
  Type* form(core::Expr* size);
  /// `local` is the value of the rigid size `type`.
  void bind(core::LocalId local, Type* type) { atoms_[local] = type; }
  /// `n == 2`: inside the branches of a condition on a size, the size may be more than its name.
  void refine(core::Expr* condition);
  void refine(core::LocalId local);
  /// The expression of a size inside the current definition; null if it follows only from the arguments
  /// there.
  core::Expr* value(Type* size);

 private:
  Type* atom(core::Expr* e);

  Types& types_;
  Unifier& unifier_;
  CoreBuilder& core_;
  std::unordered_map<core::LocalId, Type*> atoms_;  // the locals that sizes are made of
};

}  // namespace sigrel::check
