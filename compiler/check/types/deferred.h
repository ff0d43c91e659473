// Deferred constraints: products, fields, indices and literals whose types may become known only later in the
// group of definitions. `solve`, at the end of the group, propagates the known types, and makes
// one default choice only when nothing follows any more.
#pragma once
#include <utility>
#include <vector>

#include "compiler/check/types/sizes.h"
#include "compiler/check/types/type_messages.h"
#include "compiler/check/types/typed.h"

namespace sigrel::check {

/// `left * right`, `left / right` or `left ^ power`, as a type.
struct Product {
  Type *left, *right, *result;  // result: a variable for it while it is deferred, else null
  ast::BinaryOp op;             // Mul, Div or Pow
  Ratio power;                  // Pow
  Span span;
  const ast::Expr *left_ast, *right_ast;
  bool done = false;
};

class DeferredConstraints {
 public:
  DeferredConstraints(Diagnostics& diagnostics, Types& types, CoreBuilder& core, Unifier& unifier,
                      Scopes& scopes, UnitCheck& units, Sizes& sizes, TypeMessages& messages)
      : diagnostics_(diagnostics),
        types_(types),
        core_(core),
        unifier_(unifier),
        scopes_(scopes),
        units_(units),
        sizes_(sizes),
        messages_(messages) {}

  /// An integer literal: Int or Real, as its use decides. `hint`: the type expected, or null.
  Typed literal(std::int64_t value, Span span, Type* hint);
  void add_literal_pattern(core::Pattern* pattern, Type* type) {
    literal_patterns_.emplace_back(pattern, type);
  }
  /// An equation; between connectors it is reported at the end of the group.
  void add_equation(const ast::EquationItem& equation, Type* type) {
    equations_.push_back({&equation, type});
  }

  // deferred_product.cpp
  Type* product(Product p);
  /// The constraint that `result` is `type` per second; its index for `try_product`.
  std::size_t add_rate(Type* type, Type* result, Span span);
  /// The number of products; to see whether a builtin added one.
  std::size_t product_count() const { return products_.size(); }
  /// Solves this product now if its operands are known.
  void try_product(std::size_t index);

  // deferred_field.cpp
  Typed select(Typed base, const ast::Ident& field, Span span, const ast::Expr* base_ast);
  /// A field selection was copied to `to`.
  void move_field(const core::Expr* from, core::FieldExpr* to);

  // deferred_index.cpp
  /// The type of `base[parts]`.
  Type* indexed(Type* base, std::span<const core::IndexPart> parts, Span span);

  /// At the end of the group.
  void solve();
  /// A new group of definitions: after an error in it, types may be unknown for that reason.
  void begin_group() { errors_before_ = diagnostics_.error_count(); }

 private:
  struct Field {
    core::FieldExpr* node;
    Type* base;
    ast::Ident field;
    Type* result;
    Span base_span;
    bool done = false;
  };
  struct Index {
    Type *base, *result;
    std::span<const core::IndexPart> parts;
    Span span;
    bool done = false;
  };
  struct Equation {
    const ast::EquationItem* ast;
    Type* type;
  };

  Type* solve_product(const Product& p);
  Type* factors_differ(const Product& p, Type* left, Type* right);
  Type* vector_product(Type* left, Type* right, const Product& p);
  Type* scale_vector(Type* vector, Type* by, const ast::Expr* by_ast, const Product& p);
  Type* scaled(Type* type, Type* unit, Ratio power);
  void guess_operand(Type* operand, Type* other);
  bool resolve_field(core::FieldExpr* node, Type* base, const ast::Ident& field, Type*& result,
                     Span base_span, bool last);
  bool record_of_field(const ast::Ident& field, Type*& base, Span base_span, bool last, bool& failed);
  Type* index_type(Type* base, std::span<const core::IndexPart> parts, bool at_end, bool& unknown);
  Type* not_indexable(Type* base, Span span);
  bool solve_products(bool defaults);
  bool solve_fields(bool last);
  bool solve_indices(bool last);
  void decide_literals();
  void check_equations();

  Diagnostics& diagnostics_;
  std::size_t errors_before_ = 0;  // those before the group
  Types& types_;
  CoreBuilder& core_;
  Unifier& unifier_;
  Scopes& scopes_;
  UnitCheck& units_;
  Sizes& sizes_;
  TypeMessages& messages_;
  std::vector<Product> products_;
  std::vector<Field> fields_;
  std::vector<Index> indices_;
  std::vector<Equation> equations_;
  std::vector<std::pair<core::IntExpr*, Type*>> literals_;
  std::vector<std::pair<core::Pattern*, Type*>> literal_patterns_;
};

}  // namespace sigrel::check
