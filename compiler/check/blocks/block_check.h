// The blocks of a group of definitions: each relation literal and each applied relation, collected during the
// walk and analysed by check_block when all types of the group are known.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/check/names/globals.h"

namespace sigrel::check {

class BlockCheck {
 public:
  BlockCheck(Diagnostics& diagnostics, core::Program& program, Globals& globals)
      : diagnostics_(diagnostics), program_(program), globals_(globals) {}

  /// `owner`: the definition that gives the relation, if one does.
  void add_relation(const core::Relation* relation, std::optional<core::GlobalId> owner) {
    relations_.push_back({relation, owner});
  }
  /// `application` is a core ApplicationItem or BlockApplyExpr.
  void add_use(const void* application, const BlockUse& use) { uses_[application] = use; }

  /// Reports the errors of the blocks, and sets the feed-through of the definitions that are blocks.
  void check();
  void discard();
  /// Global::feed_through, "y <- u, v", from GlobalState::feed_through.
  void describe(core::GlobalId id);

 private:
  struct Relation {
    const core::Relation* relation;
    std::optional<core::GlobalId> owner;
  };

  Diagnostics& diagnostics_;
  core::Program& program_;
  Globals& globals_;
  std::vector<Relation> relations_;
  std::unordered_map<const void*, BlockUse> uses_;
};

}  // namespace sigrel::check
