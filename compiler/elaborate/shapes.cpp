#include "compiler/elaborate/shapes.h"

#include <bit>

namespace sigrel::elaborate {

Equations& equations_of(system::System& system, RowKind kind) {
  switch (kind) {
    case RowKind::Equation: break;
    case RowKind::Initial: return system.initial;
    case RowKind::Assertion: return system.assertions;
    case RowKind::Condition: return system.events.conditions;
    case RowKind::Value: return system.events.values;
  }
  return system.equations;
}

std::uint32_t Shapes::constant(double value) {
  auto [it, fresh] = constants_.try_emplace(std::bit_cast<std::uint64_t>(value),
                                            static_cast<std::uint32_t>(system_.parameters.size()));
  if (fresh) system_.parameters.push_back({Op::Const, 0, 0, 0, value});
  return it->second;
}

std::uint32_t Shapes::source(system::EquationKind kind, Span span, LocalName component) {
  const system::SourceEquation source{kind, span, component};
  auto hash = [](const system::SourceEquation& s) {
    return mixed(mixed(s.span.file.value, s.span.begin | static_cast<std::uint64_t>(s.span.end) << 32),
                 static_cast<std::uint64_t>(s.kind) << 32 | s.component.value);
  };
  const auto next = static_cast<std::uint32_t>(system_.sources.size());
  const std::uint32_t found = sources_.find_or_add(
      hash(source), next, [&](std::uint32_t k) { return system_.sources[k] == source; },
      [&](std::uint32_t k) { return hash(system_.sources[k]); });
  if (found == next) system_.sources.push_back(source);
  return found;
}

std::uint32_t Shapes::table(const ExprPool& from, ExprId residual, RowKind kind,
                            std::vector<ColumnRef>& columns, std::vector<ExprId>& numbers) {
  if (mark_.size() < from.size()) {
    mark_.resize(from.size() * 2, 0);
    image_.resize(mark_.size());
  }
  ++epoch_;
  const std::size_t first_column = columns.size(), first_number = numbers.size();
  auto number = [](auto& list, std::size_t first, auto value) {
    for (std::size_t i = first; i < list.size(); ++i)
      if (list[i] == value) return static_cast<std::uint32_t>(i - first);
    list.push_back(value);
    return static_cast<std::uint32_t>(list.size() - 1 - first);
  };
  // A long sum has many slots: then a map instead of the scan.
  std::unordered_map<std::uint32_t, std::uint32_t> many;
  auto slot = [&](std::uint32_t column) {
    if (columns.size() - first_column < 16) return number(columns, first_column, ColumnRef::of_slot(column));
    if (many.empty())
      for (std::size_t i = first_column; i < columns.size(); ++i)
        many.emplace(columns[i].slot(), i - first_column);
    auto [it, fresh] = many.try_emplace(column, static_cast<std::uint32_t>(columns.size() - first_column));
    if (fresh) columns.push_back(ColumnRef::of_slot(column));
    return it->second;
  };
  std::vector<std::uint32_t> work{residual.value};
  ExprPool& to = system_.exprs;
  while (!work.empty()) {
    std::uint32_t id = work.back();
    if (mark_[id] == epoch_) {
      work.pop_back();
      continue;
    }
    const Node n = from[ExprId{id}];
    int k = arity(n.op);
    bool ready = true;
    auto need = [&](std::uint32_t child) {
      if (mark_[child] != epoch_) {
        work.push_back(child);
        ready = false;
      }
    };
    if (k > 2) need(n.c);
    if (k > 1) need(n.b);
    if (k > 0) need(n.a);
    if (!ready) continue;
    work.pop_back();
    Node m = n;
    switch (n.op) {
      case Op::Slot:
      case Op::Der: m.a = slot(n.a); break;
      case Op::Param: m.a = number(numbers, first_number, ExprId{n.a}); break;
      default:
        if (k > 0) m.a = image_[n.a];
        if (k > 1) m.b = image_[n.b];
        if (k > 2) m.c = image_[n.c];
    }
    image_[id] = to.intern(m).value;
    mark_[id] = epoch_;
  }
  const ExprId shape{image_[residual.value]};
  Equations& equations = equations_of(system_, kind);
  auto [it, fresh] = tables_[static_cast<std::size_t>(kind)].try_emplace(
      shape, static_cast<std::uint32_t>(equations.tables.size()));
  if (fresh) {
    EquationTable& t = equations.tables.emplace_back();
    t.residual = shape;
    t.slots = static_cast<std::uint32_t>(columns.size() - first_column);
    t.params = static_cast<std::uint32_t>(numbers.size() - first_number);
  }
  return it->second;
}

}  // namespace sigrel::elaborate
