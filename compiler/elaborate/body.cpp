// The items of a relation body, in any order: an item that needs a label or `let` of a later item waits until the end of its
// block (Deferred). `for` keeps its index on `loops_`; whatever is made inside is named and found by it.
#include "compiler/elaborate/body.h"

#include <fmt/format.h>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

BodyBuilder::BodyBuilder(Machine& machine, Relations& relations, system::System& system, Shapes& shapes)
    : machine_(machine), relations_(relations), system_(system), shapes_(shapes) {}

std::optional<BodyBuilder::Output> BodyBuilder::build(RelationObject& relation, LayoutId interface, std::span<const double> reals) {
  const RelationCode& code = relation.relation();
  code_ = &code;
  columns_.clear();
  column_parent_.clear();
  nodes_.clear();
  rows_.clear();
  slots_.clear();
  row_reals_.clear();
  sums_.clear();
  children_.clear();
  child_names_.clear();
  labels_.clear();
  loops_.clear();
  deferred_.clear();
  reals_.clear();
  real_order_.clear();
  bundles_.clear();
  bundle_of_.clear();
  attributes_.clear();
  deep_.clear();
  deep_index_.clear();
  unbound_.clear();
  forced_.clear();
  mark_.clear();
  image_.clear();
  epoch_ = 0;

  machine_.begin_body(code.slots);
  machine_.host = this;
  std::vector<Value> values;
  for (std::uint32_t k = 0; k < reals.size(); ++k) values.push_back(Value::of_real(reals[k], machine_.parameters.param(k).value));
  std::vector<Value> captures = relations_.opened(relation, values);
  for (std::uint32_t i = 0; i < captures.size(); ++i) machine_.slot(code.slot.at(code.captured[i].value)) = captures[i];

  const LayoutNode tuple = machine_.layouts()[interface];
  interface_ = tuple.scalars;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < code.relation->formals.size(); ++i) {
    const core::Formal& f = code.relation->formals[i];
    machine_.slot(code.slot.at(f.local.value)) = variable(tuple.elements[i], std::string(text(f.name)), f.span, true, next);
  }

  Status status = block(code.relation->body, Target::Main);
  if (status == Status::Done) status = retry(deferred_);
  if (status == Status::Done && !deferred_.empty()) {
    undefined_item(deferred_.front());
    status = Status::Failed;
  }
  std::size_t errors = machine_.diagnostics().error_count();
  if (status == Status::Done) resolve_nodes();
  std::optional<Output> output;
  if (status == Status::Done && machine_.diagnostics().error_count() == errors) output = Output{finish(relation), forced_};
  machine_.host = nullptr;
  return output;
}

void BodyBuilder::force(std::uint32_t parameter) {
  ExprId root{parameter};
  for (ExprId id : topological(machine_.parameters, {&root, 1}))
    if (machine_.parameters[id].op == Op::Param) forced_.insert(machine_.parameters[id].a);
}

Machine::Status BodyBuilder::evaluate(const core::Expr* expr, Value& result) {
  return machine_.chunk(machine_.code().function(code_->chunks.at(expr)), 0, result);
}

Machine::Status BodyBuilder::block(const core::Body& body, Target target) {
  // A block inside `for` starts anew each time: what an earlier turn defined is not visible.
  for (const core::SignalDecl& d : body.locals) machine_.slot(code_->slot.at(d.local.value)) = Value{};
  for (const core::Item* i : body.items)
    if (i->kind == core::ItemKind::Let)
      for (const core::Binding& b : static_cast<const core::LetItem*>(i)->bindings) machine_.slot(code_->slot.at(b.local.value)) = Value{};

  std::set<const core::Item*> done;
  auto early = [&](bool lets) -> Status {
    for (const core::Item* i : body.items) {
      if (!lets || i->kind != core::ItemKind::Let || done.contains(i)) continue;
      Status s = item(*i, target);
      if (s == Status::Failed) return s;
      if (s == Status::Done) done.insert(i);
    }
    return Status::Done;
  };
  bool has_lets = std::any_of(body.items.begin(), body.items.end(), [](const core::Item* i) { return i->kind == core::ItemKind::Let; });
  if (early(has_lets) == Status::Failed) return Status::Failed;
  for (const core::SignalDecl& d : body.locals) {
    Status s = declare(d);
    if (s == Status::NotReady) {
      machine_.fail(sigrel::Code::SizeNotKnown, d.span, fmt::format("the type of `{}` depends on a signal or on itself", text(d.name)));
      return Status::Failed;
    }
    if (s != Status::Done) return s;
  }
  if (early(has_lets) == Status::Failed) return Status::Failed;

  std::vector<Deferred> waiting;
  for (const core::Item* i : body.items) {
    if (has_lets && done.contains(i)) continue;
    Status s = item(*i, target);
    if (s == Status::Failed) return s;
    if (s == Status::NotReady) waiting.push_back({i, target, {}, {}});
  }
  if (Status s = retry(waiting); s != Status::Done) return s;
  for (Deferred& d : waiting) {  // an outer block may define what they need
    if (d.frame.empty()) {
      auto frame = machine_.body_slots(code_->slots);
      d.frame.assign(frame.begin(), frame.end());
      d.loops = loops_;
    }
    deferred_.push_back(std::move(d));
  }
  return Status::Done;
}

Machine::Status BodyBuilder::retry(std::vector<Deferred>& pending) {
  for (bool progress = true; progress && !pending.empty();) {
    progress = false;
    std::vector<Deferred> still;
    for (Deferred& d : pending) {
      std::vector<Value> kept;
      std::vector<std::int64_t> loops = loops_;
      if (!d.frame.empty()) {
        auto frame = machine_.body_slots(code_->slots);
        kept.assign(frame.begin(), frame.end());
        for (std::uint32_t i = 0; i < frame.size(); ++i)
          if (d.frame[i].tag != Tag::Undefined && !is_object(d.frame[i], ObjectKind::Unbound)) frame[i] = d.frame[i];
        loops_ = d.loops;
      }
      Status s = item(*d.item, d.target);
      if (!d.frame.empty()) {
        auto frame = machine_.body_slots(code_->slots);
        for (std::uint32_t i = 0; i < frame.size(); ++i)
          if (kept[i].tag != Tag::Undefined || d.item->kind != core::ItemKind::Let) frame[i] = kept[i];
        loops_ = loops;
      }
      if (s == Status::Failed) return s;
      if (s == Status::Done)
        progress = true;
      else
        still.push_back(std::move(d));
    }
    pending = std::move(still);
  }
  return Status::Done;
}

void BodyBuilder::undefined_item(const Deferred& deferred) {
  for (const Unbound& u : unbound_)
    if (!u.bound) {
      machine_.diagnostics()
          .report(sigrel::Code::SizeNotKnown, u.span, fmt::format("the size of `{}` is not known", u.name))
          .help(fmt::format("declare it, for example `local {} :: Real^3`", u.name));
      return;
    }
  machine_.diagnostics()
      .report(sigrel::Code::DefinedByItself, deferred.item->span, "this item needs a value or an instance that is never defined")
      .help("an index may be outside the range of its `for`, or two `let` need each other");
}

Machine::Status BodyBuilder::item(const core::Item& item, Target target) {
  using core::ItemKind;
  if (target != Target::Main) {
    bool allowed = item.kind == ItemKind::Equation || item.kind == ItemKind::Let || item.kind == ItemKind::For || item.kind == ItemKind::If;
    if (!allowed) {
      machine_.diagnostics().report(sigrel::Code::NotSupported, item.span,
                                    fmt::format("`{}` takes equations only", target == Target::Initial ? "initially" : "guess"));
      return Status::Failed;
    }
  }
  switch (item.kind) {
    case ItemKind::Equation: return equation_item(static_cast<const core::EquationItem&>(item), target);
    case ItemKind::Application: return application_item(static_cast<const core::ApplicationItem&>(item));
    case ItemKind::Connect: return connect_item(static_cast<const core::ConnectItem&>(item));
    case ItemKind::Let: return let_item(static_cast<const core::LetItem&>(item));
    case ItemKind::For: return for_item(static_cast<const core::ForItem&>(item), target);
    case ItemKind::If: return if_item(static_cast<const core::IfItem&>(item), target);
    case ItemKind::Initially: return block(static_cast<const core::BlockItem&>(item).body, Target::Initial);
    case ItemKind::Guess: return block(static_cast<const core::BlockItem&>(item).body, Target::Guess);
    case ItemKind::Discrete: return unsupported(item.span, "discrete");
    case ItemKind::When: return unsupported(item.span, "when");
    case ItemKind::Every: return unsupported(item.span, "every");
    case ItemKind::Assign: return unsupported(item.span, ":=");
    case ItemKind::Switch: return unsupported(item.span, "switch");
    case ItemKind::Assert: return unsupported(item.span, "assert");
    case ItemKind::Terminate: return unsupported(item.span, "terminate");
  }
  return Status::Failed;
}

Machine::Status BodyBuilder::unsupported(Span span, const char* what) {
  machine_.diagnostics()
      .report(sigrel::Code::NotSupported, span, fmt::format("`{}` is checked but not run by this version", what))
      .help("this version simulates continuous systems of a fixed structure, without events");
  return Status::Failed;
}

Machine::Status BodyBuilder::declare(const core::SignalDecl& d) {
  LayoutId layout;
  bool unknown = true;
  if (Status s = machine_.layout(*code_, d.layout, 0, layout, unknown); s != Status::Done) return s;
  std::string name(text(d.name));
  for (std::size_t i = 0; i < loops_.size(); ++i) name += fmt::format("{}{}", i ? "," : "[", loops_[i]);
  if (!loops_.empty()) name += "]";
  Value v;
  if (unknown) {
    Object* o = machine_.heap().object(ObjectKind::Unbound, 0);
    o->a = static_cast<std::uint32_t>(unbound_.size());
    o->b = code_->slot.at(d.local.value);
    unbound_.push_back({{}, false, {}, name, d.span});
    v = Value::of(o);
  } else {
    std::uint32_t next = kConstant;
    v = variable(layout, name, d.span, false, next);
  }
  machine_.slot(code_->slot.at(d.local.value)) = v;
  for (const core::Attribute& a : d.attributes) {
    Value number;
    if (Status s = evaluate(a.value, number); s != Status::Done) return s;
    std::string_view key = text(a.name);
    using system::AttributeKind;
    AttributeKind kind = key == "guess" ? AttributeKind::Guess : key == "nominal" ? AttributeKind::Nominal : key == "min" ? AttributeKind::Min
                         : key == "max" ? AttributeKind::Max : AttributeKind::StatePreference;
    if (is_object(number, ObjectKind::Construct)) number = Value::of_real(number.object->a == 0 ? 1.0 : -1.0);  // Prefer, Avoid
    attribute(kind, v, number, a.span);
  }
  return Status::Done;
}

bool BodyBuilder::equate(const Value& left, const Value& right, Span span, std::vector<std::pair<ExprId, std::string>>& out) {
  struct Work {
    Value left, right;
    std::string component;
  };
  std::vector<Work> work{{left, right, ""}};
  auto aggregate = [](const Value& v) {
    return is_object(v, ObjectKind::Vector) || is_object(v, ObjectKind::Record) || is_object(v, ObjectKind::Tuple);
  };
  while (!work.empty()) {
    Work w = std::move(work.back());
    work.pop_back();
    if (is_object(w.left, ObjectKind::Node) || is_object(w.right, ObjectKind::Node)) {
      machine_.diagnostics()
          .report(sigrel::Code::NotAScalar, span, "connectors are not equated: their flows must sum to zero, not be equal")
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
        machine_.diagnostics().report(sigrel::Code::SizeMismatch, span, fmt::format("the left side has {} elements, the right side {}", a.size, b.size));
        return false;
      }
      for (std::uint32_t i = a.size; i-- > 0;) {
        std::string part = a.kind == ObjectKind::Record ? "." + std::string(text(machine_.code().program().records[a.a].fields[i].name))
                           : a.kind == ObjectKind::Vector ? fmt::format("[{}]", i + 1) : fmt::format(".{}", i + 1);
        work.push_back({a.items[i], b.items[i], w.component + part});
      }
      continue;
    }
    auto l = machine_.to_signal(w.left, span);
    if (!l) return false;
    auto r = machine_.to_signal(w.right, span);
    if (!r) return false;
    out.push_back({symbolic::simplified(machine_.signals, {Op::Sub, l->value, r->value, 0, 0}), std::move(w.component)});
  }
  return true;
}

Machine::Status BodyBuilder::equation_item(const core::EquationItem& item, Target target) {
  Value left, right;
  if (Status s = evaluate(item.left, left); s != Status::Done) return s;
  if (Status s = evaluate(item.right, right); s != Status::Done) return s;
  if (target == Target::Guess) return guess(item, left, right);
  std::vector<std::pair<ExprId, std::string>> residuals;
  machine_.begin_report();
  if (!equate(left, right, item.span, residuals)) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  bool initial = target == Target::Initial;
  for (auto& [residual, component] : residuals)
    row(residual, source(initial ? system::EquationKind::Initial : system::EquationKind::Written, item.span, std::move(component)), initial);
  return Status::Done;
}

Machine::Status BodyBuilder::guess(const core::EquationItem& item, const Value& left, const Value& right) {
  if (right.tag != Tag::Real && right.tag != Tag::Int && !is_object(right, ObjectKind::Vector)) {
    machine_.diagnostics()
        .report(sigrel::Code::NotAScalar, item.right->span, fmt::format("a guess is a number; this is {}", kind_of(right)))
        .help("write `name = number`; an equation that must hold at the start belongs under `initially`");
    return Status::Failed;
  }
  attribute(system::AttributeKind::Guess, left, right, item.left->span);
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

Machine::Status BodyBuilder::application_item(const core::ApplicationItem& item) {
  Value relation, args;
  if (Status s = evaluate(item.relation, relation); s != Status::Done) return s;
  if (!is_object(relation, ObjectKind::Relation)) {
    machine_.diagnostics().report(sigrel::Code::NotAFunction, item.head_span, fmt::format("`<>` applies a signal relation; this is {}", kind_of(relation)));
    return Status::Failed;
  }
  auto& r = *static_cast<RelationObject*>(relation.object);
  std::size_t formals = r.relation().relation->formals.size();
  std::vector<Value> arguments;
  if (item.args) {
    if (Status s = evaluate(item.args, args); s != Status::Done) return s;
    if (formals == 1)
      arguments.push_back(args);
    else if (is_object(args, ObjectKind::Tuple))
      arguments.assign(args.object->items, args.object->items + args.object->size);
    if (arguments.size() != formals) {
      machine_.diagnostics().report(sigrel::Code::SizeMismatch, item.span,
                                    fmt::format("`{}` has {} interface variables, {} are given", text(r.relation().relation->name), formals, arguments.size()));
      return Status::Failed;
    }
  } else {
    arguments.resize(formals);
  }
  std::string name(text(item.name));
  if (item.label) {
    for (std::size_t i = 0; i < loops_.size(); ++i) name += fmt::format("{}{}", i ? "," : "[", loops_[i]);
    if (!loops_.empty()) name += "]";
  } else if (int n = ++child_names_[name]; n > 1) {
    name += fmt::format("#{}", n);
  }
  machine_.begin_report();
  auto child = apply(r, std::move(arguments), item.args == nullptr, std::move(name), item.label.has_value(), item.span, item.head_span);
  if (!child) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  if (item.label) {
    std::uint32_t slot = code_->slot.at(item.label->value);
    LabelInfo& label = labels_[slot];
    label.depth = loops_.size();
    label.children[loops_] = *child;
    Object* o = machine_.heap().object(ObjectKind::Label, 0);
    o->a = slot;
    machine_.slot(slot) = Value::of(o);
  }
  return Status::Done;
}

Machine::Status BodyBuilder::for_item(const core::ForItem& item, Target target) {
  Value first, last;
  if (Status s = evaluate(item.first, first); s != Status::Done) return s;
  if (item.last) {
    if (Status s = evaluate(item.last, last); s != Status::Done) return s;
    if (first.tag != Tag::Int || last.tag != Tag::Int) {
      machine_.diagnostics().report(sigrel::Code::SignalSteersStructure, item.span,
                                    fmt::format("the bounds of `for` are Int values that are known before the simulation; here is {}",
                                                kind_of(first.tag != Tag::Int ? first : last)));
      return Status::Failed;
    }
  }
  auto assign = [&](auto& self, const core::Pattern& p, const Value& v) -> bool {
    switch (p.kind) {
      case core::PatternKind::Variable: machine_.slot(code_->slot.at(p.local.value)) = v; return true;
      case core::PatternKind::Wildcard: return true;
      case core::PatternKind::Tuple:
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
      machine_.diagnostics().report(sigrel::Code::NoMatch, item.pattern->span, "this pattern does not match every element");
      return Status::Failed;
    }
    loops_.push_back(index);
    Status s = block(item.body, target);
    loops_.pop_back();
    return s;
  };
  if (item.last) {
    for (std::int64_t i = first.integer; i <= last.integer; ++i)
      if (Status s = turn(Value::of_int(i), i); s != Status::Done) return s;
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
        .report(sigrel::Code::BranchesDiffer, item.span, fmt::format("the first branch has {} equations, the other {}", yes.size(), no.size()))
        .note("the condition changes with time, so both branches must determine the same number of unknowns")
        .help("a change of the number of equations is a `switch`");
    return Status::Failed;
  }
  auto c = machine_.to_signal(condition, item.condition->span);
  if (!c) return Status::Failed;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    ExprId residual = symbolic::simplified(machine_.signals, {Op::Select, c->value, yes[i].first.value, no[i].first.value, 0});
    bool initial = target == Target::Initial;
    row(residual, source(initial ? system::EquationKind::Initial : system::EquationKind::Written, yes[i].second, ""), initial);
  }
  return Status::Done;
}

Machine::Status BodyBuilder::branch_equations(const core::Body& body, std::vector<std::pair<ExprId, Span>>& out) {
  for (const core::SignalDecl& d : body.locals)
    if (Status s = declare(d); s != Status::Done) return s;
  for (const core::Item* i : body.items) {
    if (i->kind == core::ItemKind::Let) {
      if (Status s = let_item(*static_cast<const core::LetItem*>(i)); s != Status::Done) return s;
      continue;
    }
    if (i->kind != core::ItemKind::Equation) {
      machine_.diagnostics()
          .report(sigrel::Code::NotSupported, i->span, "only equations may depend on a condition that changes with time")
          .help("parts that come and go are a `switch`");
      return Status::Failed;
    }
    auto& e = *static_cast<const core::EquationItem*>(i);
    Value left, right;
    if (Status s = evaluate(e.left, left); s != Status::Done) return s;
    if (Status s = evaluate(e.right, right); s != Status::Done) return s;
    std::vector<std::pair<ExprId, std::string>> residuals;
    machine_.begin_report();
    if (!equate(left, right, e.span, residuals)) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
    for (auto& r : residuals) out.push_back({r.first, e.span});
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
