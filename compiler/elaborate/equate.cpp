#include "compiler/elaborate/equate.h"

#include <fmt/format.h>

#include "compiler/elaborate/variables.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {

Machine::Status equate(Machine& machine, const Value& left, const Value& right, Span span,
                       std::vector<Residual>& out) {
  using Status = Machine::Status;
  struct Work {
    Value left, right;
    LocalName component;
  };
  machine.begin_report();
  std::vector<Work> work{{left, right, {}}};
  while (!work.empty()) {
    const Work w = work.back();
    work.pop_back();
    if (is_object(w.left, ObjectKind::Node) || is_object(w.right, ObjectKind::Node)) {
      machine.diagnostics()
          .report(Code::NotAScalar, span,
                  "connectors are not equated: their flows must sum to zero, not be equal")
          .help("did you mean `connect`?");
      return Status::Failed;
    }
    if (is_object(w.left, ObjectKind::Unbound) || is_object(w.right, ObjectKind::Unbound)) {
      return Status::NotReady;  // a later application may give the size
    }
    if (is_aggregate(w.left) && is_aggregate(w.right)) {
      const Object &a = *w.left.object, &b = *w.right.object;
      if (a.size != b.size) {
        machine.diagnostics().report(
            Code::SizeMismatch, span,
            fmt::format("the left side has {} elements, the right side {}", a.size, b.size));
        return Status::Failed;
      }
      for (std::uint32_t i = a.size; i-- > 0;) {
        const LocalName part = a.kind == ObjectKind::Record
                                   ? field(w.component, machine.code().program().records[a.a].fields[i].name)
                               : a.kind == ObjectKind::Vector
                                   ? element(w.component, i + 1)
                                   : field(w.component, intern(std::to_string(i + 1)));
        work.push_back({a.items[i], b.items[i], part});
      }
      continue;
    }
    auto l = machine.to_signal(w.left, span);
    auto r = l ? machine.to_signal(w.right, span) : std::nullopt;
    if (!r) return machine.is_not_ready() ? Status::NotReady : Status::Failed;
    out.push_back({symbolic::simplified(machine.signals, {Op::Sub, l->value, r->value, 0, 0}), w.component});
  }
  return Status::Done;
}

std::optional<ColumnId> rotation_given(const BodyParts& parts, const Value& left, const Value& right,
                                       std::size_t residuals) {
  if (residuals != 9 || parts.machine.size_analysis || parts.switches.current != system::kNoSwitch)
    return std::nullopt;
  for (const Value* side : {&left, &right}) {
    std::vector<ColumnId> columns;
    if (!parts.variables.columns_of(*side, columns) || columns.size() != 9) continue;
    bool in_order = true;
    for (std::uint32_t k = 0; k < 9; ++k) in_order &= columns[k] == columns[0] + k;
    if (in_order && parts.nodes.is_rotation(columns[0])) return columns[0];
  }
  return std::nullopt;
}

}  // namespace sigrel::elaborate
