// core -> bytecode. One Unit per function or relation literal; a variable of an outer unit becomes a capture
// of every unit between. Expressions whose depth a program can make large (a + b + c …, list literals) are
// compiled by loops.
#include <algorithm>
#include <cassert>
#include <optional>
#include <unordered_set>
#include <utility>

#include "compiler/evaluate/bytecode.h"

namespace sigrel::evaluate {
namespace {

struct Unit {
  Unit* parent = nullptr;
  RelationCode* relation = nullptr;  // null for a function
  FunctionCode* out = nullptr;       // where instructions go: the function, or the chunk of a relation
  std::uint32_t slots = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> slot;
  std::vector<CaptureSource> captures;
  std::vector<core::LocalId> captured;
  std::unordered_map<std::uint32_t, std::uint32_t> capture;
};

}  // namespace

class Compiler {
 public:
  Compiler(Bytecode& code, const core::Global& global) : code_(code), global_(global) {}

  std::uint32_t global(core::GlobalId program_id) {
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

 private:
  Bytecode& code_;
  const core::Global& global_;
  Unit* unit_ = nullptr;
  std::unordered_set<std::uint32_t> declared_;          // signals, labels and `let`s of relation bodies
  std::unordered_set<std::uint32_t> counters_;          // Int variables of loops
  std::unordered_set<std::uint32_t> iteration_locals_;  // defined anew in each iteration of a loop
  bool varies_ = false;                         // the code compiled last reads one of them, or an instance
  std::size_t loops_ = 0;                       // around the item
  ParameterisedItem* parameterised_ = nullptr;  // the item that is being compiled
  bool rejected_ = false;                       // it cannot be parameterised
  // `let`s of the bodies of loops: parameterised items inline their values.
  struct LoopLet {
    const core::Expr* value;
    const core::Item* item;
    const core::Body* body;
  };
  std::unordered_map<std::uint32_t, LoopLet> loop_lets_;  // by local
  std::vector<std::uint32_t> loaded_;                     // locals of these that the chunk loads
  std::unordered_set<const core::Item*> evaluated_;       // `let`s with other uses, which are evaluated
  const core::Body* body_ = nullptr;
  std::size_t inline_depth_ = 0;  // nested values of `let`s
  std::size_t inlined_ = 0;       // values of `let`s in the item
  static constexpr std::size_t kMaxInlined = 256;

  std::uint32_t begin_function(Name name, Span span) {
    code_.functions_.push_back(std::make_unique<FunctionCode>());
    code_.functions_.back()->name = name;
    code_.functions_.back()->span = span;
    return static_cast<std::uint32_t>(code_.functions_.size() - 1);
  }

  void finish(Unit& unit) {
    emit(Opcode::Return, unit.out->span);
    unit.out->slots = unit.slots;
    unit.out->captures = std::move(unit.captures);
  }

  std::uint32_t emit(Opcode op, Span span, std::uint32_t a = 0, std::uint32_t b = 0) {
    unit_->out->code.push_back({op, a, b});
    unit_->out->spans.push_back(span);
    return static_cast<std::uint32_t>(unit_->out->code.size() - 1);
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(unit_->out->code.size()); }
  void set_a(std::uint32_t at, std::uint32_t target) { unit_->out->code[at].a = target; }
  void set_b(std::uint32_t at, std::uint32_t target) { unit_->out->code[at].b = target; }

  void constant(Value v, Span span) {
    code_.constants.push_back(v);
    emit(Opcode::Constant, span, static_cast<std::uint32_t>(code_.constants.size() - 1));
  }

  std::uint32_t new_slot(core::LocalId local) {
    auto [it, fresh] = unit_->slot.try_emplace(local.value, unit_->slots);
    if (fresh) ++unit_->slots;
    return it->second;
  }

  // A relation's captures are slots of its body's frame; a function's are a separate array.
  CaptureSource resolve(Unit& unit, core::LocalId local) {
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

  void load(core::LocalId local, Span span) {
    CaptureSource source = resolve(*unit_, local);
    emit(source.local ? Opcode::Local : Opcode::Capture, span, source.index);
  }

  void expressions(std::span<core::Expr* const> list) {
    for (core::Expr* e : list) expression(e, false);
  }

  // Parameterised items of loops.

  std::optional<Affine> affine(const core::Expr* e) {
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

  const core::Expr* let_value(const core::Expr* e) {
    if (e->kind != core::ExprKind::Local) return nullptr;
    auto found = loop_lets_.find(static_cast<const core::LocalExpr*>(e)->local.value);
    if (found == loop_lets_.end()) return nullptr;
    if (++inlined_ > kMaxInlined) rejected_ = true;
    return rejected_ ? nullptr : found->second.value;
  }

  /// Whether the expression depends only on values defined before the loop and on loop counters.
  bool counts(const core::Expr* e) {
    if (const core::Expr* value = let_value(e)) return counts(value);
    if (e->kind == core::ExprKind::Local) {
      auto local = static_cast<const core::LocalExpr*>(e)->local.value;
      return counters_.contains(local) || !declared_.contains(local);
    }
    if (e->kind != core::ExprKind::Primitive) return true;
    auto* p = static_cast<const core::PrimitiveExpr*>(e);
    return std::ranges::all_of(p->args, [&](const core::Expr* x) { return counts(x); });
  }

  std::optional<Reading> reading(const core::Expr* e) {
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
      if (m->base->kind != ExprKind::Label || !m->indices.empty() ||
          (!m->interface_index && !r.steps.empty()))
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

  /// Compiles the expression as a reading, or as the value of a `let`. False if it is neither.
  bool compile_reading(const core::Expr* e) {
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
    rejected_ |= !found && e->kind == ExprKind::Member;
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

  void parameterise(const core::Item* item, const core::Expr* left, const core::Expr* right,
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

  void expression(const core::Expr* e, bool tail) {
    using core::ExprKind;
    if (parameterised_ && (rejected_ || compile_reading(e) || rejected_)) return;
    switch (e->kind) {
      case ExprKind::Int:
        constant(Value::of_int(static_cast<const core::IntExpr*>(e)->value), e->span);
        break;
      case ExprKind::Real:
        constant(Value::of_real(static_cast<const core::RealExpr*>(e)->value), e->span);
        break;
      case ExprKind::Bool:
        constant(Value::of_bool(static_cast<const core::BoolExpr*>(e)->value), e->span);
        break;
      case ExprKind::String:
        constant(Value::of_string(intern(static_cast<const core::StringExpr*>(e)->value)), e->span);
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

  void member(const core::MemberExpr* m) {
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

  /// Whether a variable has parts that are read one by one. A connector is a node, not a record of scalars.
  bool is_composite(const core::Layout* l) const {
    using core::LayoutKind;
    if (!l) return false;
    if (l->kind == LayoutKind::Record) return !code_.program().records[l->record.value].connector;
    return l->kind == LayoutKind::Vector || l->kind == LayoutKind::Variable;
  }

  /// Whether it is one scalar of a vector of an instance: the others need not be made.
  bool is_scalar_of_member(const core::IndexExpr* i) const {
    if (i->base->kind != core::ExprKind::Member) return false;
    const core::Layout* l = static_cast<const core::MemberExpr*>(i->base)->layout;
    for (const core::IndexPart& part : i->parts) {
      if (part.last || !l || l->kind != core::LayoutKind::Vector || l->sizes.size() > 1) return false;
      l = l->elements[0];
    }
    return !is_composite(l);
  }

  template <class Then, class Else>
  void branch(Span span, Then then_branch, Else else_branch, bool tail) {
    std::uint32_t at = emit(Opcode::Branch, span);
    then_branch();
    std::uint32_t end = tail && !unit_->relation ? emit(Opcode::Return, span) : emit(Opcode::Jump, span);
    set_a(at, here());
    else_branch();
    if (tail && !unit_->relation) {
      emit(Opcode::Return, span);
    } else {
      set_a(end, here());
    }
    set_b(at, here());
    emit(Opcode::Join, span);
  }

  // The length of a left-deep chain of binary operators is limited only by the program text.
  void primitive(const core::PrimitiveExpr* e) {
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

  void construct(const core::ConstructExpr* e) {
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

  void lambda(const core::LambdaExpr* e, Name name) {
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

  // A foreign function is a closure, so that it can be applied partially.
  void foreign(core::GlobalId global) {
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

  void binding_value(const core::Binding& b) {
    if (b.value->kind == core::ExprKind::Lambda)
      lambda(static_cast<const core::LambdaExpr*>(b.value), b.name);
    else
      expression(b.value, false);
  }

  static bool is_closure(const core::Expr* e) {
    return e->kind == core::ExprKind::Lambda || e->kind == core::ExprKind::Sigrel;
  }

  // Closures of a recursive group may capture slots that are filled after them.
  void patch(std::span<const core::Binding> bindings) {
    for (const core::Binding& b : bindings)
      if (is_closure(b.value)) emit(Opcode::Patch, b.value->span, new_slot(b.local));
  }

  std::uint32_t pattern(const core::Pattern* root) {
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

  void layout(const core::Layout* l, Span span) {
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

  // Relation literals.

  void relation(const core::Relation* r, Span span) {
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

  void chunk(const core::Expr* e) {
    if (!e) return;
    std::uint32_t id = begin_function(unit_->relation->relation->name, e->span);
    unit_->out = code_.functions_[id].get();
    expression(e, false);
    emit(Opcode::Return, e->span);
    unit_->relation->chunks.emplace(e, id);
  }

  void chunk_layout(const core::Layout* l, Span span) {
    if (!l || unit_->relation->layout_chunks.contains(l)) return;
    std::uint32_t id = begin_function(unit_->relation->relation->name, span);
    unit_->out = code_.functions_[id].get();
    layout(l, span);
    emit(Opcode::Return, span);
    unit_->relation->layout_chunks.emplace(l, id);
  }

  void declaration(const core::SignalDecl& d) {
    new_slot(d.local);
    chunk_layout(d.layout, d.span);
    for (const core::Attribute& a : d.attributes) chunk(a.value);
  }

  void pattern_slots(const core::Pattern* p) {
    if (p->kind == core::PatternKind::Variable) iteration_locals_.insert(p->local.value), new_slot(p->local);
    for (core::Pattern* e : p->elements) pattern_slots(e);
  }

  // Slots come before code: an item may refer to a label or a local of an item after it.
  void declare(const core::Body& b) {
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
      } else if (item->kind == core::ItemKind::Initially || item->kind == core::ItemKind::Guess) {
        declare(static_cast<const core::BlockItem*>(item)->body);
      }
    }
  }

  void body(const core::Body& b) {
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
    for (bool more = true; std::exchange(more, false);)
      for (auto [by, let] : uses)
        if (evaluated_.contains(by)) more |= evaluated_.insert(let).second;
    if (loops_)
      for (const core::Item* item : b.items)
        if (item->kind == core::ItemKind::Let && !evaluated_.contains(item) && is_loop_let(item))
          unit_->relation->inlined.insert(item);
    body_ = outer;
  }
  bool is_loop_let(const core::Item* item) const {
    const auto& bindings = static_cast<const core::LetItem*>(item)->bindings;
    return !bindings.empty() && loop_lets_.contains(bindings[0].local.value);
  }

  void item(const core::Item* item) {
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
      case ItemKind::Switch: break;  // elaboration rejects it with a diagnostic
    }
  }
};

std::uint32_t Bytecode::compile(core::GlobalId global) {
  return Compiler(*this, program_.globals[global.value]).global(global);
}

}  // namespace sigrel::evaluate
