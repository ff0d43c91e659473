// Units, slots and captures, functions.
#include <algorithm>
#include <cassert>
#include <utility>

#include "compiler/evaluate/compiler.h"

namespace sigrel::evaluate {

std::uint32_t Compiler::global(core::GlobalId program_id) {
  Unit unit;
  std::uint32_t id = begin_function(global_.name, global_.span);
  unit.out = code_.functions_[id].get();
  unit_ = &unit;
  if (global_.foreign) {
    foreign(program_id);
  } else if (global_.layout_parameters > 0) {  // uses apply it to its layouts first
    std::vector<core::LocalId> layouts;
    for (std::uint32_t i = 0; i < global_.layout_parameters; ++i) layouts.push_back(core::LocalId(i));
    core::LambdaExpr lambda{{core::ExprKind::Lambda, global_.span}, layouts, global_.body};
    expression(&lambda, true);
  } else {
    expression(global_.body, true);
  }
  finish(unit);
  return id;
}

std::uint32_t Compiler::begin_function(Name name, Span span) {
  code_.functions_.push_back(std::make_unique<FunctionCode>());
  code_.functions_.back()->name = name;
  code_.functions_.back()->span = span;
  return static_cast<std::uint32_t>(code_.functions_.size() - 1);
}

void Compiler::finish(Unit& unit) {
  emit(Opcode::Return, unit.out->span);
  unit.out->slots = unit.slots;
  unit.out->captures = std::move(unit.captures);
}

std::uint32_t Compiler::emit(Opcode op, Span span, std::uint32_t a, std::uint32_t b) {
  unit_->out->code.push_back({op, a, b});
  unit_->out->spans.push_back(span);
  return static_cast<std::uint32_t>(unit_->out->code.size() - 1);
}

void Compiler::constant(Value v, Span span) {
  code_.constants.push_back(v);
  emit(Opcode::Constant, span, static_cast<std::uint32_t>(code_.constants.size() - 1));
}

std::uint32_t Compiler::new_slot(core::LocalId local) {
  auto [it, fresh] = unit_->slot.try_emplace(local.value, unit_->slots);
  if (fresh) ++unit_->slots;
  return it->second;
}

CaptureSource Compiler::resolve(Unit& unit, core::LocalId local) {
  if (loop_lets_.contains(local.value)) loaded_.push_back(local.value);
  varies_ |= iteration_locals_.contains(local.value);
  if (auto it = unit.slot.find(local.value); it != unit.slot.end()) return {true, it->second};
  if (auto it = unit.capture.find(local.value); it != unit.capture.end()) return {false, it->second};
  assert(unit.parent && "the checker resolved every local");
  CaptureSource source = resolve(*unit.parent, local);
  unit.captures.push_back(source);
  unit.captured.push_back(local);
  if (unit.relation) {
    unit.slot.emplace(local.value, unit.slots);
    return {true, unit.slots++};
  }
  auto index = static_cast<std::uint32_t>(unit.captures.size() - 1);
  unit.capture.emplace(local.value, index);
  return {false, index};
}

void Compiler::load(core::LocalId local, Span span) {
  CaptureSource source = resolve(*unit_, local);
  emit(source.local ? Opcode::Local : Opcode::Capture, span, source.index);
}

void Compiler::lambda(const core::LambdaExpr* e, Name name) {
  std::uint32_t id = begin_function(name, e->span);
  Unit inner;
  inner.parent = unit_;
  inner.out = code_.functions_[id].get();
  inner.out->arity = static_cast<std::uint32_t>(e->parameters.size());
  Unit* outer = std::exchange(unit_, &inner);
  for (core::LocalId p : e->parameters) new_slot(p);
  expression(e->body, true);
  finish(inner);
  unit_ = outer;
  emit(Opcode::Closure, e->span, id);
}

void Compiler::foreign(core::GlobalId global) {
  std::uint32_t id = begin_function(global_.name, global_.span);
  Unit inner;
  inner.out = code_.functions_[id].get();
  inner.slots = inner.out->arity = global_.foreign->arity;
  Unit* outer = std::exchange(unit_, &inner);
  for (std::uint32_t k = 0; k < inner.slots; ++k) emit(Opcode::Local, global_.span, k);
  emit(Opcode::Foreign, global_.span, global.value, inner.slots);
  finish(inner);
  unit_ = outer;
  emit(Opcode::Closure, global_.span, id);
}

void Compiler::binding_value(const core::Binding& b) {
  if (b.value->kind == core::ExprKind::Lambda)
    lambda(static_cast<const core::LambdaExpr*>(b.value), b.name);
  else
    expression(b.value, false);
}

bool Compiler::is_closure(const core::Expr* e) {
  return e->kind == core::ExprKind::Lambda || e->kind == core::ExprKind::Sigrel;
}

void Compiler::patch(std::span<const core::Binding> bindings) {
  for (const core::Binding& b : bindings)
    if (is_closure(b.value)) emit(Opcode::Patch, b.value->span, new_slot(b.local));
}

void Compiler::layout(const core::Layout* l, Span span) {
  // The sizes are evaluated in place, in the order in which Machine::layout pops them.
  std::uint32_t sizes = 0;
  std::vector<const core::Layout*> work{l};
  while (!work.empty()) {
    const core::Layout* node = work.back();
    work.pop_back();
    for (core::Expr* size : node->sizes) {
      expression(size, false);
      ++sizes;
    }
    if (node->kind == core::LayoutKind::Variable) {
      load(node->variable, span);
      ++sizes;
    }
    for (auto it = node->elements.rbegin(); it != node->elements.rend(); ++it) work.push_back(*it);
  }
  code_.layouts.push_back(l);
  emit(Opcode::Layout, span, static_cast<std::uint32_t>(code_.layouts.size() - 1), sizes);
}

std::uint32_t Bytecode::compile(core::GlobalId global) {
  return Compiler(*this, program_.globals[global.value]).global(global);
}

}  // namespace sigrel::evaluate
