#include "compiler/check/types/deferred.h"

namespace sigrel::check {

Typed DeferredConstraints::literal(std::int64_t value, Span span, Type* hint) {
  if (hint && is_constructor(hint, types_.real_constructor))
    return {core_.make(core::RealExpr{{core::ExprKind::Real, span}, static_cast<double>(value)}), hint};
  auto* expr = core_.integer(value, span);
  if (hint && is_constructor(hint, types_.integer_constructor)) return {expr, types_.integer()};
  Type* type = unifier_.fresh(kNumber | kLiteral | kScalar);
  literals_.emplace_back(expr, type);
  return {expr, type};
}

void DeferredConstraints::solve() {
  for (bool progress = true; progress;) {
    while (solve_products(false) | solve_fields(false) | solve_indices(false)) {}
    // Nothing more follows from the known types: make one default choice, then see what follows from it.
    progress = solve_fields(true) || solve_indices(true) || solve_products(true);
  }
  products_.clear();
  fields_.clear();
  indices_.clear();
  decide_literals();
  check_equations();
}

void DeferredConstraints::decide_literals() {
  for (auto& [node, type] : literals_) {
    unifier_.default_variable(type);
    if (!is_constructor(type, types_.real_constructor)) continue;
    // The literal was used as a Real: the node becomes one in place.
    static_assert(sizeof(core::RealExpr) <= sizeof(core::IntExpr));
    core::RealExpr real{{core::ExprKind::Real, node->span}, static_cast<double>(node->value)};
    new (node) core::RealExpr(real);
  }
  literals_.clear();
  for (auto& [pattern, type] : literal_patterns_) {
    unifier_.default_variable(type);
    if (!is_constructor(type, types_.real_constructor)) continue;
    pattern->kind = core::PatternKind::Real;
    pattern->real = static_cast<double>(pattern->integer);
  }
  literal_patterns_.clear();
}

void DeferredConstraints::check_equations() {
  for (auto& e : equations_) {
    Type* type = find(e.type);
    while (type->kind == TypeKind::Vector) type = find(type->args[0]);
    if (type->kind != TypeKind::Constructor || !type->constructor->connector) continue;
    std::string flow;
    for (auto& f : type->constructor->fields)
      if (f.flow && flow.empty()) flow = text(f.name);
    diagnostics_
        .report(Code::ConnectorEquation, e.ast->span,
                "an equation between two " + std::string(text(type->constructor->name)) +
                    "s, which have the flow `" + flow + "`")
        .note("equal flows are not what joins two nodes: they sum to zero")
        .help("did you mean `connect`?");
  }
  equations_.clear();
}

}  // namespace sigrel::check
