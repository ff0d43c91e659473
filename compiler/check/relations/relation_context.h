// The relation body being checked: its blocks, its labelled instances, and the member references that wait
// for the type of an instance further down.
#pragma once
#include <deque>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/check/names/globals.h"

namespace sigrel::check {

/// How many arguments named ones are, at the head of an instance.
inline constexpr std::uint32_t kAllArguments = 0xFFFFFFFF;

/// A labelled instance of a relation body.
struct LabelInfo {
  Name name;
  core::LocalId id;
  Span span;
  const void* part = nullptr;  // its ast::Item, or its ast::ConnectionExpr
  std::uint32_t block = 0;
  Type* relation_type = nullptr;  // null until its item was inferred
  std::optional<core::GlobalId> head;
  std::uint32_t head_args = 0;
};

/// A block of items: the body itself, or that of a `for`, `if`, `when`, mode, ….
struct BlockInfo {
  std::int32_t parent = -1;
  std::uint32_t depth = 0;
  std::uint32_t loops = 0;  // generators of the `for` whose body this is
  std::vector<ast::Ident> implicit;
};

/// One step of `r1[i].c.x`: a name and the indices behind it.
struct MemberStep {
  ast::Ident name;
  std::vector<core::IndexPart> indices;
  Span span;  // from the start of the path to here
};

/// A read of an instance whose relation is inferred only further down.
struct DeferredMember {
  LabelInfo* label;
  std::vector<MemberStep> steps;
  core::MemberExpr* node;  // overwritten when the relation is known
  Type* type;
  std::uint32_t block;
};

struct RelationContext {
  std::vector<BlockInfo> blocks;  // in the order in which the walk enters them
  std::uint32_t next_block = 0;
  std::uint32_t block = 0;  // the current one
  std::deque<LabelInfo> labels;
  std::unordered_map<Name, std::vector<LabelInfo*>> labels_by_name;
  std::vector<DeferredMember> deferred_members;
  std::vector<InsideName> inside;
  std::vector<core::GlobalId> no_nodes;  // definitions that were reported where a node was expected
  /// Members that were reported: of a definition, else of an instance.
  std::vector<std::tuple<std::optional<core::GlobalId>, core::LocalId, Name>> unknown_members;
  std::vector<ast::Decl*> bound_outside;  // of the `let`s: numbers, which are bound around the relation

  /// The number of indices of an instance in block `of`, seen from outside the relation.
  std::uint32_t loops_around(std::uint32_t of) const;
  /// The loops around `label_block` that are not around `use_block`: a use needs as many indices.
  std::uint32_t unshared_loops(std::uint32_t label_block, std::uint32_t use_block) const;
  /// The label of this name in the innermost block around the current one that has it, else any; or null.
  LabelInfo* find_label(Name name) const;
};

}  // namespace sigrel::check
