#include <algorithm>
#include <optional>

#include "compiler/check/expressions/expression_checker.h"

namespace sigrel::check {
namespace {

using ast::ExprKind;

bool is_brackets(const ast::Expr* e) {
  return e->kind == ExprKind::Comprehension ||
         (e->kind == ExprKind::List && !static_cast<const ast::ListExpr*>(e)->elements.empty());
}

/// The number of elements of `[…]`, of its first element, …; nullopt where it is a comprehension.
std::vector<std::optional<std::int64_t>> shape_of(const ast::Expr* e) {
  std::vector<std::optional<std::int64_t>> shape;
  while (is_brackets(e)) {
    if (e->kind == ExprKind::Comprehension) {
      shape.push_back(std::nullopt);
      e = static_cast<const ast::ComprehensionExpr*>(e)->element;
    } else {
      const auto& elements = static_cast<const ast::ListExpr*>(e)->elements;
      shape.push_back(static_cast<std::int64_t>(elements.size()));
      e = elements[0];
    }
  }
  return shape;
}

/// Whether all rows of a list of lists have the same number of elements, as far as it is written.
bool is_rectangular(const ast::Expr* e) {
  if (e->kind != ExprKind::List) return true;
  const auto& rows = static_cast<const ast::ListExpr*>(e)->elements;
  return std::ranges::all_of(rows, [&](const ast::Expr* row) { return shape_of(row) == shape_of(rows[0]); });
}

}  // namespace

/// The `[…]` that a name is defined by, without a signature or parameters; null for other expressions.
const ast::Expr* ExpressionChecker::brackets_of(const ast::Expr* e) {
  if (e->kind != ExprKind::Variable) return nullptr;
  const ast::QualifiedIdent& name = static_cast<const ast::VariableExpr*>(e)->name;
  if (!name.qualified)
    if (const Local* local = scopes_.lookup_local(name.ident.name)) return local->brackets;
  const auto* entry = scopes_.lookup_value(name, false);
  if (!entry || entry->ambiguous || entry->meaning.kind != Value::Global) return nullptr;
  return brackets(globals_[entry->meaning.global].definition);
}

const ast::Expr* ExpressionChecker::brackets(const Definition& definition) {
  if (definition.signature || definition.clauses.size() != 1) return nullptr;
  const ast::ClauseDecl& clause = *definition.clauses[0];
  return clause.parameters.empty() && is_brackets(clause.body) ? clause.body : nullptr;
}

/// `list`, the use of a name, as the vector or matrix that its brackets would be here.
Typed ExpressionChecker::as_vector(const ast::Expr* name, Typed list, Type* hint) {
  Type* known = hint ? find(hint) : nullptr;
  if (!known ||
      (known->kind != TypeKind::Vector && !(known->kind == TypeKind::Variable && (known->needs & kSignal))))
    return list;
  const ast::Expr* brackets = brackets_of(name);
  if (!brackets || !is_rectangular(brackets)) return list;
  const auto shape = shape_of(brackets);
  std::size_t depth = 0;
  Type* element = find(list.type);
  for (; is_constructor(element, types_.list_constructor); element = find(element->args[0])) ++depth;
  if (depth != shape.size() || depth > 2) return list;
  for (std::size_t k = depth; k-- > 0;)
    element = types_.vector(element, shape[k] ? types_.size_literal(*shape[k]) : unifier_.fresh(Sort::Size));
  const auto conversion = depth == 1 ? core::Primitive::ToVector : core::Primitive::ToMatrix;
  return {core_.primitive(conversion, {list.expr}, name->span), element};
}

Typed ExpressionChecker::infer_list(const ast::ListExpr* e, Type* hint) {
  Type* known = hint ? find(hint) : nullptr;
  // A list is not a signal: where one is expected, the brackets are those of a vector.
  const bool is_signal = known && known->kind == TypeKind::Variable && (known->needs & kSignal);
  const bool vector = is_signal || (known && known->kind == TypeKind::Vector);
  Type* element = unifier_.fresh();
  if (vector && !is_signal)
    element = known->args[0];
  else if (known && is_constructor(known, types_.list_constructor))
    element = known->args[0];
  std::vector<core::Expr*> elements;
  Reason reason;
  const std::size_t errors = diagnostics_.error_count();
  for (auto* x : e->elements) {
    elements.push_back(check_expr(x, element, reason));
    if (reason.kind == ReasonKind::None) reason = {ReasonKind::Element, x->span, {}, 0, x, true};
    // Further elements may differ from the first one for the same cause, and so may the whole.
    if (diagnostics_.error_count() != errors) element = types_.error();
  }
  if (diagnostics_.error_count() != errors) return {core_.placeholder(e->span), types_.error()};
  if (vector)
    return {core_.make(core::VectorExpr{{core::ExprKind::Vector, e->span}, core_.copy(elements)}),
            types_.vector(element, types_.size_literal(static_cast<std::int64_t>(elements.size())))};
  core::Expr* list = core_.construct(types_.nil, {}, e->span);
  for (auto it = elements.rbegin(); it != elements.rend(); ++it)
    list = core_.construct(types_.cons, {*it, list}, e->span);
  return {list, types_.list(element)};
}

}  // namespace sigrel::check
