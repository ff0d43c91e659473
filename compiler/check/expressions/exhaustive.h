// Missing and unreachable cases of a match: L. Maranget, Warnings for pattern matching, JFP 17 (2007).
#pragma once
#include <vector>

#include "compiler/check/types/unify.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// The matches of a group of definitions, checked when its types are known.
class MatchChecks {
 public:
  MatchChecks(Diagnostics& diagnostics, const Types& types, Unifier& unifier)
      : diagnostics_(diagnostics), types_(types), unifier_(unifier) {}

  /// `binding`: a single pattern that must match every value, as in a `let`.
  void add(std::vector<const core::Pattern*> rows, Type* type, Span span, bool binding) {
    matches_.push_back({std::move(rows), type, span, binding});
  }
  /// Reports missing and unreachable cases.
  void finish();
  void discard() { matches_.clear(); }

 private:
  struct Match {
    std::vector<const core::Pattern*> rows;
    Type* type;
    Span span;
    bool binding;
  };
  void check(const Match& match);

  Diagnostics& diagnostics_;
  const Types& types_;
  Unifier& unifier_;
  std::vector<Match> matches_;
};

}  // namespace sigrel::check
