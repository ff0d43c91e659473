// Type variables: fresh ones, unification with levels (D. Rémy, Extending ML type system with a sorted
// equational theory, 1992), requirements on variables, and schemes (instantiate, quantify, skolemise).
//
// Types of different shape do not unify. Units never make unification fail: a disagreement is recorded, and
// `agree` reports it to its caller. Sizes fail only where they differ for every value of the parameters.
#pragma once
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/check/types/types.h"

namespace sigrel::check {

class Unifier {
 public:
  explicit Unifier(Types& types) : types_(types) {}

  // unify.cpp
  /// The nesting depth of definitions; fresh variables are at this level.
  std::uint32_t level() const { return level_; }
  void set_level(std::uint32_t level) { level_ = level; }
  void enter_level() { ++level_; }
  void leave_level() { --level_; }
  Type* fresh(Needs needs = 0) { return types_.variable(level_, needs); }
  Type* fresh(Sort sort) { return types_.variable(level_, 0, sort); }
  Type* fresh_real() { return types_.real(fresh(Sort::Unit)); }

  /// The limit of the parts of a type. A variable that would get a larger type becomes the error type.
  void set_largest_type(std::uint64_t parts) { largest_type_ = parts; }
  std::uint64_t largest_type() const { return largest_type_; }
  /// Whether a type was larger since the last call.
  bool take_large_type() { return std::exchange(has_large_type_, false); }

  /// Makes `a` and `b` equal up to units; false if their shapes differ.
  bool unify(Type* a, Type* b);
  /// `unify`, and the units agree too. After false, `unit_conflict` tells whether only units disagree.
  bool agree(Type* expected, Type* found);
  bool unit_conflict() const { return unit_conflict_; }
  void clear_unit_conflict() { unit_conflict_ = false; }
  /// Sizes are equal, or may be equal for some values of the parameters.
  bool unify_sizes(Type* a, Type* b);
  /// Adds `needs` to the variables in `type`; false if the type cannot offer them.
  bool require(Type* type, Needs needs);
  /// An undetermined number becomes Int if only integer literals were used at it, else Real.
  void default_variable(Type* variable);
  void default_numbers(Type* type);

  /// Sizes about which an enclosing condition or pattern says more than their names do.
  const std::unordered_set<Type*>& refined_sizes() const { return refined_sizes_; }
  void refine_size(Type* size) { refined_sizes_.insert(size); }
  void restore_refined_sizes(std::unordered_set<Type*> outer) { refined_sizes_ = std::move(outer); }

  // schemes.cpp
  Type* instantiate(Type* scheme);
  /// `instances` gets the instances of `wanted`, variables of the scheme.
  Type* instantiate(Type* scheme, std::span<Type* const> wanted, std::vector<Type*>& instances);
  Type* substitute(Type* type, std::span<Type* const> parameters, std::span<Type* const> args);
  /// The type of a field in `instance`, a type of the record.
  Type* field_type(const TypeConstructor& record, std::uint32_t index, Type* instance);
  /// Quantifies the variables deeper than `level` that nothing determines any more; true if there are any.
  bool quantify(Type* type, std::uint32_t level);
  /// Lowers the variables that are signals of a relation to the current level, so that they are not
  /// quantified.
  void keep_signals_monomorphic(Type* type, bool in_relation = false);
  /// The quantified variables that occur in the interface of a relation: a use passes a layout for each.
  void collect_layout_variables(Type* type, std::vector<Type*>& out, bool in_relation = false);
  /// Quantified variables become rigid, so that a body less general than its signature is refused. `sizes`
  /// gets the rigid sizes that are expressions over parameters.
  Type* skolemise(Type* scheme, std::vector<std::pair<Type*, Type*>>& skolems, std::vector<Type*>& sizes);

 private:
  bool unify_types(Type* a, Type* b);
  bool solve(const Linear& form, Sort sort);
  void unify_units(Type* a, Type* b);
  bool bind_variable(Type* variable, Type* type);

  Types& types_;
  std::uint32_t level_ = 0;
  std::uint64_t largest_type_ = Limits{}.types;
  bool has_large_type_ = false;
  bool unit_conflict_ = false;  // of the last `agree`
  std::unordered_set<Type*> refined_sizes_;
};

}  // namespace sigrel::check
