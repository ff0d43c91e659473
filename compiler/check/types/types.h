// Types while they are inferred. A type is a node in an arena; a variable is a union-find node whose `link`
// is set once. Types of global definitions are kept as schemes: variables at level kGeneric are the
// quantified ones.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/base/source.h"
#include "compiler/check/types/linear.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

struct Type;

/// Form: a unit or a size. Error: agrees with everything; as a unit, one that is not stated (plain `Real`);
/// as a size, one that only the elaborator knows.
enum class TypeKind : std::uint8_t {
  Variable,
  Skolem,
  Constructor,
  Tuple,
  Function,
  Relation,
  Vector,
  Form,
  Error
};

/// The domain of a variable, a rigid variable or a form.
enum class Sort : std::uint8_t { Type, Unit, Size };

/// Requirements on the type of a variable. Quantified variables keep Signal and Equality; the others are
/// defaulted.
using Needs = std::uint8_t;
inline constexpr Needs kNumber = 1;     // arithmetic: Int, Real, vectors of these
inline constexpr Needs kLiteral = 2;    // a plain integer literal was used at it: Int or Real
inline constexpr Needs kOrder = 4;      // <, <=, >, >=: Int, Real, String
inline constexpr Needs kEquality = 8;   // ==: types without functions and relations in them
inline constexpr Needs kSignal = 16;    // varies in time: numbers, Bool, records, tuples and vectors of them
inline constexpr Needs kScalar = 32;    // with kNumber: no vectors
inline constexpr Needs kReal = 64;      // with kNumber: not Int
inline constexpr Needs kPending = 128;  // a deferred constraint will determine it: not to be generalised

inline constexpr std::uint32_t kGeneric = 0xFFFFFFFF;

struct InterfaceName {
  bool named = false;
  Name name;
  core::Causality causality = core::Causality::None;
};

struct Constructor {
  Name name;
  Span span;
  struct TypeConstructor* owner = nullptr;
  std::uint32_t tag = 0;
  std::span<Type*> args;  // over the owner's parameters; none if it is damaged
  bool damaged = false;   // an error in its declaration was reported: its uses are not checked
};

struct Field {
  Name name;
  Span span;
  Type* type = nullptr;  // over the owner's parameters
  bool flow = false;
  bool rotation = false;
  std::optional<core::GlobalId> default_value;
};

enum class NominalKind : std::uint8_t { Builtin, Record, Data };

/// A nominal type: built in, a record, or an algebraic data type.
struct TypeConstructor {
  Name name;
  Name module;
  Span span;
  NominalKind kind = NominalKind::Builtin;
  std::vector<Type*> parameters;  // variables at kGeneric
  core::RecordId record;
  std::vector<Field> fields;
  std::unordered_map<Name, std::uint32_t> field_numbers;  // the first field with the name
  std::vector<Constructor*> constructors;
  bool connector = false;
  bool holds_relation = false;  // some value of it contains a relation or a function

  void add_field(const Field& field) {
    field_numbers.emplace(field.name, static_cast<std::uint32_t>(fields.size()));
    fields.push_back(field);
  }
  /// Whether it is a data type whose constructors have no fields. Its values may vary with time: as a signal,
  /// each is the number of its constructor.
  bool is_enumeration() const;
};

struct Type {
  TypeKind kind = TypeKind::Error;
  Sort sort = Sort::Type;   // Variable, Skolem, Form
  Needs needs = 0;          // Variable, Skolem
  std::uint32_t level = 0;  // Variable, Skolem
  Type* link = nullptr;     // Variable: the type that it was unified with
  Type* copy = nullptr;     // Variable: its instance, during instantiation only
  Name name;  // Skolem and Variable: as written; elsewhere the synonym through which it was written; if
              // `named`
  bool named = false;
  bool generic = false;  // some variable in it is quantified (set when a scheme is made)
  const TypeConstructor* constructor = nullptr;
  std::span<Type*> args;  // Constructor (of Real: its unit); Tuple; Function: from, to, and the size that a
                          // named parameter is; Relation: interface; Vector: element, size; Form: atoms
  std::span<InterfaceName> interface;  // Relation: one per interface variable, or empty when nothing is known
  std::optional<core::ContractId> contract;  // Relation: a written structural type; no part of equality
  Name contract_text;
  const Form* form = nullptr;       // Form
  core::Expr* size_expr = nullptr;  // Skolem of a size: its value, inside the definition `size_owner`
  std::uint32_t size_owner = 0;
  bool opaque = false;  // Skolem of a size: may equal other sizes; the elaborator knows the numbers
  const ast::Expr* size_ast = nullptr;  // Skolem of a size in a signature: an expression that is not a sum of
                                        // multiples
  Name parameter;              // Function: of the signature, or of the definition; none if it has no name
  bool has_parameter = false;  // Function: it prints as `(n :: Int) -> …`
  std::optional<core::GlobalId> default_value;  // Function: of the parameter
  Name default_text;
};

/// Follows links, compressing paths.
inline Type* find(Type* t) {
  Type* root = t;
  while (root->kind == TypeKind::Variable && root->link) root = root->link;
  while (t != root) {
    Type* next = t->link;
    t->link = root;
    t = next;
  }
  return root;
}

/// Makes types and holds the built-in ones.
class Types {
 public:
  explicit Types(Arena& arena);

  Type* variable(std::uint32_t level, Needs needs = 0, Sort sort = Sort::Type);
  Type* skolem(Name name, std::uint32_t level, Needs needs = 0);
  Type* apply(const TypeConstructor* constructor, const std::vector<Type*>& args);
  Type* list(Type* element);
  Type* tuple(const std::vector<Type*>& elements);
  Type* function(Type* from, Type* to);
  Type* relation(Type* interface, const std::vector<InterfaceName>& names);
  Type* vector(Type* element, Type* size);
  Type* real(Type* unit);
  /// The form as a type; a single atom stands for itself.
  Type* form(const Linear& linear, Sort sort);
  Type* size_literal(std::int64_t size);
  /// A copy of `type` that prints as the synonym `name`.
  Type* named(Type* type, Name name);
  /// The function `from` with another result: same parameter, with its name, its size and its default value.
  Type* with_result(Type* function, Type* result);

  Type* real() const { return real_; }      // of a unit that is not stated
  Type* number() const { return number_; }  // Real<1>
  Type* seconds() const { return seconds_; }
  Type* integer() const { return integer_; }
  Type* boolean() const { return boolean_; }
  Type* string() const { return string_; }
  Type* experiment() const { return experiment_; }
  Type* unit() const { return unit_; }
  Type* error() const { return error_; }

  TypeConstructor real_constructor, integer_constructor, boolean_constructor, string_constructor,
      list_constructor, experiment_constructor, interpolation_constructor, outside_constructor;
  Constructor nil, cons, false_constructor, true_constructor;
  Constructor linear, spline, hold, extend;  // of `Interpolation` and `Outside`

  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

 private:
  Type* make(Type prototype) { return arena_.make<Type>(prototype); }
  std::span<Type*> copy(const std::vector<Type*>& items) { return arena_.copy(items); }

  Arena& arena_;
  Type *real_, *number_, *seconds_, *integer_, *boolean_, *string_, *experiment_, *unit_, *error_;
};

bool is_constructor(Type* type, const TypeConstructor& constructor);
/// Whether a unit other than 1 occurs in the type, the fields of records excepted. Inferred types have powers
/// of seconds from `time` and `der` alone; `count_time` says whether these count.
bool has_units(Type* type, bool count_time = true);
/// Whether `type` is or contains a quantified variable.
inline bool is_generic(Type* type) {
  type = find(type);
  return type->generic || (type->kind == TypeKind::Variable && type->level == kGeneric);
}
bool is_record(Type* type);
std::optional<std::uint32_t> field_index(const TypeConstructor& record, Name name);
inline bool is_variable(Type* type) { return find(type)->kind == TypeKind::Variable; }
inline bool is_error(Type* type) { return find(type)->kind == TypeKind::Error; }

/// "V" of Real<V>, "1" of a number declared as Real<1>; empty where no unit is stated, or any is possible.
std::string stated_unit(Type* unit);

/// Prints types as the user writes them; one printer names variables consistently (a, b, …) across its calls.
class TypePrinter {
 public:
  explicit TypePrinter(const Types& types) : types_(types) {}
  /// A type of very many parts is shortened: the others are "…".
  std::string print(Type* type) {
    parts_ = 0;
    return print(type, 0);
  }

 private:
  std::string print(Type* type, int precedence);
  std::string size(Type* type);
  std::string unit(Type* type);
  std::string contract(Type* type);
  std::string variable(Type* type);

  const Types& types_;
  std::size_t parts_ = 0;  // printed so far
  std::vector<Type*> variables_, units_;
};

}  // namespace sigrel::check
