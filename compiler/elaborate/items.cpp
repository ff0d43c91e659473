// The items of a relation body, one function each.
#include <fmt/format.h>

#include "compiler/elaborate/body.h"
#include "compiler/elaborate/values.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

bool BodyBuilder::equate(const Value& left, const Value& right, Span span,
                         std::vector<std::pair<ExprId, LocalName>>& out) {
  struct Work {
    Value left, right;
    LocalName component;
  };
  std::vector<Work> work{{left, right, {}}};
  auto aggregate = [](const Value& v) {
    return is_object(v, ObjectKind::Vector) || is_object(v, ObjectKind::Record) ||
           is_object(v, ObjectKind::Tuple);
  };
  while (!work.empty()) {
    Work w = std::move(work.back());
    work.pop_back();
    if (is_object(w.left, ObjectKind::Node) || is_object(w.right, ObjectKind::Node)) {
      machine_.diagnostics()
          .report(Code::NotAScalar, span,
                  "connectors are not equated: their flows must sum to zero, not be equal")
          .help("did you mean `connect`?");
      return false;
    }
    if (is_object(w.left, ObjectKind::Unbound) || is_object(w.right, ObjectKind::Unbound)) {
      machine_.not_ready();  // an application may yet say the size
      return false;
    }
    if (aggregate(w.left) && aggregate(w.right)) {
      const Object &a = *w.left.object, &b = *w.right.object;
      if (a.size != b.size) {
        machine_.diagnostics().report(
            Code::SizeMismatch, span,
            fmt::format("the left side has {} elements, the right side {}", a.size, b.size));
        return false;
      }
      for (std::uint32_t i = a.size; i-- > 0;) {
        const LocalName part = a.kind == ObjectKind::Record
                                   ? field(w.component, machine_.code().program().records[a.a].fields[i].name)
                               : a.kind == ObjectKind::Vector
                                   ? element(w.component, i + 1)
                                   : field(w.component, intern(std::to_string(i + 1)));
        work.push_back({a.items[i], b.items[i], part});
      }
      continue;
    }
    auto l = machine_.to_signal(w.left, span);
    if (!l) return false;
    auto r = machine_.to_signal(w.right, span);
    if (!r) return false;
    out.push_back({symbolic::simplified(machine_.signals, {Op::Sub, l->value, r->value, 0, 0}), w.component});
  }
  return true;
}

Machine::Status BodyBuilder::equation_item(const core::EquationItem& item, Target target) {
  if (!loops_.empty())
    if (auto status = turn(item, target)) return *status;
  const Scratch before = scratch();
  Value left, right;
  if (Status s = evaluate(item.left, left); s != Status::Done) return s;
  if (Status s = evaluate(item.right, right); s != Status::Done) return s;
  if (target == Target::Guess) return guess(item, left, right);
  std::vector<std::pair<ExprId, LocalName>> residuals;
  machine_.begin_report();
  if (!equate(left, right, item.span, residuals))
    return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  bool initial = target == Target::Initial;
  for (auto& [residual, component] : residuals)
    row(residual,
        source(initial ? system::EquationKind::Initial : system::EquationKind::Written, item.span, component),
        initial ? RowKind::Initial : RowKind::Equation);
  release(before);
  return Status::Done;
}

Machine::Status BodyBuilder::steady_item(const core::SteadyItem& item) {
  if (item.derivatives.empty()) {
    steady_.push_back(source(system::EquationKind::Initial, item.span, ""));
    return Status::Done;
  }
  for (const core::Expr* expr : item.derivatives) {
    Value derivative;
    if (Status s = evaluate(expr, derivative); s != Status::Done) return s;
    std::vector<std::pair<Value, std::string>> work{{derivative, ""}};
    machine_.begin_report();
    while (!work.empty()) {
      auto [value, component] = std::move(work.back());
      work.pop_back();
      if (is_object(value, ObjectKind::Vector)) {
        for (std::uint32_t i = value.object->size; i-- > 0;)
          work.emplace_back(value.object->items[i], fmt::format("{}[{}]", component, i + 1));
        continue;
      }
      auto scalar = machine_.to_signal(value, expr->span);
      if (!scalar) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
      row(*scalar, source(system::EquationKind::Initial, expr->span, std::move(component)), RowKind::Initial);
    }
  }
  return Status::Done;
}

Machine::Status BodyBuilder::guess(const core::EquationItem& item, const Value& left, const Value& right) {
  if (right.tag != Tag::Real && right.tag != Tag::Int && !is_object(right, ObjectKind::Vector)) {
    machine_.diagnostics()
        .report(Code::NotAScalar, item.right->span,
                fmt::format("a guess is a number; this is {}", kind_of(right)))
        .help("write `name = number`; an equation that must hold at the start belongs under `initially`");
    return Status::Failed;
  }
  attribute(system::AttributeKind::Guess, left, right, item.left->span);
  return Status::Done;
}

Machine::Status BodyBuilder::assert_item(const core::AssertItem& item) {
  Value condition, message;
  if (Status s = evaluate(item.condition, condition); s != Status::Done) return s;
  if (Status s = evaluate(item.message, message); s != Status::Done) return s;
  std::string words(text(Name{message.index}));
  if (condition.tag == Tag::Bool) {
    if (condition.integer) return Status::Done;
    machine_.diagnostics()
        .report(Code::AssertionFailed, item.span, words)
        .label("this is false before the simulation starts");
    return Status::Failed;
  }
  machine_.begin_report();
  auto c = machine_.to_signal(condition, item.condition->span);
  if (!c) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  row(*c, source(system::EquationKind::Assertion, item.span, std::move(words)), RowKind::Assertion);
  return Status::Done;
}

Machine::Status BodyBuilder::let_item(const core::LetItem& item) {
  for (const core::Binding& b : item.bindings) {
    Value v;
    if (Status s = evaluate(b.value, v); s != Status::Done) return s;
    machine_.slot(code_->slot.at(b.local.value)) = v;
  }
  for (const core::Binding& b : item.bindings)
    if (b.value->kind == core::ExprKind::Lambda || b.value->kind == core::ExprKind::Sigrel)
      machine_.patch(machine_.slot(code_->slot.at(b.local.value)));
  return Status::Done;
}

/// Whether nobody refers to what was evaluated since: no instance was made, of which the interface would, and
/// no value was kept.
bool BodyBuilder::is_own(const Scratch& before) const {
  return !machine_.size_analysis && !machine_.claims && children_.size() == before.children &&
         machine_.cached_globals() == before.globals;
}

void BodyBuilder::release(const Scratch& before) {
  if (!is_own(before)) return;
  machine_.signals.truncate(before.signals);
  machine_.heap().release(before.heap);
}

/// What the item applied in the last turn of a loop, when that is the same relation of the same values: one
/// object for all turns.
RelationObject& BodyBuilder::repeated(const core::ApplicationItem& item, RelationObject& relation) {
  if (machine_.size_analysis) return relation;
  RelationObject*& last = applied_[&item];
  auto same = [](const Value& a, const Value& b) {
    return a.tag == b.tag && a.tag != Tag::Undefined && a.index == b.index && a.integer == b.integer;
  };
  if (last && last->code == relation.code && last->own_captured == kConstant &&
      relation.own_captured == kConstant && last->origin == relation.origin &&
      std::ranges::equal(last->span(), relation.span(), same))
    return *last;
  last = &relation;
  return relation;
}

Machine::Status BodyBuilder::application_item(const core::ApplicationItem& item) {
  if (!loops_.empty())
    if (auto status = turn(item)) return *status;
  const Scratch before = scratch();
  Value relation, args;
  if (Status s = evaluate(item.relation, relation); s != Status::Done) return s;
  if (!is_object(relation, ObjectKind::Relation)) {
    machine_.diagnostics().report(
        Code::NotSupported, item.head_span,
        fmt::format("`<>` applies a signal relation; this is {}", kind_of(relation)));
    return Status::Failed;
  }
  RelationObject& r = repeated(item, *static_cast<RelationObject*>(relation.object));
  std::size_t formals = r.relation().relation->formals.size();
  std::vector<Value> arguments;
  if (item.args) {
    if (Status s = evaluate(item.args, args); s != Status::Done) return s;
    if (formals == 1)
      arguments.push_back(args);
    else if (is_object(args, ObjectKind::Tuple))
      arguments.assign(args.object->items, args.object->items + args.object->size);
    if (arguments.size() != formals) {
      machine_.diagnostics().report(
          Code::SizeMismatch, item.span,
          fmt::format("`{}` has {} interface variables, {} are given", text(r.relation().relation->name),
                      formals, arguments.size()));
      return Status::Failed;
    }
  } else {
    arguments.resize(formals);
  }
  // In a loop often nothing new was made but the list of arguments.
  auto is_new = [&](const Object* object) { return machine_.heap().is_since(before.heap, object); };
  if (is_own(before) && !is_new(&r) && std::ranges::none_of(arguments, [&](const Value& v) {
        return v.tag == Tag::Object && is_new(v.object);
      }))
    machine_.heap().release(before.heap);
  LocalName name = local_name(item.name);
  if (item.label) {
    name = in_turn(name);
  } else if (std::uint32_t n = ++child_names_[item.name]; n > 1) {
    name = numbered(name, n);
  }
  machine_.begin_report();
  auto child = apply(r, std::move(arguments), item.args == nullptr, name,
                     item.label ? code_->slot.at(item.label->value) : kConstant, item.span, item.head_span);
  if (!child) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  if (item.label) {
    std::uint32_t slot = code_->slot.at(item.label->value);
    labels_[slot] = {local_name(item.name), loops_.size(), place_ != kNoPlace};
    label_child(slot, name);
    Object* o = machine_.heap().object(ObjectKind::Label, 0);
    o->a = slot;
    machine_.slot(slot) = Value::of(o);
  }
  return Status::Done;
}

// The number of turns moves: each turn has a place, and what it asks is kept apart.
Machine::Status BodyBuilder::moving_for(const Value& first, const Value& last,
                                        const std::function<Status(const Value&, std::int64_t)>& turn) {
  SizeAnalysis& moving = *machine_.size_analysis;
  SizeDependence from = SizeDependence::decode(first.index), to = SizeDependence::decode(last.index);
  bool known = place_ == kNoPlace && from.iteration == 0 && to.iteration == 0 && to.size - from.size == 1;
  std::vector<SizeRegion> iterations;
  for (std::int64_t i = first.integer; i <= last.integer; ++i) {
    Value index = Value::of_int(i);
    index.index = SizeDependence{from.size, 1}.encode();
    if (known) place_ = static_cast<std::int32_t>(i);
    moving.begin_iteration();
    Status s = turn(known ? index : Value::of_int(i), i);
    iterations.push_back(moving.end_iteration());
    if (known) place_ = kNoPlace;
    if (s != Status::Done) return s;
  }
  if (!known || !SizeAnalysis::is_uniform(iterations)) {
    moving.pin({1, 0});
    moving.pin({0, 1});
  }
  return Status::Done;
}

std::vector<std::size_t> BodyBuilder::sizes() const {
  return {columns_.size(), column_parent_.size(), nodes_.size(),    uses_.size(),
          slots_.size(),   row_reals_.size(),     children_.size(), arguments_.size(),
          formals_.size(), deep_.size(),          rows_[0].size(),  rows_[1].size()};
}

/// Room for as much as was made since the sizes were `before`, so many times. What is longer already grows as
/// it likes.
void BodyBuilder::make_room(std::span<const std::size_t> before, std::size_t times) {
  std::size_t k = 0;
  auto grow = [&](auto& list) {
    const std::size_t more = (list.size() - before[k++]) * times;
    if (more > list.size()) list.reserve(list.size() + more);
  };
  auto all = [&](auto&... lists) { (grow(lists), ...); };
  all(columns_, column_parent_, nodes_, uses_, slots_, row_reals_, children_, arguments_, formals_, deep_,
      rows_[0], rows_[1]);
}

Machine::Status BodyBuilder::for_item(const core::ForItem& item, Target target) {
  Value first, last;
  if (Status s = evaluate(item.first, first); s != Status::Done) return s;
  if (item.last) {
    if (Status s = evaluate(item.last, last); s != Status::Done) return s;
    if (first.tag != Tag::Int || last.tag != Tag::Int) {
      machine_.diagnostics().report(
          Code::SignalSteersStructure, item.span,
          fmt::format("the bounds of `for` are Int values that are known before the simulation; here is {}",
                      kind_of(first.tag != Tag::Int ? first : last)));
      return Status::Failed;
    }
  }
  if (machine_.size_analysis) {
    if (!item.last) {
      machine_.size_analysis->pin_list(first);
    } else if (last.integer < first.integer) {
      machine_.size_analysis->compared(last, first);
    }
  }
  auto assign = [&](auto& self, const core::Pattern& p, const Value& v) -> bool {
    switch (p.kind) {
      case core::PatternKind::Variable: machine_.slot(code_->slot.at(p.local.value)) = v; return true;
      case core::PatternKind::Wildcard: return true;
      case core::PatternKind::Tuple:
      case core::PatternKind::Record:
        for (std::size_t i = 0; i < p.elements.size(); ++i)
          if (!self(self, *p.elements[i], v.object->items[i])) return false;
        return true;
      case core::PatternKind::Construct:
        if (v.tag != Tag::Object || v.object->a != p.tag) return false;
        for (std::size_t i = 0; i < p.elements.size(); ++i)
          if (!self(self, *p.elements[i], v.object->items[i])) return false;
        return true;
      default: return false;
    }
  };
  auto turn = [&](const Value& v, std::int64_t index) {
    if (!assign(assign, *item.pattern, v)) {
      machine_.diagnostics().report(Code::NotSupported, item.pattern->span,
                                    "this pattern does not match every element");
      return Status::Failed;
    }
    loops_.push_back(index);
    Status s = block(item.body, target);
    loops_.pop_back();
    return s;
  };
  if (item.last) {
    if (machine_.size_analysis && first.index != last.index && first.integer <= last.integer)
      return moving_for(first, last, turn);
    std::vector<std::size_t> before;
    for (Value i = first; i.integer <= last.integer; ++i.integer) {
      if (i.integer == first.integer + 1) before = sizes();
      if (Status s = turn(i, i.integer); s != Status::Done) return s;
      if (i.integer == first.integer + 1)
        make_room(before,
                  static_cast<std::size_t>(last.integer - i.integer));  // more turns like the second one
    }
    return Status::Done;
  }
  if (is_object(first, ObjectKind::Vector)) {
    for (std::uint32_t i = 0; i < first.object->size; ++i)
      if (Status s = turn(first.object->items[i], i + 1); s != Status::Done) return s;
    return Status::Done;
  }
  std::int64_t position = 0;
  for (const Object* cell = first.object; cell->size == 2; cell = cell->items[1].object) {
    ++position;
    const Value& v = cell->items[0];
    if (Status s = turn(v, v.tag == Tag::Int ? v.integer : position); s != Status::Done) return s;
  }
  return Status::Done;
}

Machine::Status BodyBuilder::if_item(const core::IfItem& item, Target target) {
  Value condition;
  if (Status s = evaluate(item.condition, condition); s != Status::Done) return s;
  if (condition.tag == Tag::Bool) return block(condition.integer ? item.then_body : item.else_body, target);
  // The condition changes with time: equation k is the one or the other.
  std::vector<std::pair<ExprId, Span>> yes, no;
  if (Status s = branch_equations(item.then_body, yes); s != Status::Done) return s;
  if (Status s = branch_equations(item.else_body, no); s != Status::Done) return s;
  if (yes.size() != no.size()) {
    machine_.diagnostics()
        .report(Code::BranchesDiffer, item.span,
                fmt::format("the first branch has {} equations, the other {}", yes.size(), no.size()))
        .note("the condition changes with time, so both branches must determine the same number of unknowns")
        .help("a change of the number of equations is a `switch`");
    return Status::Failed;
  }
  auto c = machine_.to_signal(condition, item.condition->span);
  if (!c) return Status::Failed;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    ExprId residual = symbolic::simplified(machine_.signals,
                                           {Op::Select, c->value, yes[i].first.value, no[i].first.value, 0});
    bool initial = target == Target::Initial;
    row(residual,
        source(initial ? system::EquationKind::Initial : system::EquationKind::Written, yes[i].second, ""),
        initial ? RowKind::Initial : RowKind::Equation);
  }
  return Status::Done;
}

Machine::Status BodyBuilder::branch_equations(const core::Body& body,
                                              std::vector<std::pair<ExprId, Span>>& out) {
  for (const core::SignalDecl& d : body.locals)
    if (Status s = declare(d); s != Status::Done) return s;
  for (const core::Item* i : body.items) {
    if (i->kind == core::ItemKind::Let) {
      if (Status s = let_item(*static_cast<const core::LetItem*>(i)); s != Status::Done) return s;
      continue;
    }
    if (i->kind != core::ItemKind::Equation) {
      machine_.diagnostics()
          .report(Code::NotSupported, i->span,
                  "only equations may depend on a condition that changes with time")
          .help("parts that come and go are a `switch`");
      return Status::Failed;
    }
    auto& e = *static_cast<const core::EquationItem*>(i);
    Value left, right;
    if (Status s = evaluate(e.left, left); s != Status::Done) return s;
    if (Status s = evaluate(e.right, right); s != Status::Done) return s;
    std::vector<std::pair<ExprId, LocalName>> residuals;
    machine_.begin_report();
    if (!equate(left, right, e.span, residuals))
      return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
    for (auto& r : residuals) out.push_back({r.first, e.span});
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
