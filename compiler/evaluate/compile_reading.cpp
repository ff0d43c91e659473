// Parameterised items of loops: an equation or application that iterations share reads signals, sizes and
// numbers through its readings.
#include <algorithm>
#include <cassert>
#include <utility>

#include "compiler/evaluate/compiler.h"

namespace sigrel::evaluate {
namespace {

/// `l.x`, or a part of it such as `l.node.v` and `l.x[i]`.
bool is_part_of_member(const core::Expr* e) {
  for (;;) {
    if (e->kind == core::ExprKind::Member) return true;
    if (e->kind == core::ExprKind::Field)
      e = static_cast<const core::FieldExpr*>(e)->base;
    else if (e->kind == core::ExprKind::Index)
      e = static_cast<const core::IndexExpr*>(e)->base;
    else
      return false;
  }
}

}  // namespace

std::optional<Affine> Compiler::affine(const core::Expr* e) {
  Affine sum;
  struct Work {
    const core::Expr* e;
    std::int64_t factor;
  };
  std::vector<Work> work{{e, 1}};
  constexpr std::int64_t kSmall = 1 << 30;
  while (!work.empty()) {
    auto [x, factor] = work.back();
    work.pop_back();
    if (x->kind == core::ExprKind::Int) {
      std::int64_t v = static_cast<const core::IntExpr*>(x)->value;
      if (v > kSmall || v < -kSmall) return std::nullopt;
      sum.offset += factor * v;
    } else if (const core::Expr* value = let_value(x)) {
      work.push_back({value, factor});
    } else if (x->kind == core::ExprKind::Local) {
      CaptureSource source = resolve(*unit_, static_cast<const core::LocalExpr*>(x)->local);
      sum.terms.emplace_back(source.index, factor);
    } else if (x->kind == core::ExprKind::Primitive) {
      auto* p = static_cast<const core::PrimitiveExpr*>(x);
      if (p->op == core::Primitive::Add || p->op == core::Primitive::Sub) {
        work.push_back({p->args[1], p->op == core::Primitive::Add ? factor : -factor});
        work.push_back({p->args[0], factor});
      } else if (p->op == core::Primitive::Negate) {
        work.push_back({p->args[0], -factor});
      } else {
        return std::nullopt;
      }
    } else {
      return std::nullopt;
    }
  }
  return sum;
}

const core::Expr* Compiler::let_value(const core::Expr* e) {
  if (e->kind != core::ExprKind::Local) return nullptr;
  auto found = loop_lets_.find(static_cast<const core::LocalExpr*>(e)->local.value);
  if (found == loop_lets_.end()) return nullptr;
  if (++inlined_ > kMaxInlined) rejected_ = true;
  return rejected_ ? nullptr : found->second.value;
}

bool Compiler::counts(const core::Expr* e) {
  if (const core::Expr* value = let_value(e)) return counts(value);
  if (e->kind == core::ExprKind::Local) {
    auto local = static_cast<const core::LocalExpr*>(e)->local.value;
    return counters_.contains(local) || !declared_.contains(local);
  }
  if (e->kind != core::ExprKind::Primitive) return true;
  auto* p = static_cast<const core::PrimitiveExpr*>(e);
  return std::ranges::all_of(p->args, [&](const core::Expr* x) { return counts(x); });
}

std::optional<Reading> Compiler::reading(const core::Expr* e) {
  using core::ExprKind;
  using core::Primitive;
  Reading r;
  if (e->kind == ExprKind::Primitive) {
    auto* p = static_cast<const core::PrimitiveExpr*>(e);
    const bool compares = p->op >= Primitive::Equal && p->op <= Primitive::GreaterEqual;
    if (p->op != Primitive::ToReal && !(compares && counts(e))) return std::nullopt;
    auto left = affine(p->args[0]);
    auto right = compares ? affine(p->args[1]) : Affine{};
    if (!left || !right || left->terms.size() + right->terms.size() == 0) return std::nullopt;
    r.kind = compares ? Reading::Comparison : Reading::Number;
    r.op = p->op;
    r.left = *left;
    r.right = *right;
    return r;
  }
  const core::Expr* base = e;
  for (;;) {
    if (const core::Expr* value = let_value(base)) {
      base = value;
      r.strict = true;
      continue;
    }
    if (base->kind != ExprKind::Index && base->kind != ExprKind::Field) break;
    if (base->kind == ExprKind::Field) {
      auto* f = static_cast<const core::FieldExpr*>(base);
      r.steps.push_back({true, f->index, {}});
      base = f->base;
      continue;
    }
    auto* i = static_cast<const core::IndexExpr*>(base);
    for (auto part = i->parts.rbegin(); part != i->parts.rend(); ++part) {
      auto index = part->last ? std::nullopt : affine(part->first);
      if (!index) return std::nullopt;
      r.steps.push_back({false, 0, *index});
    }
    base = i->base;
  }
  std::ranges::reverse(r.steps);
  if (base->kind == ExprKind::Member) {
    if (r.steps.empty() && is_composite(static_cast<const core::MemberExpr*>(base)->layout))
      return std::nullopt;
    // A part of a hidden variable is denoted by a name, and an index in it may be out of range.
    auto* m = static_cast<const core::MemberExpr*>(base);
    if (m->base->kind != ExprKind::Label || !m->indices.empty() || (!m->interface_index && !r.steps.empty()))
      return std::nullopt;
    auto* label = static_cast<const core::LabelExpr*>(m->base);
    for (const core::Expr* index : label->indices) {
      auto iteration = affine(index);
      if (!iteration) return std::nullopt;
      r.iterations.push_back(*iteration);
    }
    r.member = m;
    r.local = resolve(*unit_, label->label).index;
    return r;
  }
  if (base->kind != ExprKind::Local) return std::nullopt;
  r.local = resolve(*unit_, static_cast<const core::LocalExpr*>(base)->local).index;
  return r;
}

bool Compiler::compile_reading(const core::Expr* e) {
  using core::ExprKind;
  switch (e->kind) {
    case ExprKind::Let:
    case ExprKind::Case:
    case ExprKind::Lambda:
    case ExprKind::Sigrel:
    case ExprKind::Label:
    case ExprKind::BlockApply:
    case ExprKind::Layout:
      rejected_ = true;  // it has locals of its own, or creates an instance or a closure
      return false;
    case ExprKind::Global:
      rejected_ |= !static_cast<const core::GlobalExpr*>(e)->layouts.empty();
      return false;
    default: break;
  }
  auto found = reading(e);
  rejected_ |= !found && is_part_of_member(e);
  if (rejected_) return false;
  if (!found) {
    const core::Expr* value = let_value(e);
    if (!value) return false;
    ++inline_depth_;
    expression(value, false);
    --inline_depth_;
    return true;
  }
  found->strict |= inline_depth_ > 0;
  auto& all = parameterised_->readings;
  auto at = std::ranges::find(all, *found);
  const auto k = static_cast<std::uint32_t>(at - all.begin());
  if (at == all.end()) {
    all.push_back(*found);
    // The slots are consecutive: no others are allocated while an item is parameterised.
    if (all.size() == 1) parameterised_->first = unit_->slots;
    ++unit_->slots;
  }
  emit(Opcode::Local, e->span, parameterised_->first + k);
  return true;
}

void Compiler::parameterise(const core::Item* item, const core::Expr* left, const core::Expr* right,
                            bool same_relation) {
  ParameterisedItem result;
  result.same_relation = same_relation;
  rejected_ = false;
  inlined_ = 0;
  for (auto [e, id] : {std::pair{left, &result.left}, std::pair{right, &result.right}}) {
    if (!e) continue;
    parameterised_ = &result;
    *id = begin_function(unit_->relation->relation->name, e->span);
    unit_->out = code_.functions_[*id].get();
    if (!rejected_) expression(e, false);
    emit(Opcode::Return, e->span);
    parameterised_ = nullptr;
  }
  if (!rejected_) unit_->relation->parameterised.emplace(item, std::move(result));
}

}  // namespace sigrel::evaluate
