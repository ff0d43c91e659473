// Parts of values: fields, elements and slices, lists.
#include <fmt/format.h>

#include "compiler/evaluate/machine.h"
#include "compiler/evaluate/size_dependence.h"

namespace sigrel::evaluate {

std::string kind_of(const Value& v) {
  switch (v.tag) {
    case Tag::Undefined: return "nothing";
    case Tag::Int: return "an Int";
    case Tag::Bool: return "a Bool";
    case Tag::Real: return "a Real";
    case Tag::String: return "a String";
    case Tag::Signal: return "a signal";
    case Tag::Object: break;
  }
  switch (v.object->kind) {
    case ObjectKind::Tuple: return "a tuple";
    case ObjectKind::Construct: return "a list or data value";
    case ObjectKind::Record: return "a record";
    case ObjectKind::Vector: return "a vector";
    case ObjectKind::Closure:
    case ObjectKind::Partial: return "a function";
    case ObjectKind::Relation: return "a signal relation";
    case ObjectKind::Layout: return "a type";
    case ObjectKind::Node: return "a connector";
    case ObjectKind::Member: return "a variable of an instance";
    case ObjectKind::Label: return "an instance";
    case ObjectKind::Unbound: return "a signal of unknown size";
  }
  return "a value";
}

std::optional<Value> Machine::field(const Value& base, std::uint32_t i, Name name, Span span) {
  if (is_object(base, ObjectKind::Record)) return base.object->items[i];
  if (is_object(base, ObjectKind::Node)) return host->node_field(*base.object, i, span);
  if (is_object(base, ObjectKind::Member)) return host->member_field(*base.object, i, name);
  if (is_object(base, ObjectKind::Unbound)) {
    not_ready();
    return std::nullopt;
  }
  fail(Code::NotSupported, span, fmt::format("{} has no field `{}`", kind_of(base), text(name)));
  return std::nullopt;
}

std::optional<Value> Machine::index(const IndexShape& shape, std::span<Value> values, Span span) {
  if (is_object(values[0], ObjectKind::Member))
    return host->member_index(*values[0].object, values.subspan(1));
  if (is_object(values[0], ObjectKind::Unbound)) {
    not_ready();
    return std::nullopt;
  }
  // Indices apply from the outermost level inwards; after a slice the rest applies to every element.
  std::size_t next = 1;
  auto apply = [&](auto& self, const Value& base, std::size_t part, std::size_t at) -> std::optional<Value> {
    if (part == shape.slices.size()) return base;
    if (!is_object(base, ObjectKind::Vector)) {
      fail(Code::IndexOutOfRange, span, fmt::format("{} is indexed", kind_of(base)));
      return std::nullopt;
    }
    auto bound = [&](const Value& v) -> std::optional<std::int64_t> {
      if (v.tag == Tag::Int) {
        // In a vector whose size depends on the sample, the element exists where the index is in range.
        if (base.object->b == kNone)
          pin(v);
        else if (size_analysis)
          size_analysis->inside(v, *base.object);
        return v.integer;
      }
      fail(
          Code::SignalSteersStructure, span,
          fmt::format("an index must be an Int that is known before the simulation, this is {}", kind_of(v)));
      return std::nullopt;
    };
    auto n = static_cast<std::int64_t>(base.object->size);
    auto first = bound(values[at]);
    if (!first) return std::nullopt;
    auto check = [&](std::int64_t k) {
      if (k >= 1 && k <= n) return true;
      fail(Code::IndexOutOfRange, span,
           fmt::format("index {} is outside 1 .. {}{}", k, n,
                       k == 0 ? ": the first element has the index 1" : ""));
      return false;
    };
    if (!shape.slices[part])
      return check(*first) ? self(self, base.object->items[*first - 1], part + 1, at + 1) : std::nullopt;
    auto last = bound(values[at + 1]);
    if (!last) return std::nullopt;
    std::int64_t count = std::max<std::int64_t>(0, *last - *first + 1);
    if (count && (!check(*first) || !check(*last))) return std::nullopt;
    Object* o = heap_.object(ObjectKind::Vector, static_cast<std::uint32_t>(count));
    if (size_analysis && base.object->b != kNone) o->b = size_analysis->sum(values[at + 1], values[at], -1);
    for (std::int64_t i = 0; i < count; ++i) {
      auto element = self(self, base.object->items[*first - 1 + i], part + 1, at + 2);
      if (!element) return std::nullopt;
      o->items[i] = *element;
    }
    return Value::of(o);
  };
  return apply(apply, values[0], 0, next);
}

std::optional<Value> Machine::expand(const Value& member, const Object& layout, Span span) {
  if (!is_object(member, ObjectKind::Member)) return member;
  if (!layout.b) {
    fail(Code::SizeNotKnown, span,
         "the size of this vector is not known here: it follows inside the instance");
    if (last_)
      last_->help(
          "read its elements, or name the argument that decides the size in the signature: `(n :: Int) -> "
          "…`");
    return std::nullopt;
  }
  // The depth of the recursion is that of a type. The indices of a matrix are in one pair of brackets.
  auto parts = [&](auto& self, const Value& variable, LayoutId id, std::vector<Value>& indices) -> Value {
    const LayoutNode& node = layouts_[id];
    if (node.kind == core::LayoutKind::Vector) {
      Object* vector = heap_.object(ObjectKind::Vector, node.size);
      vector->b = node.size_dependence;
      for (std::uint32_t i = 0; i < node.size; ++i) {
        indices.push_back(Value::of_int(i + 1));
        vector->items[i] = self(self, variable, node.elements[0], indices);
        indices.pop_back();
      }
      return Value::of(vector);
    }
    const Value whole = indices.empty() ? variable : host->member_index(*variable.object, indices);
    if (node.kind != core::LayoutKind::Record || layouts_.is_connector(id)) return whole;
    const auto& fields = code_.program().records[node.record.value].fields;
    Object* record = heap_.object(ObjectKind::Record, static_cast<std::uint32_t>(fields.size()));
    record->a = node.record.value;
    for (std::uint32_t i = 0; i < fields.size(); ++i) {
      std::vector<Value> none;
      record->items[i] =
          self(self, host->member_field(*whole.object, i, fields[i].name), node.elements[i], none);
    }
    return Value::of(record);
  };
  std::vector<Value> indices;
  return parts(parts, member, LayoutId{layout.a}, indices);
}

Value Machine::list(const std::vector<Value>& items, Value rest) {
  for (std::size_t i = items.size(); i-- > 0;) {
    Object* cell = heap_.object(ObjectKind::Construct, 2);
    cell->a = 1;
    cell->items[0] = items[i];
    cell->items[1] = rest;
    rest = Value::of(cell);
  }
  return rest;
}

}  // namespace sigrel::evaluate
