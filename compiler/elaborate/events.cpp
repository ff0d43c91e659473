#include "compiler/elaborate/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

/// Whether the values of an expression are those of a Bool or Int.
bool has_steps(const Node& root) { return is_piecewise_constant(root.op) && root.op != Op::Sign; }

ExprId slot_of(ExprPool& pool, ColumnRef column) { return pool.slot(column.slot()); }

}  // namespace

TriggerId Events::add_trigger(system::Trigger::Kind kind, Span span) {
  triggers_.push_back({kind, rows_.source(system::EquationKind::Event, span, "")});
  return TriggerId{triggers_.size() - 1};
}

void Events::add_constant(ColumnId column, Span span) {
  rows_.add(machine_.signals.der(ColumnRef(column).slot(), 1),
            rows_.source(system::EquationKind::Event, span, ""), RowKind::Equation);
}

ColumnId Events::previous_column(ColumnRef of, Span span) {
  if (auto known = previous_of_.find(of.slot()); known != previous_of_.end()) return known->second;
  const system::SignalType type = of.is_member() ? system::SignalType::Real : columns_[of.column()].type;
  const std::string name =
      of.is_member() ? std::string(text(members_[of.member()].name)) : text(columns_[of.column()].name);
  const ColumnId own = columns_.add(local_name("pre " + name), span, system::UnknownKind::Auxiliary);
  columns_[own].type = type;
  columns_[own].discrete = true;
  add_constant(own, span);
  // At the start `pre x` is x. The start value of a discrete variable may be used at once, those that
  // equations give follow from the first round.
  const bool declared = of.is_own() && columns_[of.column()].discrete;
  ExprPool& pool = machine_.signals;
  rows_.add(declared ? pool.binary(Op::Sub, slot_of(pool, own), slot_of(pool, of)) : slot_of(pool, own),
            rows_.source(system::EquationKind::Event, span, ""), RowKind::Initial);
  previous_.push_back({own, of});
  previous_of_.emplace(of.slot(), own);
  return own;
}

/// `edge` and `change` of a comparison need the value before of what it compares.
void Events::report_continuous(const std::string& name, std::string_view word, Span span) {
  Diagnostic& d = machine_.diagnostics().report(
      Code::PreOfContinuous, span, fmt::format("`{}` of `{}`, which changes all the time", word, name));
  if (word == "pre")
    d.label("outside of `when` and `every` there is no instant before which it is meant")
        .help(fmt::format("`pre {0}` in the block of a `when` is its value before the event; `delay {0} dt` "
                          "is that of an earlier time",
                          name));
  else
    d.label(
         "this compares a value with that before the event, which only Bool, Int, data and discrete "
         "variables have")
        .help("a `when` fires when its condition becomes true, so `when x > 0.5 do` needs no `edge`")
        .help(fmt::format("elsewhere, name the comparison, `local b :: Bool` and `b = x > 0.5`, and write "
                          "`{} b`",
                          word));
}

std::optional<Value> Events::previous(const Value& signal, std::string_view word, Span span) {
  auto expr = machine_.to_signal(signal, span);
  if (!expr) return std::nullopt;
  bool fine = true;
  ExprPool& pool = machine_.signals;
  ExprId result = symbolic::rewrite(pool, *expr, pool, [&](const Node& leaf) {
    if (leaf.op == Op::Der) {
      if (fine)
        machine_.diagnostics()
            .report(Code::PreOfContinuous, span, fmt::format("`{}` of a derivative", word))
            .help(fmt::format("give the derivative a name, `v = der x`, and write `{} v`", word));
      fine = false;
    }
    if (leaf.op != Op::Slot) return pool.intern(leaf);
    const ColumnRef of = ColumnRef::of_slot(leaf.a);
    const ColumnId own = previous_column(of, span);
    if (!current && !enters_mode && of.is_own() && columns_[of.column()].type == system::SignalType::Real &&
        !columns_[of.column()].discrete && fine) {
      report_continuous(text(columns_[of.column()].name), word, span);
      fine = false;
    }
    return slot_of(pool, own);
  });
  if (!fine) return std::nullopt;
  return Value::of_signal(symbolic::without_events(pool, result));
}

std::optional<Value> Events::delayed(const Value& signal, const Value& length, Span span) {
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
  auto varies = [&](ExprId id) {
    return pool[id].op == Op::Slot || pool[id].op == Op::Der || pool[id].op == Op::Time;
  };
  if (std::ranges::none_of(topological(pool, {&*expr, 1}), varies)) return signal;  // its past is the same
  const Node root = pool[*expr];
  const bool plain = root.op == Op::Slot && ColumnRef::of_slot(root.a).is_own();
  const system::SignalType type = plain             ? columns_[ColumnRef::of_slot(root.a).column()].type
                                  : has_steps(root) ? system::SignalType::Int
                                                    : system::SignalType::Real;
  ColumnId of;
  if (plain) {
    of = ColumnRef::of_slot(root.a).column();
  } else {
    of = columns_.add(local_name("what is delayed"), span, system::UnknownKind::Auxiliary);
    columns_[of].type = type;
    rows_.add(symbolic::simplified(pool, {Op::Sub, slot_of(pool, of).value, expr->value, 0, 0}),
              rows_.source(system::EquationKind::Argument, span, ""), RowKind::Equation);
  }
  const ColumnId own = columns_.add(local_name(plain ? "delay " + text(columns_[of].name) : "delay"), span,
                                    system::UnknownKind::Auxiliary);
  columns_[own].type = type;
  add_constant(own, span);
  const std::uint32_t source = rows_.source(system::EquationKind::Event, span, "");
  // Before the start the signal had its value at the start. The start of a mode is one: unlike `pre`, a delay
  // in a mode that is entered begins.
  const std::uint32_t begins = rows_.source(system::EquationKind::Argument, span, "");
  rows_.add(pool.binary(Op::Sub, slot_of(pool, own), slot_of(pool, of)), begins, RowKind::Initial);
  delays_.push_back(
      {own, of, reals_.add(machine_.to_parameter(length)), type != system::SignalType::Real, source});
  return Value::of_signal(slot_of(pool, own));
}

}  // namespace sigrel::elaborate
