// Written structural types: `{p.v n.v; p.i n.i}`, `{1 1 0; 0 1 1}`, `{#2}`, `like resistor`. They are no part
// of type equality. Where an expression meets a type with a contract, the expression is wrapped in
// Primitive::Claim; the result of a definition is verified by its sample instead.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/check/expressions/core_builder.h"
#include "compiler/check/names/globals.h"
#include "compiler/check/names/scopes.h"
#include "compiler/check/types/type_messages.h"

namespace sigrel::check {

class Contracts {
 public:
  Contracts(Diagnostics& diagnostics, core::Program& program, CoreBuilder& core, Unifier& unifier,
            Globals& globals, Scopes& scopes, TypeMessages& messages)
      : diagnostics_(diagnostics),
        program_(program),
        core_(core),
        unifier_(unifier),
        globals_(globals),
        scopes_(scopes),
        messages_(messages) {}

  /// Gives `relation` the written contract, which `resolve` reads.
  void attach(Type* relation, const ast::StructuralAnnotation& written);
  /// Reads the contracts attached since the last call, when all definitions of a module have their types.
  void resolve();
  /// The result type of the global that is being inferred; its contract is verified by its sample.
  void set_own_result(Type* type) { own_result_ = type; }
  /// `e`, a relation or a function that gives one, has to keep the contract of the type it meets.
  core::Expr* claim(core::Expr* e, Type* expected, bool argument, Span span);
  /// The number of scalars of a signal, if every size is known; bounded, for the comparison of contracts.
  std::optional<std::uint32_t> scalar_count(Type* type) const;

 private:
  /// A part of the interface: its type and its first scalar.
  struct Part {
    Type* type;
    std::uint32_t first;
  };
  struct Unresolved {
    core::ContractId id;
    const ast::StructuralAnnotation* written;
    Type* relation;
  };
  using Rows = std::vector<std::vector<std::uint32_t>>;

  void resolve(const Unresolved& contract);
  void resolve_count(core::Contract& contract, const Unresolved& unresolved);
  void resolve_like(core::Contract& contract, const Unresolved& unresolved);
  std::optional<std::vector<Part>> column(const ast::Expr* e, Type* relation) const;
  std::optional<std::vector<Part>> variable_column(const ast::Ident& name, Type* relation) const;
  std::optional<std::vector<Part>> field_column(const ast::FieldExpr& e, Type* relation) const;
  std::optional<std::vector<Part>> index_column(const ast::IndexExpr& e, Type* relation) const;
  std::optional<Rows> rows(const ast::StructuralAnnotation& written, Type* relation,
                           std::optional<std::uint32_t> scalars) const;

  Diagnostics& diagnostics_;
  core::Program& program_;
  CoreBuilder& core_;
  Unifier& unifier_;
  Globals& globals_;
  Scopes& scopes_;
  TypeMessages& messages_;
  std::vector<Unresolved> unresolved_;
  std::unordered_map<const ast::StructuralAnnotation*, core::ContractId> contract_of_;
  Type* own_result_ = nullptr;
};

}  // namespace sigrel::check
