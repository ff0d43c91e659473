// Discrete variables, `when`, `every`, `terminate` and the assignments in them. A discrete variable is a
// column whose derivative is zero, and so is what `pre` makes: between events nothing changes them, and no
// other stage has to know more. What `delay` makes is one too: for the equations it is a number that somebody
// knows.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "compiler/elaborate/body.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

/// The columns of an aggregate; false when a part of it is no variable.
bool BodyBuilder::columns_of(const Value& value, std::vector<std::uint32_t>& out) {
  std::vector<Value> work{value};
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (is_object(v, ObjectKind::Vector) || is_object(v, ObjectKind::Record) ||
        is_object(v, ObjectKind::Tuple)) {
      for (std::uint32_t i = v.object->size; i-- > 0;) work.push_back(v.object->items[i]);
      continue;
    }
    auto column = column_of(v);
    if (!column || *column & kDeep) return false;
    out.push_back(*column);
  }
  return true;
}

/// Between events the column keeps its value.
void BodyBuilder::keep(std::uint32_t column, Span span) {
  row(machine_.signals.der(column, 1), source(system::EquationKind::Event, span, ""), RowKind::Equation);
}

Machine::Status BodyBuilder::discrete_item(const core::DiscreteItem& item) {
  const Value variable = machine_.slot(code_->slot.at(item.declaration.local.value));
  std::vector<std::pair<ExprId, LocalName>> starts;
  if (item.initial) {
    Value start;
    if (Status s = evaluate(item.initial, start); s != Status::Done) return s;
    machine_.begin_report();
    if (!equate(variable, start, item.span, starts))
      return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  }
  std::vector<std::uint32_t> columns;
  if (!columns_of(variable, columns)) {
    machine_.diagnostics().report(
        Code::NotAScalar, item.declaration.span,
        fmt::format("`{}` is no variable that can be assigned", text(item.declaration.name)));
    return Status::Failed;
  }
  for (std::uint32_t c : columns) {
    columns_[c].discrete = true;
    keep(c, item.declaration.span);
  }
  for (auto& [residual, component] : starts)
    row(residual, source(system::EquationKind::Initial, item.span, component), RowKind::Initial);
  return Status::Done;
}

std::optional<Value> BodyBuilder::previous(const Value& signal, Span span) {
  auto expr = machine_.to_signal(signal, span);
  if (!expr) return std::nullopt;
  bool fine = true;
  ExprPool& pool = machine_.signals;
  ExprId result = symbolic::rewrite(pool, *expr, pool, [&](const Node& leaf) {
    if (leaf.op == Op::Der) {
      if (fine)
        machine_.diagnostics()
            .report(Code::PreOfContinuous, span, "`pre` of a derivative")
            .help("give the derivative a name, `v = der x`, and write `pre v`");
      fine = false;
    }
    if (leaf.op != Op::Slot) return pool.intern(leaf);
    const std::uint32_t of = leaf.a;
    auto known = previous_of_.find(of);
    if (known == previous_of_.end()) {
      const bool deep = of & kDeep;
      const system::SignalType type = deep ? system::SignalType::Real : columns_[of].type;
      const std::string name = deep ? std::string(text(deep_[of & ~kDeep].name)) : text(columns_[of].name);
      const std::uint32_t own = column(local_name("pre " + name), span, system::UnknownKind::Auxiliary);
      columns_[own].type = type;
      columns_[own].discrete = true;
      keep(own, span);
      row(pool.slot(own), source(system::EquationKind::Event, span, ""), RowKind::Initial);
      previous_.push_back({own, of});
      known = previous_of_.emplace(of, own).first;
    }
    if (!trigger_ && !(of & kDeep) && columns_[of].type == system::SignalType::Real &&
        !columns_[of].discrete && fine) {
      machine_.diagnostics()
          .report(Code::PreOfContinuous, span,
                  fmt::format("`pre` of `{}`, which changes all the time", text(columns_[of].name)))
          .label("outside of `when` and `every` there is no instant before which it is meant")
          .help(fmt::format("`pre {}` in the block of a `when` is its value before the event; `delay {} dt` "
                            "is that of an earlier time",
                            text(columns_[of].name), text(columns_[of].name)));
      fine = false;
    }
    return pool.slot(known->second);
  });
  if (!fine) return std::nullopt;
  return Value::of_signal(symbolic::without_events(pool, result));
}

namespace {

/// Of an expression that is no variable: whether its values are those of a Bool or Int.
bool has_steps(const Node& root) {
  switch (root.op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round: return true;
    default: return false;
  }
}

}  // namespace

std::optional<Value> BodyBuilder::delayed(const Value& signal, const Value& length, Span span) {
  if (length.tag != Tag::Real && length.tag != Tag::Int) {
    machine_.diagnostics()
        .report(Code::DelayLength, span, "how long a delay is must be known before the simulation")
        .label("this one changes with time")
        .help("`delay x dt` takes a number or a parameter for `dt`");
    return std::nullopt;
  }
  const auto expr = machine_.to_signal(signal, span);
  if (!expr) return std::nullopt;
  ExprPool& pool = machine_.signals;
  const std::vector<ExprId> ids = topological(pool, {&*expr, 1});
  auto moves = [&](ExprId id) {
    return pool[id].op == Op::Slot || pool[id].op == Op::Der || pool[id].op == Op::Time;
  };
  if (std::ranges::none_of(ids, moves)) return signal;  // what never changes was the same then
  const Node root = pool[*expr];
  const bool plain = root.op == Op::Slot && !(root.a & kDeep);
  system::SignalType type = plain             ? columns_[root.a].type
                            : has_steps(root) ? system::SignalType::Int
                                              : system::SignalType::Real;
  std::uint32_t of = root.a;
  if (!plain) {
    of = column(local_name("what is delayed"), span, system::UnknownKind::Auxiliary);
    columns_[of].type = type;
    row(symbolic::simplified(pool, {Op::Sub, pool.slot(of).value, expr->value, 0, 0}),
        source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  }
  const std::uint32_t own =
      column(local_name(plain ? "delay " + std::string(text(columns_[of].name)) : "delay"), span,
             system::UnknownKind::Auxiliary);
  columns_[own].type = type;
  keep(own, span);
  const std::uint32_t from = source(system::EquationKind::Event, span, "");
  row(pool.binary(Op::Sub, pool.slot(own), pool.slot(of)), from,
      RowKind::Initial);  // before the start it was what it is there
  delays_.push_back({own, of, real(machine_.to_parameter(length)), type != system::SignalType::Real, from});
  return Value::of_signal(pool.slot(own));
}

std::uint32_t BodyBuilder::trigger(system::Trigger::Kind kind, Span span) {
  triggers_.push_back({kind, source(system::EquationKind::Event, span, "")});
  return static_cast<std::uint32_t>(triggers_.size() - 1);
}

Machine::Status BodyBuilder::condition(const core::Expr* expr, system::Trigger::Kind kind, Span span,
                                       std::uint32_t& made) {
  Value condition;
  if (Status s = evaluate(expr, condition); s != Status::Done) return s;
  machine_.begin_report();
  auto c = machine_.to_signal(condition, expr->span);
  if (!c) return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  made = trigger(kind, span);
  row(*c, triggers_[made].source, RowKind::Condition, made);
  return Status::Done;
}

Machine::Status BodyBuilder::when_item(const core::WhenItem& item) {
  std::uint32_t made = 0;
  if (Status s = condition(item.condition, system::Trigger::When, item.condition->span, made);
      s != Status::Done)
    return s;
  return event_block(item.body, made);
}

Machine::Status BodyBuilder::terminate_item(const core::TerminateItem& item) {
  std::uint32_t made = 0;
  return condition(item.condition, system::Trigger::Terminate, item.span, made);
}

Machine::Status BodyBuilder::every_item(const core::EveryItem& item) {
  auto number = [&](const core::Expr* expr, std::uint32_t& result) {
    Value value;
    if (Status s = evaluate(expr, value); s != Status::Done) return s;
    if (value.tag != Tag::Real && value.tag != Tag::Int) {
      machine_.diagnostics().report(
          Code::ClockSettings, expr->span,
          fmt::format("a clock is set by numbers that are known before the simulation; this is {}",
                      kind_of(value)));
      return Status::Failed;
    }
    result = real(machine_.to_parameter(value));
    return Status::Done;
  };
  ClockPlan clock;
  if (Status s = number(item.period, clock.period); s != Status::Done) return s;
  clock.offset = real(machine_.parameters.constant(0));
  clock.stop = real(machine_.parameters.constant(std::numeric_limits<double>::infinity()));
  std::optional<std::uint32_t> start;
  for (const core::Attribute& a : item.settings) {
    const std::string_view name = text(a.name);
    Status s = Status::Done;
    if (name == "jitter") {
      Value list;
      s = evaluate(a.value, list);
      if (s != Status::Done) return s;
      for (const Object* cell = list.object; cell->size == 2; cell = cell->items[1].object)
        clock.jitter.push_back(real(machine_.to_parameter(cell->items[0])));
    } else if (name == "start") {
      s = number(a.value, start.emplace());
    } else {
      s = number(a.value, name == "stop" ? clock.stop : clock.offset);
    }
    if (s != Status::Done) return s;
  }
  clock.start = start.value_or(clock.offset);
  clock.trigger = trigger(system::Trigger::Every, item.period->span);
  const std::uint32_t made = clock.trigger;
  clocks_.push_back(std::move(clock));
  return event_block(item.body, made);
}

Machine::Status BodyBuilder::event_block(const core::Body& body, std::uint32_t trigger) {
  trigger_ = trigger;
  Status s = block(body, Target::Event);
  trigger_.reset();
  return s;
}

Machine::Status BodyBuilder::assign_item(const core::AssignItem& item) {
  Value target, value;
  if (Status s = evaluate(item.target, target); s != Status::Done) return s;
  if (Status s = evaluate(item.value, value); s != Status::Done) return s;
  std::vector<std::uint32_t> columns;
  if (!columns_of(target, columns)) {
    machine_.diagnostics()
        .report(Code::NotAssignable, item.target->span,
                "this is no variable of the relation that it stands in")
        .help("`:=` changes discrete variables and states; those of a part are changed in the part");
    return Status::Failed;
  }
  std::vector<std::pair<ExprId, LocalName>>
      differences;  // target - value: for the sizes, and the names of components
  machine_.begin_report();
  if (!equate(target, value, item.span, differences))
    return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  std::vector<Value> values, work{value};
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (is_object(v, ObjectKind::Vector) || is_object(v, ObjectKind::Record) ||
        is_object(v, ObjectKind::Tuple))
      for (std::uint32_t i = v.object->size; i-- > 0;) work.push_back(v.object->items[i]);
    else
      values.push_back(v);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ExprId expr = *machine_.to_signal(values[k], item.value->span);
    for (ExprId id : topological(machine_.signals, {&expr, 1})) {
      const Node& node = machine_.signals[id];
      if (node.op != Op::Slot || node.a != columns[k]) continue;
      const std::string name = text(columns_[columns[k]].name);
      machine_.diagnostics()
          .report(Code::AssignmentNeedsItself, item.value->span,
                  fmt::format("the new value of `{}` is needed to compute it", name))
          .label(fmt::format("`{}` is the value after the event here", name))
          .help(fmt::format("`pre {}` is the value before it", name));
      return Status::Failed;
    }
    assignments_.push_back({*trigger_, columns[k]});
    row(expr, source(system::EquationKind::Event, item.span, differences[k].second), RowKind::Value,
        static_cast<std::uint32_t>(assignments_.size() - 1));
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
