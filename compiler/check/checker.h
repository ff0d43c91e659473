// The walk over modules: their types, signatures and definitions, group by group in dependency order.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/parts.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

/// Owns the parts; a base, because `PartReferences` needs them first.
struct OwnedParts {
  explicit OwnedParts(Diagnostics& diagnostics) : owned(diagnostics) {}
  Parts owned;
};

class Checker : private OwnedParts, private PartReferences {
 public:
  Checker(Diagnostics& diagnostics, const CheckOptions& options);
  core::Program run(std::span<const ast::Module> modules);

 private:
  // check.cpp
  void check_module(const ast::Module& module, bool sees_previous);
  void check_main();
  void check_main_type(core::GlobalId main, Type* type);
  void add_samples();

  // declare_types.cpp
  void declare_experiment();
  void declare_types(const ast::Module& module);
  void define_record(const ast::RecordDecl& decl, TypeConstructor& record);
  void check_rotation(const ast::RecordField& field, Type* type);
  void define_data(const ast::DataDecl& decl, TypeConstructor& data);

  // declare_definitions.cpp
  void declare_definitions(const ast::Module& module);
  core::GlobalId declare_value(const ast::Ident& name);
  core::GlobalId new_global(Name name, Span span) { return globals_.add(name, scopes_.module().name, span); }
  void declare_default_values(GlobalState& state);
  void read_default_values(const GlobalState& state);
  void read_signature(GlobalState& state);

  // declare_foreign.cpp
  void declare_foreign(const ast::ForeignDecl& foreign);
  std::optional<core::GlobalId> declare_derivative(const ast::ForeignDecl& foreign);
  std::uint32_t foreign_arity(const ast::ForeignDecl& foreign, Type* type);
  std::vector<Type*> partial_types(Type* function);

  // check_group.cpp
  using Skolems = std::vector<std::pair<Type*, Type*>>;
  void check_definitions(const std::vector<core::GlobalId>& globals);
  void check_group(const std::vector<core::GlobalId>& group);
  bool infer_group(const std::vector<core::GlobalId>& group);
  void infer_body(core::GlobalId id, Skolems& skolems);
  bool generalise(const std::vector<core::GlobalId>& group, const std::vector<Skolems>& skolems);
  void discard_group();
  void share_inside(GlobalState& state, const Skolems& skolems);

  CheckOptions options_;
  ExpressionChecker expressions_;
  RelationChecker relations_;

  // The declared types; expressions and types refer to them.
  std::deque<TypeConstructor> constructors_;
  std::deque<Constructor> data_constructors_;
  std::deque<Synonym> synonyms_;
};

}  // namespace sigrel::check
