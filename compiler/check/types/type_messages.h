// The messages about types: the type expected and why, the type found and why.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/check/names/globals.h"
#include "compiler/check/names/scopes.h"
#include "compiler/check/types/reason.h"
#include "compiler/check/types/unit_check.h"

namespace sigrel::check {

/// The name at the head of an application; empty if there is none.
std::string head_text(const ast::Expr* e);
/// A variable, field, element, call or literal as it stands in the source, arguments left out; else empty.
/// "`k`, `ti` and `td`".
std::string listed(const std::vector<std::string>& names);
std::string quantity_text(const ast::Expr& e);

class TypeMessages {
 public:
  TypeMessages(Diagnostics& diagnostics, Types& types, Unifier& unifier, Globals& globals, Scopes& scopes,
               UnitCheck& units)
      : diagnostics_(diagnostics),
        types_(types),
        unifier_(unifier),
        globals_(globals),
        scopes_(scopes),
        units_(units) {}

  /// The place and the wording of "x comes from here".
  using Origin = std::optional<std::pair<Span, std::string>>;

  /// `found_expr` has the type `found` where `expected` is needed: after Unifier::agree gave false. The other
  /// one for what is no expression, or none that helps refer to.
  void mismatch(const ast::Expr* found_expr, Type* found, Type* expected, const Reason& reason);
  void mismatch_at(Span span, Type* found, Type* expected, const Reason& reason, const std::string& why_found,
                   const Origin& origin, const ast::Expr* found_expr = nullptr);
  /// An operand of `sign` whose type cannot offer `needs` is reported; false then.
  bool require_operand(Type* type, Needs needs, const ast::Expr* e, std::string_view sign);
  void unknown_field(const ast::Ident& field, Type* record);
  /// A local variable of which a use was reported, with this type, agrees with everything from then on:
  /// errors at its other uses would have the same cause. So does, in this definition, a function that is used
  /// as if it were a variable: often the declaration of the variable is missing.
  void suppress_further_errors(const ast::Expr* e, Type* type);

  std::string describe(Type* type) const;
  /// What to write instead of a type that no signal has.
  void note_any_type(Diagnostic& d, const Type* variable) const;
  std::string signal_help(Type* type) const;
  std::string print(Type* type) const { return TypePrinter(types_).print(type); }
  /// Why a place expects its type, for "because …"; `origin` gets the construct that explains it.
  std::string reason_text(const Reason& reason, std::optional<Span>& origin) const;

 private:
  bool is_argument_list(const ast::Expr* e, Type* expected, const Reason& reason);
  /// How to convert, where a number or a Bool is expected and another one is found.
  void help_to_convert(Diagnostic& d, Type* found, Type* expected, const Reason& reason,
                       std::string_view found_head) const;
  void unit_mismatch(Span span, Type* found, Type* expected, const Reason& reason,
                     const std::string& why_found, const Origin& origin, const ast::Expr* found_expr);
  // unit_messages.cpp
  void help_with_units(Diagnostic& d, Span span, const Dimension& found, const Dimension& expected,
                       const ast::Expr* found_expr) const;
  Type* type_of_path(const ast::Expr* path) const;
  std::string field_with(const ast::Expr* e, const Dimension& wanted) const;
  std::string name_with(const Dimension& wanted, const ast::Expr* other_than) const;
  std::string because(const ast::Expr* e, std::optional<Span>& origin) const;

  Diagnostics& diagnostics_;
  Types& types_;
  Unifier& unifier_;
  Globals& globals_;
  Scopes& scopes_;
  UnitCheck& units_;
};

}  // namespace sigrel::check
