// Written types to types. In a signature a new name is a quantified variable; in an annotation inside a body
// it is a variable of the enclosing signature, else any type; in a declaration it must be a parameter.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "compiler/check/samples/contract.h"
#include "compiler/check/types/sizes.h"
#include "compiler/check/types/units.h"

namespace sigrel::check {

struct TypeScope {
  enum Mode : std::uint8_t { Signature, Annotation, Declaration } mode = Annotation;
  std::vector<std::pair<Name, Type*>> variables;
  bool misses_arrow = false;  // a type has too many arguments: they may be parameters of the function
};

class TypeReader {
 public:
  TypeReader(Diagnostics& diagnostics, Types& types, Unifier& unifier, Scopes& scopes, UnitCheck& units,
             Sizes& sizes, TypeMessages& messages, Contracts& contracts)
      : diagnostics_(diagnostics),
        types_(types),
        unifier_(unifier),
        scopes_(scopes),
        units_(units),
        sizes_(sizes),
        messages_(messages),
        contracts_(contracts) {}

  /// Sets the function that checks the size in an annotation as an Int expression.
  void set_size_checker(std::function<core::Expr*(const ast::Expr*)> check) {
    check_size_ = std::move(check);
  }

  Type* convert(const ast::Type* type, TypeScope& scope, Needs needs = 0);
  /// A type written inside a definition.
  Type* annotation(const ast::Type* type, Needs needs);
  /// The scheme of a signature; `variables` gets its type variables. The error type if a `->` seems to be
  /// missing, for then the number and the order of the parameters are unknown.
  Type* signature(const ast::SignatureDecl& signature, bool top_level,
                  std::vector<std::pair<Name, Type*>>& variables);
  /// The unit as a type; `value`, if given, is a number in it and becomes one in SI.
  Type* unit(const ast::Unit& written, bool variables, TypeScope& scope, double* value = nullptr);
  Type* expand_synonym(Synonym& synonym, Span span, Name name);

  /// The type variables of the enclosing signature.
  void clear_scoped_variables() { scoped_variables_.clear(); }
  void add_scoped_variable(Name name, Type* type) { scoped_variables_.emplace_back(name, type); }

 private:
  Type* convert_named(const ast::NamedType* type, TypeScope& scope, Needs needs);
  Type* apply_synonym(Synonym& synonym, const ast::NamedType* type, TypeScope& scope, Needs needs);
  void report_arity(const ast::NamedType* type, std::size_t takes, TypeScope& scope);
  Type* convert_relation(const ast::RelationType* type, TypeScope& scope);
  Type* convert_function(const ast::FunctionType* type, TypeScope& scope);
  void check_parameter_names(const ast::Type* signature);
  Type* convert_size(const ast::Expr* size, TypeScope& scope);
  Type* annotation_size(const ast::Expr* size, TypeScope& scope);
  Type* signature_size(const ast::Expr* size, TypeScope& scope);
  Type* variable(Name name, Span span, TypeScope& scope, Needs needs, Sort sort = Sort::Type);

  Diagnostics& diagnostics_;
  Types& types_;
  Unifier& unifier_;
  Scopes& scopes_;
  UnitCheck& units_;
  Sizes& sizes_;
  TypeMessages& messages_;
  Contracts& contracts_;
  std::function<core::Expr*(const ast::Expr*)> check_size_;
  std::vector<std::pair<Name, Type*>> scoped_variables_;
  // Of the signature that is read, what is behind the arrows so far: its parameters may have default values.
  const ast::Type* signature_rest_ = nullptr;
};

}  // namespace sigrel::check
