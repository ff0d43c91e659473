// `switch`: the items of the mode that it is in, and its transitions.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/elaborate/items.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

namespace {

bool has_signal(const Value& mode) {
  return std::ranges::any_of(Relations::numbers(mode), [](const Value& v) { return v.tag == Tag::Signal; });
}

/// Whether a function in it captures an instance or a node, of which it would read the present values.
bool has_reading_function(const Value& mode) {
  struct Work {
    const Object* object;
    bool in_function;
  };
  std::vector<Work> open{{mode.object, false}};
  std::unordered_set<const Object*> seen[2];  // by `in_function`
  while (!open.empty()) {
    const Work w = open.back();
    open.pop_back();
    if (w.in_function && (w.object->kind == ObjectKind::Label || w.object->kind == ObjectKind::Node))
      return true;
    if (!seen[w.in_function].insert(w.object).second) continue;
    const bool is_function = w.object->kind == ObjectKind::Closure || w.object->kind == ObjectKind::Partial;
    const bool is_aggregate = w.object->kind == ObjectKind::Construct ||
                              w.object->kind == ObjectKind::Tuple || w.object->kind == ObjectKind::Record ||
                              w.object->kind == ObjectKind::Vector;
    for (std::uint32_t k = 0; (is_function || is_aggregate) && k < w.object->size; ++k)
      if (w.object->items[k].tag == Tag::Object)
        open.push_back({w.object->items[k].object, w.in_function || is_function});
  }
  return false;
}

}  // namespace

Machine::Status Items::switch_item(const core::SwitchItem& item) {
  SwitchPlan plan{.item = &item};
  plan.place.item = parts_.code.switches.at(&item);
  plan.place.loops.assign(parts_.loops.all().begin(), parts_.loops.all().end());
  if (const Value* given = parts_.switches.given(plan.place)) {
    plan.mode = *given;
    plan.is_given = true;
  } else if (Status s = evaluate(item.initial, plan.mode); s != Status::Done) {
    return s;
  } else if (machine_.read_members(plan.mode) || has_signal(plan.mode) || has_reading_function(plan.mode)) {
    machine_.diagnostics()
        .report(
            Code::SignalSteersStructure, item.initial->span,
            "an argument of the first mode is a signal of an instance, whose value is not known before the "
            "simulation")
        .help("begin in a mode without arguments that is left at once: `until time >= 0.0 -> …`");
    return Status::Failed;
  }
  const core::Mode& mode = item.modes[plan.mode.object->a];
  for (std::size_t k = 0; k < mode.parameters.size(); ++k)
    if (!assign(*mode.parameters[k], plan.mode.object->items[k])) {
      machine_.diagnostics().report(Code::NotSupported, mode.parameters[k]->span,
                                    "this pattern does not match every value");
      return Status::Failed;
    }
  plan.source = parts_.rows.source(system::EquationKind::Event, item.span, "");
  plan.parent = parts_.switches.current;
  plan.name = mode.name;
  if (!mode_numbers(plan.mode, mode, std::nullopt, mode.span, plan.numbers, plan.captured))
    return Status::Failed;
  const std::uint32_t outer = parts_.enter_switch(parts_.switches.add(std::move(plan)));
  Status s = block(mode.body, Target::Main);
  for (const core::UntilItem& until : mode.transitions) {
    if (s != Status::Done) break;
    s = until_item(until);
    if (s != Status::NotReady) continue;
    defer(until, Target::Main);
    s = Status::Done;
  }
  parts_.enter_switch(outer);
  return s;
}

/// A target that is an `if` is a choice between transitions: the first whose condition holds is taken.
Machine::Status Items::until_item(const core::UntilItem& item) {
  struct Choice {
    std::optional<ExprId> condition;  // besides that of the item
    const core::Expr* target;
    Value mode{};
  };
  ExprPool& pool = machine_.signals;
  auto both = [&](std::optional<ExprId> a, ExprId b) { return a ? pool.binary(Op::And, *a, b) : b; };
  ExprId condition;
  if (Status s = this->condition(item.condition, condition); s != Status::Done) return s;
  std::vector<Choice> open{{std::nullopt, item.target}}, choices;
  while (!open.empty()) {
    Choice c = open.back();
    open.pop_back();
    if (c.target->kind != core::ExprKind::If) {
      machine_.captures_signals = true;
      const Status s = evaluate(c.target, c.mode);
      machine_.captures_signals = false;
      if (s != Status::Done) return s;
      machine_.read_members(c.mode);
      if (has_reading_function(c.mode)) {
        machine_.diagnostics()
            .report(Code::SignalSteersStructure, c.target->span,
                    "a function among the arguments of a mode reads inside an instance or at a node")
            .note("arguments of a mode keep the values of the instant at which it is entered")
            .help("pass what the function reads as an argument of its own");
        return Status::Failed;
      }
      choices.push_back(c);
      continue;
    }
    const auto* choice = static_cast<const core::IfExpr*>(c.target);
    Value chosen;
    if (Status s = evaluate(choice->condition, chosen); s != Status::Done) return s;
    if (chosen.tag == Tag::Bool) {
      open.push_back({c.condition, chosen.integer ? choice->then_branch : choice->else_branch});
      continue;
    }
    const auto signal = machine_.to_signal(chosen, choice->condition->span);
    if (!signal) return Status::Failed;
    open.push_back({c.condition, choice->else_branch});
    open.push_back({both(c.condition, *signal), choice->then_branch});
  }
  for (Choice& c : choices) {
    TransitionPlan plan;
    plan.of = parts_.switches.current;
    const core::Mode& mode = parts_.switches[plan.of].item->modes[c.mode.object->a];
    plan.name = mode.name;
    plan.target = c.mode;
    const ExprId whole = symbolic::simplified(pool, pool[both(c.condition, condition)]);
    if (!mode_numbers(c.mode, mode, whole, c.target->span, plan.numbers, plan.captured))
      return Status::Failed;
    plan.trigger = parts_.events.add_trigger(system::Trigger::Transition, item.span);
    parts_.rows.add(whole, parts_.events[plan.trigger].source, RowKind::Condition, plan.trigger.value);
    parts_.switches.add(std::move(plan));
  }
  return Status::Done;
}

/// Where the numbers in a mode come from. A signal that is no variable becomes one, which has its value where
/// the transition is `due`: at other times it may have none, as `1.0 / x` of `until x > 1.0`.
bool Items::mode_numbers(const Value& mode, const core::Mode& of, std::optional<ExprId> due, Span span,
                         std::vector<ModeNumberPlan>& numbers, std::vector<RelationObject*>& captured) {
  for (const Value& v : Relations::numbers(mode)) {
    if (v.tag == Tag::Object) {
      auto* relation = static_cast<RelationObject*>(v.object);
      numbers.push_back({ModeNumberPlan::Captured, relation->own_captured});
      captured.push_back(relation);
    } else if (v.tag == Tag::Real) {
      numbers.push_back({ModeNumberPlan::Real, parts_.reals.add(machine_.to_parameter(v)).value});
    } else {
      const Node n = machine_.signals[ExprId{v.index}];
      if (n.op == Op::Slot && ColumnRef::of_slot(n.a).is_own()) {
        const auto& column = parts_.columns[ColumnRef::of_slot(n.a).column()];
        if (column.type != system::SignalType::Real) {
          machine_.diagnostics()
              .report(Code::SignalSteersStructure, span,
                      fmt::format(
                          "`{}` is an Int or Bool signal; as an argument of a mode it must be known before "
                          "the simulation",
                          text(column.name)))
              .help(
                  "a mode for each value, and a target that is an `if`, choose by a signal; a Real may be a "
                  "signal");
          return false;
        }
        numbers.push_back({ModeNumberPlan::Column, ColumnRef::of_slot(n.a).column().value});
        continue;
      }
      ExprPool& pool = machine_.signals;
      const ColumnId column = parts_.columns.add(local_name("argument of " + std::string(text(of.name))),
                                                 span, system::UnknownKind::Auxiliary);
      const ExprId slot = pool.slot(ColumnRef(column).slot()), value{v.index};
      const ExprId here = due ? pool.select(*due, value, pool.constant(0)) : value;
      parts_.rows.add(symbolic::simplified(pool, {Op::Sub, slot.value, here.value, 0, 0}),
                      parts_.rows.source(system::EquationKind::Argument, span, ""), RowKind::Equation);
      numbers.push_back({ModeNumberPlan::Column, column.value});
    }
  }
  return true;
}

}  // namespace sigrel::elaborate
