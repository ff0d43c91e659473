#include "compiler/elaborate/equalities.h"

#include <algorithm>

namespace sigrel::elaborate {

void Equalities::add(const evaluate::Machine& machine, ExprId root) {
  for (const ExprId id : topological(machine.signals, {&root, 1})) {
    const Node& node = machine.signals[id];
    if ((node.op != Op::Equal && node.op != Op::NotEqual) || node.value == kNoEvent) continue;
    const auto place = std::ranges::find(machine.equalities.rbegin(), machine.equalities.rend(), id,
                                         &evaluate::Machine::Equality::node);
    if (place == machine.equalities.rend()) continue;
    if (std::ranges::find(uses_, place->span, &Use::span) != uses_.end()) continue;
    Use use{place->span};
    follow(machine.signals, node, use);
    if (use.continuous || !use.columns.empty()) uses_.push_back(std::move(use));
  }
}

/// What the two sides vary with.
void Equalities::follow(const ExprPool& pool, const Node& equality, Use& use) const {
  std::vector<std::uint32_t> work{equality.a, equality.b};
  std::vector<std::uint32_t> seen;
  while (!work.empty()) {
    const std::uint32_t id = work.back();
    work.pop_back();
    if (std::ranges::find(seen, id) != seen.end()) continue;
    seen.push_back(id);
    const Node& node = pool[ExprId{id}];
    if (node.op == Op::Time || node.op == Op::Der) use.continuous = true;
    if (node.op == Op::Slot && ColumnRef::of_slot(node.a).is_own())
      use.columns.push_back(ColumnRef::of_slot(node.a).column());
    if (is_piecewise_constant(node.op)) continue;
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    // Of a choice, the condition is no part of the value.
    for (int k = node.op == Op::Select ? 1 : 0; k < arity(node.op); ++k) work.push_back(operands[k]);
  }
}

void Equalities::report(evaluate::Machine& machine, Columns& columns) const {
  auto is_continuous = [&](ColumnId c) {
    const Column& column = columns[columns.find(c)];
    return column.type == system::SignalType::Real && !column.discrete && !columns[c].discrete;
  };
  for (const Use& use : uses_) {
    if (!use.continuous && std::ranges::none_of(use.columns, is_continuous)) continue;
    machine.diagnostics()
        .report(Code::RealEquality, use.span, "signals that vary continuously are compared for equality")
        .label("they are equal by chance only, and not at the end of a step")
        .help("write `x >= y` for the instant at which `x` reaches `y`, or `abs (x - y) < tolerance`")
        .help(
            "`noEvent (x == y)` states that this exact value is meant, as where it avoids a division by "
            "zero");
  }
}

}  // namespace sigrel::elaborate
