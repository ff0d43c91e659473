// The items of a relation body, in any order: an item that needs a label or `let` of a later item waits until
// the end of its block (Deferred). `for` keeps its index on `loops_`; whatever is made inside is named and
// found by it.
#include "compiler/elaborate/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace sigrel::elaborate {

BodyBuilder::BodyBuilder(Machine& machine, Relations& relations, system::System& system, Shapes& shapes)
    : machine_(machine), relations_(relations), system_(system), shapes_(shapes) {}

std::optional<BodyBuilder::Output> BodyBuilder::build(RelationObject& relation, LayoutId interface,
                                                      std::span<const double> reals) {
  const RelationCode& code = relation.relation();
  code_ = &code;
  clear();
  ++bodies_;

  machine_.begin_body(code.slots);
  machine_.host = this;
  std::vector<Value> values;
  for (std::uint32_t k = 0; k < reals.size(); ++k)
    values.push_back(Value::of_real(reals[k], machine_.parameters.param(k).value));
  std::vector<Value> captures = relations_.body_captures(relation, values);
  for (std::uint32_t i = 0; i < captures.size(); ++i)
    machine_.slot(code.slot.at(code.captured[i].value)) = captures[i];

  const LayoutNode tuple = machine_.layouts()[interface];
  interface_ = tuple.scalars;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < code.relation->formals.size(); ++i) {
    const core::Formal& f = code.relation->formals[i];
    auto first = static_cast<std::uint32_t>(columns_.size());
    machine_.slot(code.slot.at(f.local.value)) =
        variable(tuple.elements[i], local_name(f.name), f.span, true, next);
    state_units(tuple.elements[i], f.layout, first);
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
  if (status == Status::Done && machine_.diagnostics().error_count() == errors)
    output = Output{finish(relation), forced_};
  machine_.host = nullptr;
  clear();
  return output;
}

// What one body needed is gone before its instances are made; small room is kept for the next body.
void BodyBuilder::clear() {
  constexpr std::size_t kKept = 4096;  // elements
  auto empty = [](auto&... containers) {
    auto one = [](auto& c) {
      using Container = std::remove_reference_t<decltype(c)>;  // `c = {}` would keep its room
      if constexpr (requires { c.capacity(); }) {
        if (c.capacity() > kKept) c = Container();
      } else {
        if (c.size() > kKept) c = Container();
      }
      c.clear();
    };
    (one(containers), ...);
  };
  empty(columns_, column_parent_, nodes_, uses_, slots_, row_reals_, sum_offsets_, sum_terms_, sum_sources_,
        children_, arguments_, formals_, child_names_, applied_, turns_, labels_, loops_, deferred_, reals_,
        real_order_, bundles_, bundle_items_, attributes_, steady_, deep_, deep_index_, unbound_, forced_,
        mark_, image_, triggers_, clocks_, assignments_, previous_, previous_of_, delays_);
  for (auto& rows : rows_) empty(rows);
  bundle_index_.clear();
  labelled_.clear();
  sum_offsets_.push_back(0);
  place_ = kNoPlace;
  trigger_.reset();
  epoch_ = 0;
}

/// The name with the turns of the loops around.
LocalName BodyBuilder::in_turn(LocalName name) const {
  for (std::size_t i = 0; i < loops_.size(); ++i)
    name = i ? next_index(name, loops_[i]) : element(name, loops_[i]);
  return name;
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
  for (const core::Item* i : body.items)
    if (i->kind == core::ItemKind::Let)
      for (const core::Binding& b : static_cast<const core::LetItem*>(i)->bindings)
        machine_.slot(code_->slot.at(b.local.value)) = Value{};
  std::vector<const core::SignalDecl*> declared;
  for (const core::SignalDecl& d : body.locals) declared.push_back(&d);
  for (const core::Item* i : body.items)
    if (i->kind == core::ItemKind::Discrete)
      declared.push_back(&static_cast<const core::DiscreteItem*>(i)->declaration);
  for (const core::SignalDecl* d : declared) machine_.slot(code_->slot.at(d->local.value)) = Value{};

  std::set<const core::Item*> done;
  // What only equations use that are functions of what they read is evaluated when one of them is not one
  // here.
  auto later = [&](const core::Item* i) {
    return !machine_.size_analysis && !machine_.claims && code_->inlined.contains(i);
  };
  auto early = [&](bool lets) -> Status {
    for (const core::Item* i : body.items) {
      if (!lets || i->kind != core::ItemKind::Let || done.contains(i) || later(i)) continue;
      Status s = item(*i, target);
      if (s == Status::Failed) return s;
      if (s == Status::Done) done.insert(i);
    }
    return Status::Done;
  };
  bool has_lets = std::any_of(body.items.begin(), body.items.end(),
                              [](const core::Item* i) { return i->kind == core::ItemKind::Let; });
  if (early(has_lets) == Status::Failed) return Status::Failed;
  for (const core::SignalDecl* d : declared) {
    Status s = declare(*d);
    if (s == Status::NotReady) {
      machine_.fail(Code::SizeNotKnown, d->span,
                    fmt::format("the type of `{}` depends on a signal or on itself", text(d->name)));
      return Status::Failed;
    }
    if (s != Status::Done) return s;
  }
  if (early(has_lets) == Status::Failed) return Status::Failed;

  std::vector<Deferred> waiting;
  for (const core::Item* i : body.items) {
    if (has_lets && (done.contains(i) || later(i))) continue;
    Status s = item(*i, target);
    if (s == Status::Failed) return s;
    if (s == Status::NotReady) waiting.push_back({i, target, {}, {}, trigger_});
  }
  if (has_lets && !waiting.empty())
    for (const core::Item* i : body.items) {
      if (!later(i)) continue;
      Status s = item(*i, target);
      if (s == Status::Failed) return s;
      if (s == Status::NotReady) waiting.push_back({i, target, {}, {}, trigger_});
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
  struct Again {
    int& count;
    explicit Again(int& c) : count(c) { ++count; }
    ~Again() { --count; }
  } again(retries_);
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
          if (d.frame[i].tag != Tag::Undefined && !is_object(d.frame[i], ObjectKind::Unbound))
            frame[i] = d.frame[i];
        loops_ = d.loops;
      }
      const auto outer = std::exchange(trigger_, d.trigger);
      Status s = item(*d.item, d.target);
      trigger_ = outer;
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
          .report(Code::SizeNotKnown, u.span, fmt::format("the size of `{}` is not known", text(u.name)))
          .help(fmt::format("declare it, for example `local {} :: Real^3`", text(u.name)));
      return;
    }
  machine_.diagnostics()
      .report(Code::DefinedByItself, deferred.item->span,
              "this item needs a value or an instance that is never defined")
      .help("an index may be outside the range of its `for`, or two `let` need each other");
}

Machine::Status BodyBuilder::item(const core::Item& item, Target target) {
  using core::ItemKind;
  if (target == Target::Event) {
    const bool allowed = item.kind == ItemKind::Assign || item.kind == ItemKind::Let ||
                         item.kind == ItemKind::For || item.kind == ItemKind::If;
    if (!allowed) {
      auto& d = machine_.diagnostics().report(Code::AssignmentOutsideEvent, item.span,
                                              "a `when` or `every` takes assignments, and this is none");
      if (item.kind == ItemKind::Equation)
        d.help("`x := e` gives a state or a discrete variable a new value; equations hold all the time");
      return Status::Failed;
    }
  } else if (item.kind == ItemKind::Assign) {
    machine_.diagnostics()
        .report(Code::AssignmentOutsideEvent, item.span,
                "`:=` says what happens at an instant, and here no instant is given")
        .help(
            "put it into a `when c do` or `every dt do`; an equation that always holds is written with `=`");
    return Status::Failed;
  } else if (target != Target::Main) {
    bool allowed = item.kind == ItemKind::Equation || item.kind == ItemKind::Let ||
                   item.kind == ItemKind::For || item.kind == ItemKind::If ||
                   (item.kind == ItemKind::Steady && target == Target::Initial);
    if (!allowed) {
      machine_.diagnostics().report(
          Code::NotSupported, item.span,
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
    case ItemKind::Steady: return steady_item(static_cast<const core::SteadyItem&>(item));
    case ItemKind::Discrete: return discrete_item(static_cast<const core::DiscreteItem&>(item));
    case ItemKind::When: return when_item(static_cast<const core::WhenItem&>(item));
    case ItemKind::Every: return every_item(static_cast<const core::EveryItem&>(item));
    case ItemKind::Assign: return assign_item(static_cast<const core::AssignItem&>(item));
    case ItemKind::Switch: return unsupported(item.span, "switch");
    case ItemKind::Assert: return assert_item(static_cast<const core::AssertItem&>(item));
    case ItemKind::Terminate: return terminate_item(static_cast<const core::TerminateItem&>(item));
  }
  return Status::Failed;
}

Machine::Status BodyBuilder::unsupported(Span span, const char* what) {
  machine_.diagnostics()
      .report(Code::NotSupported, span, fmt::format("`{}` is checked but not run by this version", what))
      .help("this version simulates systems of a fixed structure");
  return Status::Failed;
}

// The columns from `column` on are the scalars of a variable; `stated` is its layout where the definition
// says it.
void BodyBuilder::state_units(LayoutId id, const core::Layout* stated, std::uint32_t& column) {
  const LayoutNode& node = machine_.layouts()[id];
  auto part = [&](std::size_t k) {
    return stated && k < stated->elements.size() ? stated->elements[k] : nullptr;
  };
  switch (node.kind) {
    case core::LayoutKind::Record:
    case core::LayoutKind::Tuple:
      for (std::size_t k = 0; k < node.elements.size(); ++k) state_units(node.elements[k], part(k), column);
      break;
    case core::LayoutKind::Vector:
      for (std::uint32_t k = 0; k < node.size; ++k) state_units(node.elements[0], part(0), column);
      break;
    default:
      if (stated) columns_[column].unit = stated->unit;
      ++column;
  }
}

Machine::Status BodyBuilder::declare(const core::SignalDecl& d) {
  LayoutId layout;
  bool unknown = true;
  if (Status s = machine_.layout(*code_, d.layout, 0, layout, unknown); s != Status::Done) return s;
  const LocalName name = in_turn(local_name(d.name));
  Value v;
  if (unknown) {
    Object* o = machine_.heap().object(ObjectKind::Unbound, 0);
    o->a = static_cast<std::uint32_t>(unbound_.size());
    o->b = code_->slot.at(d.local.value);
    unbound_.push_back({{}, false, {}, name, d.span});
    v = Value::of(o);
  } else {
    std::uint32_t next = kConstant;
    auto first = static_cast<std::uint32_t>(columns_.size());
    v = variable(layout, name, d.span, false, next);
    state_units(layout, d.layout, first);
  }
  machine_.slot(code_->slot.at(d.local.value)) = v;
  std::optional<double> least, greatest;
  for (const core::Attribute& a : d.attributes) {
    Value number;
    if (Status s = evaluate(a.value, number); s != Status::Done) return s;
    std::string_view key = text(a.name);
    using system::AttributeKind;
    AttributeKind kind = key == "guess"     ? AttributeKind::Guess
                         : key == "nominal" ? AttributeKind::Nominal
                         : key == "min"     ? AttributeKind::Min
                         : key == "max"     ? AttributeKind::Max
                                            : AttributeKind::StatePreference;
    if (is_object(number, ObjectKind::Construct)) {
      static constexpr double kPreference[] = {0.0, 1.0, -1.0, 2.0,
                                               -2.0};  // Default, Prefer, Avoid, Always, Never
      number = Value::of_real(kPreference[std::min<std::uint32_t>(number.object->a, 4)]);
    }
    if (number.tag == Tag::Real && kind == AttributeKind::Min) least = number.real;
    if (number.tag == Tag::Real && kind == AttributeKind::Max) greatest = number.real;
    if (least && greatest && *least > *greatest) {
      machine_.diagnostics()
          .report(Code::LimitsCrossed, a.span,
                  fmt::format("`{}` has no value: it is at least {} and at most {}", text(d.name), *least,
                              *greatest))
          .help("exchange `min` and `max`, or look at their signs");
      return Status::Failed;
    }
    attribute(kind, v, number, a.span);
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
