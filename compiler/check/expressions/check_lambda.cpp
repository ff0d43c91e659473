#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

core::Expr* ExpressionChecker::check_lambda(const ast::LambdaExpr* e, Type* expected, const Reason& reason) {
  std::size_t m = scopes_.mark();
  std::vector<core::LocalId> ids;
  std::vector<std::pair<core::LocalId, core::Pattern*>> matched;
  std::vector<Span> spans;
  Type* type = expected;
  bool failed = false;
  for (auto* p : e->parameters) {
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* function = types_.function(unifier_.fresh(), unifier_.fresh());
      if (unifier_.unify(type, function)) type = function;
    }
    Type* from = types_.error();
    if (type->kind == TypeKind::Function) {
      from = type->args[0];
      type = type->args[1];
    } else if (!failed) {
      failed = true;
      if (type->kind != TypeKind::Error) {
        Type* found = types_.function(unifier_.fresh(), unifier_.fresh());
        messages_.mismatch(e, found, type, reason);
      }
      type = types_.error();
    }
    if (p->kind == ast::PatternKind::Variable) {
      auto& name = static_cast<const ast::VariablePattern*>(p)->name;
      ids.push_back(scopes_.bind(Local::Value, name.name, from, name.span)->id);
    } else {
      ids.push_back(core_.new_local(intern("argument")));
      core::Pattern* pattern = infer_pattern(p, from, {ReasonKind::None});
      matches_.add({pattern}, from, p->span, true);
      matched.emplace_back(ids.back(), pattern);
      spans.push_back(p->span);
    }
  }
  core::Expr* body = check_expr(e->body, type, failed ? Reason{} : reason);
  for (std::size_t i = matched.size(); i-- > 0;) {
    core::Expr* scrutinee = core_.local(matched[i].first, spans[i]);
    body = core_.make(core::CaseExpr{{core::ExprKind::Case, e->span},
                                     scrutinee,
                                     core_.copy(std::vector<core::Arm>{{matched[i].second, body}})});
  }
  scopes_.release(m);
  return core_.lambda(ids, body, e->span);
}

}  // namespace sigrel::check
