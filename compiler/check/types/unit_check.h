// Unit errors of a group of definitions, held back until its end: a group that states no unit is not held to
// any. Also the quantities that a unit was derived from, for the messages.
#pragma once
#include <string>
#include <vector>

#include "compiler/check/types/unify.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::check {

class UnitCheck {
 public:
  /// An expression with a unit of its own that occurs in a compound one.
  struct Quantity {
    const ast::Expr* expr;
    Type* type;
    bool plain_number;  // a literal without a unit, beside `*`
    bool divides = false;
  };

  UnitCheck(Types& types, Unifier& unifier, Diagnostics& diagnostics)
      : types_(types), unifier_(unifier), diagnostics_(diagnostics) {}

  void begin_group() { stated_ = false; }
  /// The group states a unit if `stated`, or if `type` has one.
  void note(bool stated) { stated_ = stated_ || stated; }
  void note(Type* type) { stated_ = stated_ || has_units(type); }
  /// Unifier::field_type of a field whose unit counts as stated.
  Type* field_type(const TypeConstructor& record, std::uint32_t index, Type* instance);

  void add_quantity(const Quantity& quantity) { quantities_.push_back(quantity); }
  /// The last quantity is a literal divisor.
  void mark_divisor() {
    if (!quantities_.empty()) quantities_.back().divides = true;
  }
  /// "`r` is Real<Ohm>, `i` is Real<A>": the quantities inside `span` from which its unit follows.
  std::string derivation(Span span) const;
  /// The source text of the quantity at `span`; "x" if it has none.
  std::string text_at(Span span) const;
  /// A literal inside `span`, outside every call in it, that may lack a unit, rather one that does not
  /// divide; or null.
  const Quantity* plain_literal(Span span) const;

  void hold(Diagnostic error) { errors_.push_back(std::move(error)); }
  /// Reports the errors if the group states a unit.
  void end_group();
  /// After errors that were not reported: the units of `type` that are still open are not stated.
  void forget_units(Type* type);
  bool units_forgotten() const { return forgotten_; }

 private:
  Types& types_;
  Unifier& unifier_;
  Diagnostics& diagnostics_;
  bool stated_ = false;
  bool forgotten_ = false;  // units disagree in a group that states none
  std::vector<Diagnostic> errors_;
  std::vector<Quantity> quantities_;  // of the group, in the order of inference
};

}  // namespace sigrel::check
