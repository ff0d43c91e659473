#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {

core::Expr* ExpressionChecker::check_comprehension(const ast::ComprehensionExpr* e, Type* expected,
                                                   const Reason& reason) {
  Type* known = find(expected);
  bool vector = known->kind == TypeKind::Vector;
  Type* element = vector ? known->args[0] : unifier_.fresh();
  if (!vector && !unifier_.agree(expected, types_.list(element))) {
    messages_.mismatch(e, types_.list(element), expected, reason);
    element = unifier_.fresh();
  }
  std::size_t m = scopes_.mark();
  core::Expr* list = generators(e, 0, element, {});
  scopes_.release(m);
  return vector ? core_.primitive(core::Primitive::ToVector, {list}, e->span) : list;
}

// [e | p in xs, …] is  let go = \l -> case l of { [] -> []; p : r -> e : go r; _ : r -> go r } in go xs,
// with `… ++ go r` for all generators but the last.
core::Expr* ExpressionChecker::generators(const ast::ComprehensionExpr* e, std::size_t index, Type* element,
                                          const Reason& reason) {
  const ast::Generator& g = e->generators[index];
  bool last = index + 1 == e->generators.size();
  Span span = e->span;
  Type* item;
  core::Expr* list;
  if (g.last) {
    item = types_.integer();
    core::Expr* from = check_expr(g.first, item, {ReasonKind::RangeEnd});
    core::Expr* to = check_expr(g.last, item, {ReasonKind::RangeEnd});
    list = core_.primitive(core::Primitive::Range, {from, to}, join(g.first->span, g.last->span));
  } else {
    item = unifier_.fresh();
    list = check_expr(g.first, types_.list(item), {ReasonKind::None});
  }
  core::LocalId go = core_.new_local(intern("go")), all = core_.new_local(intern("list")),
                rest = core_.new_local(intern("rest"));
  auto again = [&](core::LocalId rest) {
    return core_.apply(core_.local(go, span), {core_.local(rest, span)}, span);
  };
  core::Pattern* p = infer_pattern(g.pattern, item, {ReasonKind::None});
  core::Expr* body;
  if (last)
    body = core_.construct(types_.cons, {check_expr(e->element, element, reason), again(rest)}, span);
  else
    body = core_.primitive(core::Primitive::Append, {generators(e, index + 1, element, reason), again(rest)},
                           span);
  auto cell = [&](core::Pattern* head, core::LocalId rest) {
    core::Pattern* tail = core_.pattern(core::PatternKind::Variable, span);
    tail->local = rest;
    return core_.construct_pattern(types_.cons.tag, {head, tail}, span);
  };
  std::vector<core::Arm> arms{
      {core_.construct_pattern(types_.nil.tag, {}, span), core_.construct(types_.nil, {}, span)},
      {cell(p, rest), body}};
  if (p->kind != core::PatternKind::Variable && p->kind != core::PatternKind::Wildcard) {
    core::LocalId skipped = core_.new_local(intern("rest"));
    arms.push_back({cell(core_.pattern(core::PatternKind::Wildcard, span), skipped), again(skipped)});
  }
  core::Expr* match =
      core_.make(core::CaseExpr{{core::ExprKind::Case, span}, core_.local(all, span), core_.copy(arms)});
  std::vector<core::Binding> bindings{{go, intern("go"), core_.lambda({all}, match, span)}};
  core::Expr* start = core_.apply(core_.local(go, span), {list}, span);
  return core_.make(core::LetExpr{{core::ExprKind::Let, span}, core_.copy(bindings), start});
}

}  // namespace sigrel::check
