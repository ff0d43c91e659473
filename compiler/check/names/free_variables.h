// The free variables of a tree: the names that it uses and does not bind. Users: the dependencies between
// definitions, the implicit locals of a relation body, the sizes of signatures.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/ast.h"

namespace sigrel::check {

class FreeVariables {
 public:
  virtual ~FreeVariables() = default;

  void expr(const ast::Expr* e);
  void items(std::span<ast::Item* const> body);
  /// The right sides of definitions that may refer to each other.
  void decls(std::span<ast::Decl* const> decls, const ast::Expr* body);
  void clause(const ast::ClauseDecl& clause);

 protected:
  /// A free variable. `delayed`: under a lambda or a sigrel, so that it is not needed to evaluate the tree.
  virtual void use(const ast::QualifiedIdent& name, bool delayed) = 0;
  /// A variable that is bound inside the tree: where it is bound, also as the field of a record that it is
  /// named after, and where it is used.
  virtual void binding(const ast::Ident&) {}
  virtual void field_variable(const ast::Ident&) {}
  virtual void use_bound(const ast::Ident&) {}
  /// The head of `head.field`; true if it is an instance label, not a variable.
  virtual bool label_head(Name) { return false; }
  virtual void sigrel(const ast::SigrelExpr& e);
  /// A type that is written inside the tree. The names in its sizes are no free variables.
  virtual void type(const ast::Type&) {}
  /// For `type`: the variables in the sizes of a type.
  void sizes(const ast::Type& type);
  /// Around each block of items, in the order in which the checker visits them.
  virtual void enter_block(bool /*loop*/, std::size_t /*loop_count*/) {}
  virtual void leave_block() {}
  /// The label of an item, or of a block in an expression: `part` is the Item or ConnectionExpr.
  virtual void label(const ast::Ident&, const void* /*part*/) {}

  void bind(const ast::Ident& name);
  void bind(const ast::Pattern* pattern);
  bool bound(Name name) const { return name.value < bound_.size() && bound_[name.value] != 0; }
  std::size_t mark() const { return trail_.size(); }
  void release(std::size_t mark);

  int delay_ = 0;
  int node_arguments_ = 0;  // > 0 inside the arguments of `<>` or `connect`

 private:
  void variable(const ast::QualifiedIdent& name);
  void item(const ast::Item* item);
  void block(std::span<ast::Item* const> body, bool loop = false, std::size_t loop_count = 0);
  void labels(std::span<ast::ConnectionExpr* const> blocks);
  void settings(std::span<ast::Setting> settings);
  void arguments(const ast::Expr* e);
  void bind_definitions(std::span<ast::Decl* const> decls);
  void definitions(std::span<ast::Decl* const> decls);

  std::vector<std::uint32_t> bound_;  // by name
  std::vector<Name> trail_;
};

}  // namespace sigrel::check
