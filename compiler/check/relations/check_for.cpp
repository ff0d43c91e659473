#include <tuple>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_for(const ast::ForItem* item, std::vector<core::Item*>& out) {
  core::Body body = check_loop(item, 0);
  out.insert(out.end(), body.items.begin(), body.items.end());
}

/// The loop of generator number `index`, with those of the later ones inside.
core::Body RelationChecker::check_loop(const ast::ForItem* item, std::size_t index) {
  if (index == item->generators.size()) return check_block(item->body);
  const ast::Generator& g = item->generators[index];
  core::ForItem loop{{core::ItemKind::For, item->span}, nullptr, {}, nullptr, nullptr, {}};
  Type* element;
  if (g.last) {
    Scopes::StaticRegion before_simulation(scopes_);
    element = types_.integer();
    loop.first = expressions_.check_expr(g.first, element, {ReasonKind::RangeEnd});
    loop.last = expressions_.check_expr(g.last, element, {ReasonKind::RangeEnd});
  } else {
    std::tie(loop.first, element) = check_elements(g.first);
  }
  std::size_t m = scopes_.mark();
  loop.pattern = expressions_.infer_pattern(g.pattern, element, {ReasonKind::None});
  matches_.add({loop.pattern}, element, g.pattern->span, true);
  if (g.pattern->kind == ast::PatternKind::Variable)
    loop.index_name = static_cast<const ast::VariablePattern*>(g.pattern)->name.name;
  if (g.pattern->kind == ast::PatternKind::Typed)
    loop.index_name = static_cast<const ast::TypedPattern*>(g.pattern)->name.name;
  loop.body = check_loop(item, index + 1);
  scopes_.release(m);
  core::Body body;
  body.items = core_.copy(std::vector<core::Item*>{core_.make(loop)});
  return body;
}

/// What a `for` goes through: a list, the elements of a vector, or the rows of a matrix. They may be signals;
/// how many there are is known before the simulation.
std::pair<core::Expr*, Type*> RelationChecker::check_elements(const ast::Expr* e) {
  Type* element = unifier_.fresh();
  const bool named = e->kind == ast::ExprKind::Variable || e->kind == ast::ExprKind::Field ||
                     e->kind == ast::ExprKind::Index;
  if (!named) return {expressions_.check_expr(e, types_.list(element), {ReasonKind::None}), element};
  Typed found = expressions_.infer(e, types_.list(element));
  Type* type = find(found.type);
  if (type->kind == TypeKind::Vector) return {found.expr, type->args[0]};
  if (!unifier_.agree(types_.list(element), type))
    messages_.mismatch(e, type, types_.list(element), {ReasonKind::None});
  return {found.expr, element};
}

}  // namespace sigrel::check
