#include "compiler/session/settings.h"

namespace sigrel::session {
namespace {

/// Pushes the subexpressions that may contain an experiment or a list of strings.
void push_parts(const ast::Expr* expr, std::vector<const ast::Expr*>& work) {
  using ast::ExprKind;
  switch (expr->kind) {
    case ExprKind::With: {
      auto* with = static_cast<const ast::WithExpr*>(expr);
      work.push_back(with->base);
      for (const ast::Setting& s : with->settings) work.push_back(s.value);
      break;
    }
    case ExprKind::List:
      for (const ast::Expr* e : static_cast<const ast::ListExpr*>(expr)->elements) work.push_back(e);
      break;
    case ExprKind::Binary:
      work.push_back(static_cast<const ast::BinaryExpr*>(expr)->left);
      work.push_back(static_cast<const ast::BinaryExpr*>(expr)->right);
      break;
    case ExprKind::If:
      work.push_back(static_cast<const ast::IfExpr*>(expr)->then_branch);
      work.push_back(static_cast<const ast::IfExpr*>(expr)->else_branch);
      break;
    case ExprKind::Let: work.push_back(static_cast<const ast::LetExpr*>(expr)->body); break;
    case ExprKind::Lambda: work.push_back(static_cast<const ast::LambdaExpr*>(expr)->body); break;
    default: break;  // contains no settings
  }
}

}  // namespace

std::vector<std::optional<Span>> locate_setting(const ast::Module& module, std::string_view setting,
                                                const std::vector<std::string>& values) {
  std::vector<std::optional<Span>> spans(values.size());
  std::vector<const ast::Expr*> work;
  for (const ast::Decl* decl : module.decls)
    if (decl->kind == ast::DeclKind::Clause) work.push_back(static_cast<const ast::ClauseDecl*>(decl)->body);
  std::vector<const ast::Expr*> lists;
  while (!work.empty()) {
    const ast::Expr* expr = work.back();
    work.pop_back();
    if (!expr) continue;
    if (expr->kind == ast::ExprKind::With)
      for (const ast::Setting& s : static_cast<const ast::WithExpr*>(expr)->settings)
        if (text(s.name.name) == setting) lists.push_back(s.value);
    push_parts(expr, work);
  }
  while (!lists.empty()) {
    const ast::Expr* expr = lists.back();
    lists.pop_back();
    if (!expr) continue;
    if (expr->kind == ast::ExprKind::String)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!spans[i] && static_cast<const ast::StringExpr*>(expr)->value == values[i]) spans[i] = expr->span;
    push_parts(expr, lists);
  }
  return spans;
}

}  // namespace sigrel::session
