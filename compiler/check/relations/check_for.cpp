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
  {
    Scopes::StaticRegion before_simulation(scopes_);
    if (g.last) {
      element = types_.integer();
      loop.first = expressions_.check_expr(g.first, element, {ReasonKind::RangeEnd});
      loop.last = expressions_.check_expr(g.last, element, {ReasonKind::RangeEnd});
    } else {
      element = unifier_.fresh();
      loop.first = expressions_.check_expr(g.first, types_.list(element), {ReasonKind::None});
    }
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

}  // namespace sigrel::check
