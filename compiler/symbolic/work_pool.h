// A small pool for the work on one expression after another.
//
// What is made of an expression on the way to a result (its derivatives, forms that are not cheaper) would
// remain in the pool of the model, which then is read in random order: with 10^4 different equations the
// lookup of nodes took a tenth of the time of a run with a fiftieth of its instructions. Here it is close
// together, and gone with the next expression.
#pragma once
#include "compiler/ir/expr.h"

namespace sigrel::symbolic {

/// Copies an expression as it is. The order of its nodes remains.
ExprId copy(const ExprPool& from, ExprId root, ExprPool& to);

class WorkPool {
 public:
  /// Of expressions from this pool, which outlives it.
  explicit WorkPool(ExprPool& pool) : pool_(pool) {}
  WorkPool(const WorkPool&) = delete;

  /// An empty pool.
  ExprPool& begin() {
    work_.truncate(0);
    if (work_.library != pool_.library) work_.library = pool_.library;
    return work_;
  }
  /// A pool with a copy of this expression alone.
  ExprPool& begin(ExprId& root) {
    begin();
    root = copy(pool_, root, work_);
    return work_;
  }
  /// Copies a result to where the expressions are from.
  ExprId keep(ExprId result) const { return copy(work_, result, pool_); }

 private:
  ExprPool& pool_;
  ExprPool work_;
};

}  // namespace sigrel::symbolic
