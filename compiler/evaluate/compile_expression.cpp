// Expressions and patterns.
#include <algorithm>
#include <cassert>
#include <utility>

#include "compiler/evaluate/compiler.h"

namespace sigrel::evaluate {

void Compiler::expressions(std::span<core::Expr* const> list) {
  for (core::Expr* e : list) expression(e, false);
}

void Compiler::expression(const core::Expr* e, bool tail) {
  using core::ExprKind;
  if (parameterised_ && (rejected_ || compile_reading(e) || rejected_)) return;
  switch (e->kind) {
    case ExprKind::Int: constant(Value::of_int(static_cast<const core::IntExpr*>(e)->value), e->span); break;
    case ExprKind::Real:
      constant(Value::of_real(static_cast<const core::RealExpr*>(e)->value), e->span);
      break;
    case ExprKind::Bool:
      constant(Value::of_bool(static_cast<const core::BoolExpr*>(e)->value), e->span);
      break;
    case ExprKind::String:
      constant(Value::of_string(intern(static_cast<const core::StringExpr*>(e)->value), e->span.file),
               e->span);
      break;
    case ExprKind::Local: load(static_cast<const core::LocalExpr*>(e)->local, e->span); break;
    case ExprKind::Global: {
      auto* g = static_cast<const core::GlobalExpr*>(e);
      emit(Opcode::Global, e->span, g->global.value);
      if (g->layouts.empty()) break;
      for (const core::Layout* layout : g->layouts) this->layout(layout, e->span);
      emit(Opcode::Call, e->span, static_cast<std::uint32_t>(g->layouts.size()));
      break;
    }
    case ExprKind::Apply: {
      auto* a = static_cast<const core::ApplyExpr*>(e);
      expression(a->function, false);
      expressions(a->args);
      emit(tail && !unit_->relation ? Opcode::TailCall : Opcode::Call, e->span,
           static_cast<std::uint32_t>(a->args.size()));
      break;
    }
    case ExprKind::Lambda: lambda(static_cast<const core::LambdaExpr*>(e), global_.name); break;
    case ExprKind::Sigrel: relation(static_cast<const core::SigrelExpr*>(e)->relation, e->span); break;
    case ExprKind::Let: {
      auto* l = static_cast<const core::LetExpr*>(e);
      for (const core::Binding& b : l->bindings) new_slot(b.local);
      for (const core::Binding& b : l->bindings) {
        binding_value(b);
        emit(Opcode::Store, b.value->span, new_slot(b.local));
      }
      patch(l->bindings);
      expression(l->body, tail);
      break;
    }
    case ExprKind::If: {
      auto* i = static_cast<const core::IfExpr*>(e);
      expression(i->condition, false);
      branch(
          e->span, [&] { expression(i->then_branch, tail); }, [&] { expression(i->else_branch, tail); },
          tail);
      break;
    }
    case ExprKind::Case: {
      auto* c = static_cast<const core::CaseExpr*>(e);
      expression(c->scrutinee, false);
      std::vector<std::uint32_t> ends, choices;
      for (const core::Arm& arm : c->arms) {
        // The patterns are exhaustive: if none before matches a signal, the last one does.
        if (arm.pattern->kind == core::PatternKind::Construct && &arm != &c->arms.back())
          choices.push_back(emit(Opcode::Choose, e->span));
        std::uint32_t match = emit(Opcode::Match, arm.pattern->span, pattern(arm.pattern));
        expression(arm.body, tail);
        ends.push_back(emit(Opcode::Jump, e->span));
        set_b(match, here());
      }
      emit(Opcode::MatchFailure, e->span);
      for (std::uint32_t at : ends) set_a(at, here());
      // An arm that a signal chooses runs up to the Join of its choice.
      for (; !choices.empty(); choices.pop_back()) {
        set_a(choices.back(), here());
        emit(Opcode::Join, e->span);
      }
      break;
    }
    case ExprKind::Tuple: {
      auto* t = static_cast<const core::TupleExpr*>(e);
      expressions(t->elements);
      emit(Opcode::Tuple, e->span, static_cast<std::uint32_t>(t->elements.size()));
      break;
    }
    case ExprKind::Construct: construct(static_cast<const core::ConstructExpr*>(e)); break;
    case ExprKind::Record: {
      auto* r = static_cast<const core::RecordExpr*>(e);
      expressions(r->fields);
      emit(Opcode::Record, e->span, r->record.value, static_cast<std::uint32_t>(r->fields.size()));
      break;
    }
    case ExprKind::Update: {
      auto* u = static_cast<const core::UpdateExpr*>(e);
      expression(u->base, false);
      for (const core::FieldUpdate& f : u->updates) expression(f.value, false);
      code_.updates.push_back(u);
      emit(Opcode::Update, e->span, static_cast<std::uint32_t>(code_.updates.size() - 1));
      break;
    }
    case ExprKind::Field: {
      auto* f = static_cast<const core::FieldExpr*>(e);
      expression(f->base, false);
      emit(Opcode::Field, e->span, f->index, f->name.value);
      if (const core::Layout* l = layout_in_member(f); is_composite(l)) {
        layout(l, e->span);
        emit(Opcode::Expand, e->span);
      }
      break;
    }
    case ExprKind::Primitive: primitive(static_cast<const core::PrimitiveExpr*>(e)); break;
    case ExprKind::Index: {
      auto* i = static_cast<const core::IndexExpr*>(e);
      if (is_scalar_of_member(i) && !parameterised_)
        member(static_cast<const core::MemberExpr*>(i->base));
      else
        expression(i->base, false);
      IndexShape shape;
      for (const core::IndexPart& part : i->parts) {
        expression(part.first, false);
        if (part.last) expression(part.last, false);
        shape.slices.push_back(part.last != nullptr);
      }
      code_.indices.push_back(std::move(shape));
      emit(Opcode::Index, e->span, static_cast<std::uint32_t>(code_.indices.size() - 1));
      break;
    }
    case ExprKind::Vector: {
      auto* v = static_cast<const core::VectorExpr*>(e);
      expressions(v->elements);
      emit(Opcode::Vector, e->span, static_cast<std::uint32_t>(v->elements.size()));
      break;
    }
    case ExprKind::Label:
      varies_ = true;
      load(static_cast<const core::LabelExpr*>(e)->label, e->span);
      break;
    case ExprKind::Member: {
      auto* m = static_cast<const core::MemberExpr*>(e);
      member(m);
      if (!is_composite(m->layout)) break;
      layout(m->layout, m->span);
      emit(Opcode::Expand, m->span);
      break;
    }
    case ExprKind::Layout: layout(static_cast<const core::LayoutExpr*>(e)->layout, e->span); break;
    case ExprKind::BlockApply: {
      varies_ = true;
      auto* b = static_cast<const core::BlockApplyExpr*>(e);
      expression(b->relation, false);
      expression(b->inputs, false);
      emit(Opcode::BlockApply, e->span);
      break;
    }
  }
}

void Compiler::member(const core::MemberExpr* m) {
  varies_ = true;
  std::uint32_t bounds = 0;
  if (m->base->kind == core::ExprKind::Label) {
    auto* label = static_cast<const core::LabelExpr*>(m->base);
    load(label->label, label->span);
    expressions(label->indices);
    bounds += static_cast<std::uint32_t>(label->indices.size());
  } else {
    expression(m->base, false);
  }
  expressions(m->indices);
  code_.members.push_back(m);
  emit(Opcode::Member, m->span, static_cast<std::uint32_t>(code_.members.size() - 1),
       bounds + static_cast<std::uint32_t>(m->indices.size()));
}

bool Compiler::is_composite(const core::Layout* l) const {
  using core::LayoutKind;
  if (!l) return false;
  if (l->kind == LayoutKind::Record) return !code_.program().records[l->record.value].connector;
  return l->kind == LayoutKind::Vector || l->kind == LayoutKind::Variable;
}

/// Of a field of a connector inside an instance, `l.node.r`; null for other expressions.
const core::Layout* Compiler::layout_in_member(const core::Expr* e) const {
  if (e->kind == core::ExprKind::Member) {
    const core::Layout* l = static_cast<const core::MemberExpr*>(e)->layout;
    return is_composite(l) ? nullptr : l;  // a composite one is expanded already
  }
  if (e->kind != core::ExprKind::Field) return nullptr;
  const auto* f = static_cast<const core::FieldExpr*>(e);
  const core::Layout* base = layout_in_member(f->base);
  if (!base || base->kind != core::LayoutKind::Record || f->index >= base->elements.size()) return nullptr;
  return base->elements[f->index];
}

bool Compiler::is_scalar_of_member(const core::IndexExpr* i) const {
  if (i->base->kind != core::ExprKind::Member) return false;
  const core::Layout* l = static_cast<const core::MemberExpr*>(i->base)->layout;
  for (const core::IndexPart& part : i->parts) {
    if (part.last || !l || l->kind != core::LayoutKind::Vector || l->sizes.size() > 1) return false;
    l = l->elements[0];
  }
  return !is_composite(l);
}

void Compiler::primitive(const core::PrimitiveExpr* e) {
  using core::Primitive;
  auto is_chain = [&](const core::Expr* x) {
    if (x->kind != core::ExprKind::Primitive) return false;
    auto* p = static_cast<const core::PrimitiveExpr*>(x);
    if (parameterised_ && reading(x)) return false;
    return p->args.size() == 2 && p->op != Primitive::And && p->op != Primitive::Or;
  };
  if (e->op == Primitive::And || e->op == Primitive::Or) {
    expression(e->args[0], false);
    auto other = [&] { expression(e->args[1], false); };
    if (e->op == Primitive::And) {
      branch(e->span, other, [&] { constant(Value::of_bool(false), e->span); }, false);
    } else {
      branch(e->span, [&] { constant(Value::of_bool(true), e->span); }, other, false);
    }
    return;
  }
  std::vector<const core::PrimitiveExpr*> chain;
  const core::Expr* left = e;
  while (is_chain(left)) {
    chain.push_back(static_cast<const core::PrimitiveExpr*>(left));
    left = chain.back()->args[0];
  }
  if (chain.empty()) {
    expressions(e->args);
    emit(Opcode::Primitive, e->span, static_cast<std::uint32_t>(e->op),
         static_cast<std::uint32_t>(e->args.size()));
    return;
  }
  expression(left, false);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    expression((*it)->args[1], false);
    emit(Opcode::Primitive, (*it)->span, static_cast<std::uint32_t>((*it)->op), 2);
  }
}

void Compiler::construct(const core::ConstructExpr* e) {
  static const Name cons = intern(":");
  std::uint32_t items = 0;
  const core::Expr* rest = e;
  while (rest->kind == core::ExprKind::Construct) {
    auto* c = static_cast<const core::ConstructExpr*>(rest);
    if (c->name != cons || c->args.size() != 2) break;
    expression(c->args[0], false);
    ++items;
    rest = c->args[1];
  }
  if (items) {
    expression(rest, false);
    emit(Opcode::List, e->span, items);
    return;
  }
  expressions(e->args);
  emit(Opcode::Construct, e->span, e->tag, static_cast<std::uint32_t>(e->args.size()));
}

std::uint32_t Compiler::pattern(const core::Pattern* root) {
  struct Work {
    const core::Pattern* pattern;
    std::uint32_t at;
  };
  auto first = static_cast<std::uint32_t>(code_.patterns.size());
  code_.patterns.emplace_back();
  std::vector<Work> work{{root, first}};
  while (!work.empty()) {
    auto [p, at] = work.back();
    work.pop_back();
    PatternNode node{p->kind, 0,      p->integer, p->real,
                     {},      p->tag, 0,          static_cast<std::uint32_t>(p->elements.size())};
    if (p->kind == core::PatternKind::Variable) node.slot = new_slot(p->local);
    if (p->kind == core::PatternKind::Record) node.tag = p->record.value;
    if (p->kind == core::PatternKind::String) node.string = intern(p->string);
    node.first = static_cast<std::uint32_t>(code_.patterns.size());
    code_.patterns.resize(code_.patterns.size() + p->elements.size());
    for (std::uint32_t i = 0; i < node.count; ++i) work.push_back({p->elements[i], node.first + i});
    code_.patterns[at] = node;
  }
  return first;
}

}  // namespace sigrel::evaluate
