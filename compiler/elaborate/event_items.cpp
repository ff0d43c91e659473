// Discrete variables, `when`, `every`, `terminate`, and the assignments in their blocks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/elaborate/equate.h"
#include "compiler/elaborate/items.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

/// `initial` or `terminal`, where the condition is one of these.
std::optional<core::Primitive> moment_of(const core::Expr* expr) {
  if (expr->kind != core::ExprKind::Primitive) return std::nullopt;
  const core::Primitive op = static_cast<const core::PrimitiveExpr*>(expr)->op;
  if (op != core::Primitive::Initial && op != core::Primitive::Terminal) return std::nullopt;
  return op;
}

}  // namespace

Machine::Status Items::discrete_item(const core::DiscreteItem& item) {
  const Value variable = parts_.local(item.declaration.local);
  std::vector<Residual> starts;
  if (item.initial) {
    Value start;
    if (Status s = evaluate(item.initial, start); s != Status::Done) return s;
    if (Status s = equate(machine_, variable, start, item.span, starts); s != Status::Done) return s;
  }
  std::vector<ColumnId> columns;
  if (!parts_.variables.columns_of(variable, columns)) {
    machine_.diagnostics().report(
        Code::NotAScalar, item.declaration.span,
        fmt::format("`{}` is no variable that can be assigned", text(item.declaration.name)));
    return Status::Failed;
  }
  for (ColumnId c : columns) {
    parts_.columns[c].discrete = true;
    parts_.events.add_constant(c, item.declaration.span);
  }
  for (const Residual& r : starts)
    parts_.rows.add(r.expression, parts_.rows.source(system::EquationKind::Initial, item.span, r.component),
                    RowKind::Initial);
  return Status::Done;
}

Machine::Status Items::condition(const core::Expr* expr, ExprId& result) {
  Value condition;
  if (Status s = evaluate(expr, condition); s != Status::Done) return s;
  machine_.begin_report();
  const auto c = machine_.to_signal(condition, expr->span);
  if (!c) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  result = *c;
  return Status::Done;
}

/// Each branch is a trigger with a row for each condition.
Machine::Status Items::when_item(const core::WhenItem& item) {
  // All conditions first: an item that is not ready is evaluated again from its start.
  std::vector<ExprId> conditions;
  for (const core::WhenBranch& branch : item.branches)
    for (const core::Expr* expr : branch.conditions) {
      if (moment_of(expr)) continue;
      if (Status s = condition(expr, conditions.emplace_back()); s != Status::Done) return s;
    }
  auto next = conditions.begin();
  std::optional<TriggerId> preceding;
  for (const core::WhenBranch& branch : item.branches) {
    const Span span = join(branch.conditions.front()->span, branch.conditions.back()->span);
    const TriggerId made = parts_.events.add_trigger(system::Trigger::When, span);
    parts_.events[made].preceding = std::exchange(preceding, made);
    for (const core::Expr* expr : branch.conditions) {
      const std::optional<core::Primitive> moment = moment_of(expr);
      parts_.events[made].initial |= moment == core::Primitive::Initial;
      parts_.events[made].terminal |= moment == core::Primitive::Terminal;
      if (!moment)
        parts_.rows.add(*next++, parts_.rows.source(system::EquationKind::Event, expr->span, ""),
                        RowKind::Condition, made.value);
    }
    if (Status s = event_block(branch.body, made); s != Status::Done) return s;
  }
  return Status::Done;
}

Machine::Status Items::terminate_item(const core::TerminateItem& item) {
  ExprId expr;
  if (Status s = condition(item.condition, expr); s != Status::Done) return s;
  const TriggerId made = parts_.events.add_trigger(system::Trigger::Terminate, item.span);
  parts_.rows.add(expr, parts_.events[made].source, RowKind::Condition, made.value);
  return Status::Done;
}

Machine::Status Items::clock_number(const core::Expr* expr, RealId& result) {
  Value value;
  if (Status s = evaluate(expr, value); s != Status::Done) return s;
  if (value.tag != Tag::Real && value.tag != Tag::Int) {
    machine_.diagnostics()
        .report(Code::ClockSettings, expr->span,
                fmt::format("a clock is set by numbers that are known before the simulation; this is {}",
                            kind_of(value)))
        .help(
            "where the times depend on the run, keep the next one in a discrete variable: "
            "`when time >= next do`, with `next := time + dt` in its block");
    return Status::Failed;
  }
  result = parts_.reals.add(machine_.to_parameter(value));
  return Status::Done;
}

Machine::Status Items::every_item(const core::EveryItem& item) {
  ClockPlan clock;
  if (Status s = clock_number(item.period, clock.period); s != Status::Done) return s;
  clock.offset = parts_.reals.add(machine_.parameters.constant(0));
  clock.stop = parts_.reals.add(machine_.parameters.constant(std::numeric_limits<double>::infinity()));
  std::optional<RealId> start;
  for (const core::Attribute& a : item.settings) {
    const std::string_view name = text(a.name);
    Status s = Status::Done;
    if (name == "jitter") {
      Value list;
      s = evaluate(a.value, list);
      if (s != Status::Done) return s;
      for (const Object* cell = list.object; cell->size == 2; cell = cell->items[1].object)
        clock.jitter.push_back(parts_.reals.add(machine_.to_parameter(cell->items[0])));
    } else if (name == "start") {
      s = clock_number(a.value, start.emplace());
    } else {
      s = clock_number(a.value, name == "stop" ? clock.stop : clock.offset);
    }
    if (s != Status::Done) return s;
  }
  clock.start = start.value_or(clock.offset);
  clock.trigger = parts_.events.add_trigger(system::Trigger::Every, item.period->span);
  const TriggerId made = clock.trigger;
  parts_.events.add_clock(std::move(clock));
  return event_block(item.body, made);
}

Machine::Status Items::event_block(const core::Body& body, TriggerId trigger) {
  parts_.events.current = trigger;
  const Status s = block(body, Target::Event);
  parts_.events.current.reset();
  return s;
}

Machine::Status Items::assign_item(const core::AssignItem& item) {
  Value target, value;
  if (Status s = evaluate(item.target, target); s != Status::Done) return s;
  if (Status s = evaluate(item.value, value); s != Status::Done) return s;
  std::vector<ColumnId> columns;
  if (!parts_.variables.columns_of(target, columns)) {
    machine_.diagnostics()
        .report(Code::NotAssignable, item.target->span,
                "this is no variable of the relation that it stands in")
        .help("`:=` changes discrete variables and states; those of a part are changed in the part");
    return Status::Failed;
  }
  for (const ColumnId column : columns) {
    if (parts_.columns[column].kind != system::UnknownKind::Auxiliary) continue;
    machine_.diagnostics()
        .report(Code::NotAssignable, item.target->span, "this value cannot be assigned")
        .label("`pre` and `delay` are what a variable was")
        .help("assign the variable, as by `n := 1`; its new value is `pre n` in the next round");
    return Status::Failed;
  }
  std::vector<Residual> differences;  // checks the sizes, and has the names of the components
  if (Status s = equate(machine_, target, value, item.span, differences); s != Status::Done) return s;
  std::vector<Value> values, work{value};
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (is_aggregate(v))
      for (std::uint32_t i = v.object->size; i-- > 0;) work.push_back(v.object->items[i]);
    else
      values.push_back(v);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ExprId expr = *machine_.to_signal(values[k], item.value->span);
    for (ExprId id : topological(machine_.signals, {&expr, 1})) {
      const Node& node = machine_.signals[id];
      if (node.op != Op::Slot || ColumnRef::of_slot(node.a) != ColumnRef(columns[k])) continue;
      const std::string name = text(parts_.columns[columns[k]].name);
      Diagnostic& d =
          machine_.diagnostics().report(Code::AssignmentNeedsItself, item.value->span,
                                        fmt::format("the new value of `{}` is needed to compute it", name));
      if (item.definition)
        d.label(fmt::format("reads `{}` by a definition", name))
            .also(*item.definition, fmt::format("in this definition `{}` is the value after the event", name))
            .help(fmt::format("`pre {}` is the value before it; write it in the definition", name));
      else
        d.label(fmt::format("`{}` is the value after the event here", name))
            .help(fmt::format("`pre {}` is the value before it", name));
      return Status::Failed;
    }
    parts_.columns[columns[k]].assigned = true;
    const std::uint32_t assignment = parts_.events.add_assignment(columns[k]);
    parts_.rows.add(expr,
                    parts_.rows.source(system::EquationKind::Event, item.span, differences[k].component),
                    RowKind::Value, assignment);
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
