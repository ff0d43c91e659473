#include "compiler/elaborate/variables.h"

namespace sigrel::elaborate {

// `inner`: the name ends with an index to which further ones are added, `m[2,1]`.
Value Variables::create(LayoutId id, LocalName name, Span span, bool interface, bool inner) {
  const LayoutNode node = machine_.layouts()[id];
  if (machine_.layouts().is_connector(id)) {
    std::vector<LocalName> names;
    machine_.layouts().names(id, name, names);
    const ColumnId first = columns_.next();
    for (LocalName n : names) columns_.add(n, span, system::UnknownKind::Source);
    return nodes_.value(nodes_.add(id, first, interface, name, span));
  }
  auto aggregate = [&](ObjectKind kind, std::uint32_t size, auto element, auto part, bool brackets_open) {
    Object* o = machine_.heap().object(kind, size);
    o->a = node.record.value;
    for (std::uint32_t i = 0; i < size; ++i)
      o->items[i] = create(element(i), part(i), span, interface, brackets_open);
    return Value::of(o);
  };
  auto element_of = [&](std::uint32_t i) { return node.elements[i]; };
  const auto elements = static_cast<std::uint32_t>(node.elements.size());
  switch (node.kind) {
    case core::LayoutKind::Record: {
      const auto& fields = machine_.code().program().records[node.record.value].fields;
      return aggregate(
          ObjectKind::Record, elements, element_of,
          [&](std::uint32_t i) { return field(name, fields[i].name); }, false);
    }
    case core::LayoutKind::Tuple:
      return aggregate(
          ObjectKind::Tuple, elements, element_of,
          [&](std::uint32_t i) { return field(name, intern(std::to_string(i + 1))); }, false);
    case core::LayoutKind::Vector: {
      const bool outer = machine_.layouts()[node.elements[0]].kind == core::LayoutKind::Vector;
      const bool has_places = node.size_dependence != kConstant && columns_.place == components::kNoPlace;
      Value vector = aggregate(
          ObjectKind::Vector, node.size, [&](std::uint32_t) { return node.elements[0]; },
          [&](std::uint32_t i) {
            if (has_places) columns_.place = static_cast<std::int32_t>(i) + 1;
            return inner ? next_index(name, i + 1) : element(name, i + 1);
          },
          outer);
      vector.object->b = node.size_dependence;
      if (has_places) columns_.place = components::kNoPlace;
      return vector;
    }
    default: {
      const ColumnRef c = columns_.add(name, span, system::UnknownKind::Source, node.kind);
      return Value::of_signal(machine_.signals.slot(c.slot()));
    }
  }
}

void Variables::set_units(LayoutId id, const core::Layout* declared, ColumnId first) {
  std::uint32_t column = first.value;
  set_units(id, declared, column);
}

void Variables::set_units(LayoutId id, const core::Layout* declared, std::uint32_t& column) {
  const LayoutNode& node = machine_.layouts()[id];
  auto part = [&](std::size_t k) {
    return declared && k < declared->elements.size() ? declared->elements[k] : nullptr;
  };
  switch (node.kind) {
    case core::LayoutKind::Record:
    case core::LayoutKind::Tuple:
      for (std::size_t k = 0; k < node.elements.size(); ++k) set_units(node.elements[k], part(k), column);
      break;
    case core::LayoutKind::Vector:
      for (std::uint32_t k = 0; k < node.size; ++k) set_units(node.elements[0], part(0), column);
      break;
    default:
      if (declared) columns_[ColumnId{column}].unit = declared->unit;
      ++column;
  }
}

Value Variables::create_unbound(LocalName name, Span span, std::uint32_t slot) {
  Object* o = machine_.heap().object(ObjectKind::Unbound, 0);
  o->a = static_cast<std::uint32_t>(unbound_.size());
  o->b = slot;
  unbound_.push_back({name, span});
  return Value::of(o);
}

Value Variables::bind(const Object& unbound, LayoutId layout) {
  if (!unbound_[unbound.a].value) {
    const auto [name, span, none] = unbound_[unbound.a];
    const Value value = create(layout, name, span);
    unbound_[unbound.a].value = value;
    machine_.slot(unbound.b) = value;
  }
  return *unbound_[unbound.a].value;
}

std::optional<LayoutId> Variables::layout_of(const Value& v) const {
  Layouts& layouts = machine_.layouts();
  if (v.tag == Tag::Bool) return layouts.scalar(core::LayoutKind::Bool);
  if (v.tag == Tag::Signal || v.tag == Tag::Real || v.tag == Tag::Int || is_object(v, ObjectKind::Member))
    return layouts.scalar(core::LayoutKind::Real);
  if (v.tag != Tag::Object) return std::nullopt;
  if (v.object->kind == ObjectKind::Node) return nodes_[node_of(*v.object)].layout;
  std::vector<LayoutId> elements;
  for (const Value& e : v.object->span()) {
    auto l = layout_of(e);
    if (!l) return std::nullopt;
    elements.push_back(*l);
  }
  if (v.object->kind == ObjectKind::Vector)
    return layouts.vector(elements.empty() ? layouts.scalar(core::LayoutKind::Real) : elements[0],
                          v.object->size);
  if (v.object->kind == ObjectKind::Record) return layouts.record(core::RecordId{v.object->a}, elements);
  if (v.object->kind == ObjectKind::Tuple) return layouts.tuple(elements);
  return std::nullopt;
}

std::optional<ColumnRef> Variables::column_of(const Value& v) const {
  if (is_object(v, ObjectKind::Member)) return ColumnRef(MemberId{v.object->a});
  if (v.tag != Tag::Signal) return std::nullopt;
  const Node& n = machine_.signals[ExprId{v.index}];
  if (n.op != Op::Slot) return std::nullopt;
  return ColumnRef::of_slot(n.a);
}

bool Variables::columns_of(const Value& value, std::vector<ColumnId>& out) const {
  std::vector<Value> work{value};
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    if (is_aggregate(v)) {
      for (std::uint32_t i = v.object->size; i-- > 0;) work.push_back(v.object->items[i]);
      continue;
    }
    const auto column = column_of(v);
    if (!column || !column->is_own()) return false;
    out.push_back(column->column());
  }
  return true;
}

}  // namespace sigrel::elaborate
