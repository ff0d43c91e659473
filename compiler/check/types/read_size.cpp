// Written sizes to types.
#include "compiler/check/types/type_reader.h"

namespace sigrel::check {

Type* TypeReader::convert_size(const ast::Expr* size, TypeScope& scope) {
  return scope.mode == TypeScope::Annotation ? annotation_size(size, scope) : signature_size(size, scope);
}

Type* TypeReader::annotation_size(const ast::Expr* size, TypeScope& scope) {
  // A name that nothing binds is a size that follows from the context.
  if (size->kind == ast::ExprKind::Variable) {
    auto& name = static_cast<const ast::VariableExpr*>(size)->name;
    if (!name.qualified && !scopes_.lookup_local(name.ident.name) && !scopes_.lookup_value(name, false))
      return variable(name.ident.name, size->span, scope, 0, Sort::Size);
  }
  Scopes::StaticRegion before_simulation(scopes_);
  return sizes_.form(check_size_(size));
}

// The names in a signature are parameters and quantified sizes, which have no values yet.
Type* TypeReader::signature_size(const ast::Expr* size, TypeScope& scope) {
  Linear linear;
  std::vector<std::pair<const ast::Expr*, Ratio>> work{{size, {1, 1}}};
  while (!work.empty()) {
    auto [e, weight] = work.back();
    work.pop_back();
    switch (e->kind) {
      case ast::ExprKind::Int:
        linear.constant[0] =
            linear.constant[0] + Ratio::of(static_cast<const ast::IntExpr*>(e)->value) * weight;
        continue;
      case ast::ExprKind::Variable: {
        auto& name = static_cast<const ast::VariableExpr*>(e)->name;
        if (name.qualified) break;
        linear.add(variable(name.ident.name, e->span, scope, 0, Sort::Size), weight);
        continue;
      }
      case ast::ExprKind::Unary:
        work.emplace_back(static_cast<const ast::UnaryExpr*>(e)->operand, -weight);
        continue;
      case ast::ExprKind::Binary: {
        auto* b = static_cast<const ast::BinaryExpr*>(e);
        if (b->op == ast::BinaryOp::Add || b->op == ast::BinaryOp::Sub) {
          work.emplace_back(b->right, b->op == ast::BinaryOp::Sub ? -weight : weight);
          work.emplace_back(b->left, weight);
          continue;
        }
        bool left = b->left->kind == ast::ExprKind::Int;
        const ast::Expr* factor = left ? b->left : b->right;
        if (b->op != ast::BinaryOp::Mul || factor->kind != ast::ExprKind::Int) break;
        work.emplace_back(left ? b->right : b->left,
                          weight * Ratio::of(static_cast<const ast::IntExpr*>(factor)->value));
        continue;
      }
      default: break;
    }
    Type* opaque = types_.skolem(intern("size"), 0);
    opaque->sort = Sort::Size;
    opaque->opaque = opaque->generic = true;
    opaque->size_ast = e;
    linear.add(opaque, weight);
  }
  if (linear.terms.empty() && linear.constant[0].num < 0) {
    diagnostics_.report(Code::TypeMismatch, size->span, "a size is not negative");
    return types_.error();
  }
  return types_.form(linear, Sort::Size);
}

}  // namespace sigrel::check
