#include "compiler/elaborate/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sigrel::elaborate {

bool Items::build(const core::Body& body) {
  Status status = block(body, Target::Main);
  if (status == Status::Done) status = retry(deferred_);
  if (status == Status::Done && !deferred_.empty()) {
    report_undefined(deferred_.front());
    return false;
  }
  return status == Status::Done;
}

std::optional<Value> Items::node_field(const Object& node, std::uint32_t field, Span span) {
  return parts_.nodes.field(node, field, span);
}
std::optional<Value> Items::member(const core::MemberExpr& member, const Value& base,
                                   std::span<const Value> indices) {
  return parts_.applications.member(member, base, indices);
}
Value Items::member_field(const Object& member, std::uint32_t, Name name) {
  const MemberId id = member_of(member);
  return parts_.members.field(id, name, {}, parts_.members[id].span);
}
Value Items::member_index(const Object& member, std::span<const Value> indices) {
  return parts_.members.index(member_of(member), indices);
}
ExprId Items::member_signal(const Object& member) {
  return machine_.signals.slot(ColumnRef(member_of(member)).slot());
}
std::optional<Value> Items::block_apply(const Value& relation, const Value& inputs, Span span) {
  return parts_.applications.add_block(relation, inputs, span);
}
void Items::force(std::uint32_t parameter) { parts_.structural.add(machine_.parameters, ExprId{parameter}); }
std::optional<Value> Items::previous(const Value& signal, std::string_view word, Span span) {
  return parts_.events.previous(signal, word, span);
}
std::optional<Value> Items::delayed(const Value& signal, const Value& length, Span span) {
  return parts_.events.delayed(signal, length, span);
}

// A block inside `for` has its own variables in each iteration: those of an earlier one are not visible.
Machine::Status Items::block(const core::Body& body, Target target) {
  std::vector<const core::SignalDecl*> declared;
  for (const core::SignalDecl& d : body.locals) declared.push_back(&d);
  bool has_lets = false;
  for (const core::Item* i : body.items) {
    if (i->kind == core::ItemKind::Discrete)
      declared.push_back(&static_cast<const core::DiscreteItem*>(i)->declaration);
    if (i->kind != core::ItemKind::Let) continue;
    has_lets = true;
    for (const core::Binding& b : static_cast<const core::LetItem*>(i)->bindings)
      parts_.local(b.local) = Value{};
  }
  for (const core::SignalDecl* d : declared) parts_.local(d->local) = Value{};

  std::set<const core::Item*> done;
  // A `let` that only parameterised equations use is evaluated only if one of these is not ready without it.
  auto is_inlined = [&](const core::Item* i) {
    return !machine_.size_analysis && !machine_.claims && parts_.code.inlined.contains(i);
  };
  auto evaluate_lets = [&]() -> Status {
    if (!has_lets) return Status::Done;
    for (const core::Item* i : body.items) {
      if (i->kind != core::ItemKind::Let || done.contains(i) || is_inlined(i)) continue;
      Status s = item(*i, target);
      if (s == Status::Failed) return s;
      if (s == Status::Done) done.insert(i);
    }
    return Status::Done;
  };
  // Sizes of declarations may use a `let`, and a `let` may use a declared variable.
  if (evaluate_lets() == Status::Failed) return Status::Failed;
  for (const core::SignalDecl* d : declared) {
    Status s = declare(*d);
    if (s == Status::NotReady) {
      machine_.fail(Code::SizeNotKnown, d->span,
                    fmt::format("the type of `{}` depends on a signal or on itself", text(d->name)));
      return Status::Failed;
    }
    if (s != Status::Done) return s;
  }
  if (evaluate_lets() == Status::Failed) return Status::Failed;

  std::vector<Deferred> waiting;
  auto evaluate_items = [&](auto&& is_selected) -> Status {
    for (const core::Item* i : body.items) {
      if (!is_selected(i)) continue;
      Status s = item(*i, target);
      if (s == Status::Failed) return s;
      if (s == Status::NotReady)
        waiting.push_back({i, target, parts_.events.current, {}, {}, parts_.switches.current});
    }
    return Status::Done;
  };
  auto is_open = [&](const core::Item* i) { return !has_lets || (!done.contains(i) && !is_inlined(i)); };
  if (Status s = evaluate_items(is_open); s != Status::Done) return s;
  if (has_lets && !waiting.empty())
    if (Status s = evaluate_items(is_inlined); s != Status::Done) return s;
  if (Status s = retry(waiting); s != Status::Done) return s;
  for (Deferred& d : waiting) {  // an outer block may define what they need
    if (d.frame.empty()) {
      auto frame = machine_.body_slots(parts_.code.slots);
      d.frame.assign(frame.begin(), frame.end());
      d.loops = parts_.loops;
    }
    deferred_.push_back(std::move(d));
  }
  return Status::Done;
}

/// Evaluates the item again when everything else has been evaluated.
void Items::defer(const core::Item& item, Target target) {
  auto frame = machine_.body_slots(parts_.code.slots);
  deferred_.push_back({&item,
                       target,
                       parts_.events.current,
                       {frame.begin(), frame.end()},
                       parts_.loops,
                       parts_.switches.current});
}

Machine::Status Items::retry(std::vector<Deferred>& pending) {
  const bool outer = std::exchange(retrying_, true);
  Status result = Status::Done;
  for (bool progress = true; progress && !pending.empty() && result == Status::Done;) {
    progress = false;
    std::vector<Deferred> still;
    for (Deferred& d : pending) {
      const Status s = retry(d);
      if (s == Status::Failed) {
        result = s;
        break;
      }
      if (s == Status::Done)
        progress = true;
      else
        still.push_back(std::move(d));
    }
    pending = std::move(still);
  }
  retrying_ = outer;
  return result;
}

// In the frame of the item's own block, with the values that were defined since; what it defines stays.
Machine::Status Items::retry(const Deferred& d) {
  const auto outer_trigger = std::exchange(parts_.events.current, d.trigger);
  const auto outer_switch = parts_.enter_switch(d.owner);
  Status s{};
  if (d.frame.empty()) {
    s = item(*d.item, d.target);
  } else {
    auto frame = machine_.body_slots(parts_.code.slots);
    const std::vector<Value> kept(frame.begin(), frame.end());
    for (std::uint32_t i = 0; i < frame.size(); ++i)
      if (d.frame[i].tag != Tag::Undefined && !is_object(d.frame[i], ObjectKind::Unbound))
        frame[i] = d.frame[i];
    const LoopIndices outer_loops = std::exchange(parts_.loops, d.loops);
    s = item(*d.item, d.target);
    parts_.loops = outer_loops;
    frame = machine_.body_slots(parts_.code.slots);
    // What a `let` names, and the labels of instances.
    const core::ItemKind kind = d.item->kind;
    const bool defines = kind == core::ItemKind::Let || kind == core::ItemKind::Application;
    for (std::uint32_t i = 0; i < frame.size(); ++i)
      if (kept[i].tag != Tag::Undefined || !defines) frame[i] = kept[i];
  }
  parts_.events.current = outer_trigger;
  parts_.enter_switch(outer_switch);
  return s;
}

void Items::report_undefined(const Deferred& deferred) {
  for (const Variables::Unbound& u : parts_.variables.unbound())
    if (!u.value) {
      const std::string name = text(u.name), base = name.substr(0, name.find('['));
      machine_.diagnostics()
          .report(Code::SizeNotKnown, u.span, fmt::format("the size of `{}` is not known", name))
          .help(base == name
                    ? fmt::format("declare it, for example `local {} :: Real^3`", name)
                    : fmt::format("declare all elements with their type above the `for`, such as `local "
                                  "{0} :: Real^n` or `local {0} :: Frame^n`; a node of one "
                                  "iteration alone needs no index",
                                  base));
      return;
    }
  machine_.diagnostics()
      .report(Code::DefinedByItself, deferred.item->span,
              "this item needs a value or an instance that is never defined")
      .help("an index may be outside the range of its `for`, or two `let` need each other");
}

bool Items::is_allowed(const core::Item& item, Target target) {
  using core::ItemKind;
  const bool is_structure =
      item.kind == ItemKind::Let || item.kind == ItemKind::For || item.kind == ItemKind::If;
  if (target == Target::Event) {
    if (is_structure || item.kind == ItemKind::Assign) return true;
    auto& d = machine_.diagnostics().report(Code::AssignmentOutsideEvent, item.span,
                                            "only assignments are allowed in a `when` or `every`");
    if (item.kind == ItemKind::Equation)
      d.help("`x := e` gives a state or a discrete variable a new value; equations hold all the time");
    if (item.kind == ItemKind::When)
      d.help(
          "write both conditions in one, `when c && d do`, or several handlers with `elsewhen`; what a clock "
          "does under a "
          "condition is `every dt do` with `n := if c then e else pre n`");
    return false;
  }
  if (item.kind == ItemKind::Assign) {
    machine_.diagnostics()
        .report(Code::AssignmentOutsideEvent, item.span, "an assignment needs an event that triggers it")
        .help(
            "put it into a `when c do` or `every dt do`; an equation that always holds is written with `=`");
    return false;
  }
  if (target == Target::Main || is_structure || item.kind == ItemKind::Equation ||
      (item.kind == ItemKind::Steady && target == Target::Initial))
    return true;
  machine_.diagnostics().report(
      Code::NotSupported, item.span,
      fmt::format("`{}` takes equations only", target == Target::Initial ? "initially" : "guess"));
  return false;
}

Machine::Status Items::item(const core::Item& item, Target target) {
  using core::ItemKind;
  if (!is_allowed(item, target)) return Status::Failed;
  switch (item.kind) {
    case ItemKind::Equation: return equation_item(static_cast<const core::EquationItem&>(item), target);
    case ItemKind::Application: return application_item(static_cast<const core::ApplicationItem&>(item));
    case ItemKind::Connect: return connect_item(static_cast<const core::ConnectItem&>(item));
    case ItemKind::Let: return let_item(static_cast<const core::LetItem&>(item));
    case ItemKind::For: return for_item(static_cast<const core::ForItem&>(item), target);
    case ItemKind::If: return if_item(static_cast<const core::IfItem&>(item), target);
    case ItemKind::Initially: {
      const bool outer =
          std::exchange(parts_.events.enters_mode, parts_.switches.current != system::kNoSwitch);
      const Status s = block(static_cast<const core::BlockItem&>(item).body, Target::Initial);
      parts_.events.enters_mode = outer;
      return s;
    }
    case ItemKind::Guess: return block(static_cast<const core::BlockItem&>(item).body, Target::Guess);
    case ItemKind::Steady: return steady_item(static_cast<const core::SteadyItem&>(item));
    case ItemKind::Discrete: return discrete_item(static_cast<const core::DiscreteItem&>(item));
    case ItemKind::When: return when_item(static_cast<const core::WhenItem&>(item));
    case ItemKind::Every: return every_item(static_cast<const core::EveryItem&>(item));
    case ItemKind::Assign: return assign_item(static_cast<const core::AssignItem&>(item));
    case ItemKind::Switch: return switch_item(static_cast<const core::SwitchItem&>(item));
    case ItemKind::Until: return until_item(static_cast<const core::UntilItem&>(item));
    case ItemKind::Assert: return assert_item(static_cast<const core::AssertItem&>(item));
    case ItemKind::Terminate: return terminate_item(static_cast<const core::TerminateItem&>(item));
  }
  return Status::Failed;
}

Machine::Status Items::unsupported(Span span, const char* construct) {
  machine_.diagnostics()
      .report(Code::NotSupported, span, fmt::format("`{}` is checked but not run by this version", construct))
      .help("this version simulates systems of a fixed structure");
  return Status::Failed;
}

}  // namespace sigrel::elaborate
