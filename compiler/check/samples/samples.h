// Samples for structural typing: definitions applied to unknown values, so that elaboration
// shows the structure of a relation by itself. A definition whose parameters steer its structure gets a
// family of samples for each choice (choices.cpp).
#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/check/names/globals.h"
#include "compiler/check/samples/contract.h"
#include "compiler/check/types/layout.h"

namespace sigrel::check {

class Samples {
 public:
  Samples(core::Program& program, Types& types, CoreBuilder& core, Unifier& unifier, Globals& globals,
          Contracts& contracts, Layouts& layouts)
      : program_(program),
        types_(types),
        core_(core),
        unifier_(unifier),
        globals_(globals),
        contracts_(contracts),
        layouts_(layouts) {}

  /// Adds the samples of `definitions` to the program; those that a contract names come before the ones whose
  /// contract names them.
  void add(const std::vector<core::GlobalId>& definitions);

 private:
  // sample.cpp
  core::Expr* value(Type* type, Span span);
  core::Expr* vector(Type* type, Span span);
  core::Expr* function(Type* type, Span span);
  core::Expr* hole(Type* type, Span span);
  std::optional<core::ContractId> hole_contract(Type* type);
  core::LocalId new_local(Name name);
  bool has_fixed_layout(Type* type);

  // choices.cpp
  struct Alternative {
    core::Expr* value;
    std::string text;  // of a choice; empty where there is none
  };
  struct Parameter;
  struct Size;
  class Families;
  std::vector<Alternative> alternatives(Type* type, Span span, int depth);
  void add(core::GlobalId id);

  core::Program& program_;
  Types& types_;
  CoreBuilder& core_;
  Unifier& unifier_;
  Globals& globals_;
  Contracts& contracts_;
  Layouts& layouts_;
  std::unordered_set<core::GlobalId> sampled_;

  // The definition that is sampled.
  bool has_signature_ = false;
  std::vector<Name> local_names_;
  std::vector<std::pair<Type*, std::int64_t>> sizes_;  // of its size variables
  // The parameter for which a value is made.
  Name parameter_;
  Span parameter_span_;
  bool inside_function_ = false;
};

}  // namespace sigrel::check
