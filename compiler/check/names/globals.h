// What the checker knows of each top-level definition, beside Program::globals and with the same ids.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "compiler/check/blocks/block.h"
#include "compiler/check/types/types.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// One definition with its clauses and its signature; top-level or in a `let`.
struct Definition {
  Name name;
  Span span;
  std::vector<const ast::ClauseDecl*> clauses;
  const ast::SignatureDecl* signature = nullptr;
  bool broken = false;                        // an error about its clauses was reported
  const ast::BindingDecl* binding = nullptr;  // instead of clauses: `(a, b) = e`, which has no name
};

/// A name that `r1.x` can read inside the relation that a definition gives: a local signal or an instance.
struct InsideName {
  Name name;
  Type* type;  // of the signal, or of the instance's relation
  bool is_label = false;
  std::uint32_t dimensions = 0;
  std::optional<core::GlobalId> head;
  std::uint32_t head_args = 0;
  std::optional<std::uint32_t> interface_index;  // of a formal
};

struct GlobalState {
  Definition definition;
  const ast::Expr* default_value = nullptr;  // instead of clauses: that of a record field or of a parameter
  Name parameter;                            // whose default value it is
  Type* scheme =
      nullptr;  // null until inferred; while its group is being inferred, the type without quantifiers
  bool assumed = false;      // has a signature, or was inferred once and is checked again with its scheme
  bool polymorphic = false;  // scheme has quantified variables
  bool has_units = false;    // scheme states a unit
  bool checked = false;
  std::vector<Type*> layout_variables;
  std::vector<std::pair<Name, Type*>> type_variables;  // of the signature
  std::vector<core::GlobalId> default_values;          // of the parameters in the signature
  std::vector<InsideName> inside;
  std::optional<FeedThrough> feed_through;  // of a block
  core::GlobalId group{};                   // one of those that are checked with it
  std::vector<core::GlobalId> uses;         // of the whole group, if it is `group` itself
};

class Globals {
 public:
  explicit Globals(core::Program& program) : program_(program) {}

  core::GlobalId add(Name name, Name module, Span span) {
    core::GlobalId id(program_.globals.size());
    core::Global& global = program_.globals.emplace_back();
    global.name = name;
    global.module = module;
    global.span = span;
    GlobalState& state = states_.emplace_back();
    state.definition.name = name;
    state.definition.span = span;
    return id;
  }
  GlobalState& operator[](core::GlobalId id) { return states_[id.value]; }
  const GlobalState& operator[](core::GlobalId id) const { return states_[id.value]; }
  Span span(core::GlobalId id) const { return program_.globals[id.value].span; }
  /// Whether an error says that it has no definition, or not just one: only its type may be known.
  bool is_unknown(core::GlobalId id) const {
    const GlobalState& state = states_[id.value];
    return state.definition.broken ||
           (state.definition.clauses.empty() && !state.definition.binding && !state.default_value);
  }

  /// The definitions that are checked next, together; they use what is passed to `use` from now on.
  void enter(std::span<const core::GlobalId> group) {
    for (core::GlobalId id : group) states_[id.value].group = group.front();
    user_ = group.front();
  }
  void use(core::GlobalId id) {
    if (user_) states_[user_->value].uses.push_back(id);
  }
  /// For each definition, whether one of `roots` uses it, directly or not.
  std::vector<bool> reachable(std::vector<core::GlobalId> roots) const;

 private:
  core::Program& program_;
  std::deque<GlobalState> states_;
  std::optional<core::GlobalId> user_;
};

}  // namespace sigrel::check
