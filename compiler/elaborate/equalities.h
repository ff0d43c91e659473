// `==` and `/=` of signals that vary continuously: two such values are equal by chance only, and the instant
// lies between two steps, so a condition that compares them would never hold. Int, Bool, data and discrete
// Reals are compared exactly. Which of them a column is may be known only at the end of the body.
#pragma once
#include <vector>

#include "compiler/elaborate/columns.h"
#include "compiler/evaluate/machine.h"

namespace sigrel::elaborate {

class Equalities {
 public:
  /// Collects those in an expression that becomes a row. `noEvent` and `smooth` allow them.
  void add(const evaluate::Machine& machine, ExprId root);
  /// Reports those that compare a continuous signal, each place once.
  void report(evaluate::Machine& machine, Columns& columns) const;

 private:
  struct Use {
    Span span;
    bool continuous = false;          // depends on time or on a derivative
    std::vector<ColumnId> columns{};  // that it varies with, unless they are piecewise constant
  };
  void follow(const ExprPool& pool, const Node& equality, Use& use) const;
  std::vector<Use> uses_;
};

}  // namespace sigrel::elaborate
