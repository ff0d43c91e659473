#include "compiler/check/types/sizes.h"

namespace sigrel::check {

Type* Sizes::atom(core::Expr* e) {
  Type* type = types_.skolem(intern("size"), unifier_.level());
  type->sort = Sort::Size;
  type->opaque = true;
  type->size_expr = e;
  type->size_owner = core_.current().value;
  if (e->kind == core::ExprKind::Local) {
    type->name = core_.local_name(static_cast<core::LocalExpr*>(e)->local);
    type->named = true;
  }
  return type;
}

Type* Sizes::form(core::Expr* size) {
  Linear linear;
  std::vector<std::pair<core::Expr*, Ratio>> work{{size, {1, 1}}};
  while (!work.empty()) {
    auto [e, weight] = work.back();
    work.pop_back();
    if (e->kind == core::ExprKind::Int) {
      linear.constant[0] = linear.constant[0] + Ratio::of(static_cast<core::IntExpr*>(e)->value) * weight;
      continue;
    }
    if (e->kind == core::ExprKind::Local) {
      Type*& known = atoms_[static_cast<core::LocalExpr*>(e)->local];
      if (!known) known = atom(e);
      linear.add(known, weight);
      continue;
    }
    if (e->kind == core::ExprKind::Primitive) {
      auto* p = static_cast<core::PrimitiveExpr*>(e);
      if (p->op == core::Primitive::Add || p->op == core::Primitive::Sub) {
        work.emplace_back(p->args[1], p->op == core::Primitive::Sub ? -weight : weight);
        work.emplace_back(p->args[0], weight);
        continue;
      }
      if (p->op == core::Primitive::Negate) {
        work.emplace_back(p->args[0], -weight);
        continue;
      }
      if (p->op == core::Primitive::Mul) {
        std::size_t factor = p->args[0]->kind == core::ExprKind::Int ? 0 : 1;
        if (p->args[factor]->kind == core::ExprKind::Int) {
          work.emplace_back(p->args[1 - factor],
                            weight * Ratio::of(static_cast<core::IntExpr*>(p->args[factor])->value));
          continue;
        }
      }
    }
    linear.add(atom(e), weight);
  }
  return types_.form(linear, Sort::Size);
}

void Sizes::refine(core::Expr* condition) {
  if (atoms_.empty()) return;
  std::vector<core::Expr*> work{condition};
  while (!work.empty()) {
    core::Expr* e = work.back();
    work.pop_back();
    if (e && e->kind == core::ExprKind::Local) {
      refine(static_cast<core::LocalExpr*>(e)->local);
    } else if (e && e->kind == core::ExprKind::Primitive) {
      for (core::Expr* arg : static_cast<core::PrimitiveExpr*>(e)->args) work.push_back(arg);
    }
  }
}

void Sizes::refine(core::LocalId local) {
  if (auto at = atoms_.find(local); at != atoms_.end()) unifier_.refine_size(at->second);
}

core::Expr* Sizes::value(Type* size) {
  Linear linear;
  linear.add(size, {1, 1});
  if (linear.unknown) return nullptr;
  Span span = core_.span();
  auto integer = [&](std::int32_t value) -> core::Expr* { return core_.integer(value, span); };
  core::Expr* sum = nullptr;
  auto plus = [&](core::Expr* e) { sum = sum ? core_.primitive(core::Primitive::Add, {sum, e}, span) : e; };
  for (auto& term : linear.terms) {
    if (!term.atom->size_expr || term.atom->size_owner != core_.current().value || !term.weight.integral())
      return nullptr;
    plus(term.weight.num == 1
             ? term.atom->size_expr
             : core_.primitive(core::Primitive::Mul, {integer(term.weight.num), term.atom->size_expr}, span));
  }
  if (!sum || linear.constant[0].num != 0) plus(integer(linear.constant[0].num));
  return sum;
}

}  // namespace sigrel::check
