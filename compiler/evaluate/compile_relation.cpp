// Relation literals: their slots, their items, and the chunks of bytecode of each item.
#include <algorithm>
#include <cassert>
#include <utility>

#include "compiler/evaluate/compiler.h"

namespace sigrel::evaluate {

void Compiler::relation(const core::Relation* r, Span span) {
  code_.relations_.push_back(std::make_unique<RelationCode>());
  RelationCode& code = *code_.relations_.back();
  code.relation = r;
  code.global = &global_;
  code.id = static_cast<std::uint32_t>(code_.relations_.size() - 1);
  Unit inner;
  inner.parent = unit_;
  inner.relation = &code;
  Unit* outer = std::exchange(unit_, &inner);
  const std::size_t loops = std::exchange(loops_, 0);
  for (const core::Formal& f : r->formals) declared_.insert(f.local.value), new_slot(f.local);
  for (const core::Formal& f : r->formals) chunk_layout(f.layout, f.span);
  body(r->body);
  code.slots = inner.slots;
  code.slot = std::move(inner.slot);
  code.captures = std::move(inner.captures);
  code.captured = std::move(inner.captured);
  unit_ = outer;
  loops_ = loops;
  emit(Opcode::Relation, span, code.id);
}

void Compiler::chunk(const core::Expr* e) {
  if (!e) return;
  std::uint32_t id = begin_function(unit_->relation->relation->name, e->span);
  unit_->out = code_.functions_[id].get();
  expression(e, false);
  emit(Opcode::Return, e->span);
  unit_->relation->chunks.emplace(e, id);
}

void Compiler::chunk_layout(const core::Layout* l, Span span) {
  if (!l || unit_->relation->layout_chunks.contains(l)) return;
  std::uint32_t id = begin_function(unit_->relation->relation->name, span);
  unit_->out = code_.functions_[id].get();
  layout(l, span);
  emit(Opcode::Return, span);
  unit_->relation->layout_chunks.emplace(l, id);
}

void Compiler::declaration(const core::SignalDecl& d) {
  new_slot(d.local);
  chunk_layout(d.layout, d.span);
  for (const core::Attribute& a : d.attributes) chunk(a.value);
}

void Compiler::pattern_slots(const core::Pattern* p) {
  if (p->kind == core::PatternKind::Variable) iteration_locals_.insert(p->local.value), new_slot(p->local);
  for (core::Pattern* e : p->elements) pattern_slots(e);
}

/// The variables of the pattern of a mode.
void Compiler::declare(const core::Pattern* p) {
  if (p->kind == core::PatternKind::Variable) {
    declared_.insert(p->local.value);
    if (loops_) iteration_locals_.insert(p->local.value);
    new_slot(p->local);
  }
  for (const core::Pattern* e : p->elements) declare(e);
}

void Compiler::declare(const core::Body& b) {
  auto slot = [&](core::LocalId local) {
    if (loops_) iteration_locals_.insert(local.value);
    new_slot(local);
  };
  for (const core::SignalDecl& d : b.locals) declared_.insert(d.local.value), slot(d.local);
  for (const core::Item* item : b.items) {
    if (item->kind == core::ItemKind::Application) {
      auto* a = static_cast<const core::ApplicationItem*>(item);
      if (a->label) new_slot(*a->label);
    } else if (item->kind == core::ItemKind::Let) {
      for (const core::Binding& x : static_cast<const core::LetItem*>(item)->bindings)
        declared_.insert(x.local.value), slot(x.local);
    } else if (item->kind == core::ItemKind::For) {
      auto* f = static_cast<const core::ForItem*>(item);
      pattern_slots(f->pattern);
      if (f->last && f->pattern->kind == core::PatternKind::Variable)
        counters_.insert(f->pattern->local.value);
      declare(f->body);
    } else if (item->kind == core::ItemKind::If) {
      auto* i = static_cast<const core::IfItem*>(item);
      declare(i->then_body);
      declare(i->else_body);
    } else if (item->kind == core::ItemKind::Discrete) {
      declared_.insert(static_cast<const core::DiscreteItem*>(item)->declaration.local.value);
      new_slot(static_cast<const core::DiscreteItem*>(item)->declaration.local);
    } else if (item->kind == core::ItemKind::When) {
      for (const core::WhenBranch& branch : static_cast<const core::WhenItem*>(item)->branches)
        declare(branch.body);
    } else if (item->kind == core::ItemKind::Every) {
      declare(static_cast<const core::EveryItem*>(item)->body);
    } else if (item->kind == core::ItemKind::Switch) {
      for (const core::Mode& mode : static_cast<const core::SwitchItem*>(item)->modes) {
        for (const core::Pattern* p : mode.parameters) declare(p);
        declare(mode.body);
      }
    } else if (item->kind == core::ItemKind::Initially || item->kind == core::ItemKind::Guess) {
      declare(static_cast<const core::BlockItem*>(item)->body);
    }
  }
}

void Compiler::body(const core::Body& b, std::span<const core::UntilItem> transitions) {
  declare(b);
  const core::Body* outer = std::exchange(body_, &b);
  if (loops_)
    for (const core::Item* item : b.items) {
      if (item->kind != core::ItemKind::Let) continue;
      const auto& bindings = static_cast<const core::LetItem*>(item)->bindings;
      if (std::ranges::none_of(bindings, [](const core::Binding& x) { return is_closure(x.value); }))
        for (const core::Binding& x : bindings)
          loop_lets_.insert_or_assign(x.local.value, LoopLet{x.value, item, &b});
    }
  // Finds the `let`s with uses other than parameterised equations of this block, transitively.
  std::vector<std::pair<const core::Item*, const core::Item*>> uses;
  auto used = [&](const core::Item* by) {
    for (std::uint32_t local : std::exchange(loaded_, {})) {
      const LoopLet& let = loop_lets_.at(local);
      if (by && let.body == &b)
        uses.emplace_back(by, let.item);
      else
        evaluated_.insert(let.item);
    }
  };
  used(nullptr);
  for (const core::SignalDecl& d : b.locals) declaration(d);
  used(nullptr);
  for (const core::Item* item : b.items) {
    this->item(item);
    used(item->kind == core::ItemKind::Let && is_loop_let(item) ? item : nullptr);
  }
  for (const core::UntilItem& until : transitions) {
    chunk(until.condition);
    target(until.target);
    used(nullptr);
  }
  for (bool more = true; std::exchange(more, false);)
    for (auto [by, let] : uses)
      if (evaluated_.contains(by)) more |= evaluated_.insert(let).second;
  if (loops_)
    for (const core::Item* item : b.items)
      if (item->kind == core::ItemKind::Let && !evaluated_.contains(item) && is_loop_let(item))
        unit_->relation->inlined.insert(item);
  body_ = outer;
}

bool Compiler::is_loop_let(const core::Item* item) const {
  const auto& bindings = static_cast<const core::LetItem*>(item)->bindings;
  return !bindings.empty() && loop_lets_.contains(bindings[0].local.value);
}

/// The target of a transition: an `if` is one of several transitions, whose parts are evaluated separately.
void Compiler::target(const core::Expr* e) {
  while (e->kind == core::ExprKind::If) {
    auto* choice = static_cast<const core::IfExpr*>(e);
    chunk(choice->condition);
    target(choice->then_branch);
    e = choice->else_branch;
  }
  chunk(e);
}

void Compiler::item(const core::Item* item) {
  using core::ItemKind;
  switch (item->kind) {
    case ItemKind::Equation: {
      auto* e = static_cast<const core::EquationItem*>(item);
      chunk(e->left);
      chunk(e->right);
      const std::vector<std::uint32_t> loaded = loaded_;
      if (loops_) parameterise(e, e->left, e->right, false);
      const bool parameterised = unit_->relation->parameterised.contains(e);
      for (std::uint32_t local : loaded)
        if (const LoopLet& let = loop_lets_.at(local); !parameterised || let.body != body_)
          evaluated_.insert(let.item);
      loaded_.clear();
      break;
    }
    case ItemKind::Application: {
      auto* a = static_cast<const core::ApplicationItem*>(item);
      varies_ = false;
      chunk(a->relation);
      const bool same_relation = !varies_;
      chunk(a->args);
      const std::vector<std::uint32_t> loaded = loaded_;
      if (loops_ && a->args) parameterise(a, a->args, nullptr, same_relation);
      loaded_ = loaded;
      break;
    }
    case ItemKind::Connect:
      for (core::Expr* e : static_cast<const core::ConnectItem*>(item)->nodes) chunk(e);
      break;
    case ItemKind::Let:
      for (const core::Binding& b : static_cast<const core::LetItem*>(item)->bindings) chunk(b.value);
      break;
    case ItemKind::For: {
      auto* f = static_cast<const core::ForItem*>(item);
      chunk(f->first);
      chunk(f->last);
      ++loops_;
      body(f->body);
      --loops_;
      break;
    }
    case ItemKind::If: {
      auto* i = static_cast<const core::IfItem*>(item);
      chunk(i->condition);
      body(i->then_body);
      body(i->else_body);
      break;
    }
    case ItemKind::Initially:
    case ItemKind::Guess: body(static_cast<const core::BlockItem*>(item)->body); break;
    case ItemKind::Steady:
      for (core::Expr* e : static_cast<const core::SteadyItem*>(item)->derivatives) chunk(e);
      break;
    case ItemKind::Assert: {
      auto* a = static_cast<const core::AssertItem*>(item);
      chunk(a->message);
      chunk(a->condition);
      break;
    }
    case ItemKind::Discrete: {
      auto* d = static_cast<const core::DiscreteItem*>(item);
      declaration(d->declaration);
      if (d->initial) chunk(d->initial);
      break;
    }
    case ItemKind::When:
      for (const core::WhenBranch& branch : static_cast<const core::WhenItem*>(item)->branches) {
        for (const core::Expr* condition : branch.conditions) chunk(condition);
        body(branch.body);
      }
      break;
    case ItemKind::Every: {
      auto* e = static_cast<const core::EveryItem*>(item);
      chunk(e->period);
      for (const core::Attribute& a : e->settings) chunk(a.value);
      body(e->body);
      break;
    }
    case ItemKind::Assign:
      chunk(static_cast<const core::AssignItem*>(item)->target);
      chunk(static_cast<const core::AssignItem*>(item)->value);
      break;
    case ItemKind::Terminate: chunk(static_cast<const core::TerminateItem*>(item)->condition); break;
    case ItemKind::Switch: {
      auto* s = static_cast<const core::SwitchItem*>(item);
      auto& switches = unit_->relation->switches;
      switches.emplace(s, static_cast<std::uint32_t>(switches.size()));
      chunk(s->initial);
      for (const core::Mode& mode : s->modes) {
        body(mode.body, mode.transitions);
      }
      break;
    }
    case ItemKind::Until: break;  // with its mode
  }
}

}  // namespace sigrel::evaluate
