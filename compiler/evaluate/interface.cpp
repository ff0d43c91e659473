// Layouts of declarations: evaluates the sizes of a declared type. The interface of a relation value is known
// before its body is built.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/evaluate/machine.h"
#include "compiler/evaluate/size_dependence.h"

namespace sigrel::evaluate {
namespace {

constexpr std::int64_t kLargestVector = 1'000'000'000;

// Whether a layout is independent of the environment: it has no sizes and no layout parameters.
bool is_fixed(const core::Layout& layout) {
  if (!layout.sizes.empty() || layout.kind == core::LayoutKind::Variable ||
      layout.kind == core::LayoutKind::Unknown || layout.kind == core::LayoutKind::Vector)
    return false;
  return std::ranges::all_of(layout.elements, [](const core::Layout* e) { return is_fixed(*e); });
}

}  // namespace

/// Whether a variable may have so many scalars; false (reported) if not.
bool Machine::has_room(double scalars, Span span) {
  if (scalars <= static_cast<double>(limits.unknowns)) return true;
  fail_limit("unknowns", span, fmt::format("a variable of this type has {:.0f} scalars", scalars));
  return false;
}

// The result is a Layout value; `b` = 0: no annotation gives one of its sizes.
std::optional<Value> Machine::build_layout(const core::Layout* root, std::span<const Value> values,
                                           Span span) {
  // The values are in preorder, as Compiler::layout pushed them; a first pass attaches them to their nodes.
  struct Item {
    const core::Layout* layout;
    std::size_t value;
  };
  std::vector<Item> order;
  std::vector<const core::Layout*> work{root};
  std::size_t next = 0;
  while (!work.empty()) {
    const core::Layout* l = work.back();
    work.pop_back();
    order.push_back({l, next});
    next += l->sizes.size() + (l->kind == core::LayoutKind::Variable ? 1 : 0);
    for (auto it = l->elements.rbegin(); it != l->elements.rend(); ++it) work.push_back(*it);
  }
  // Backwards, every node finds its elements on top of the stack, first element last.
  std::vector<std::optional<LayoutId>> built;
  for (std::size_t i = order.size(); i-- > 0;) {
    const core::Layout* l = order[i].layout;
    std::vector<LayoutId> elements;
    bool known = true;
    for (std::size_t k = 0; k < l->elements.size(); ++k) {
      if (built.back()) elements.push_back(*built.back());
      known &= built.back().has_value();
      built.pop_back();
    }
    std::uint64_t scalars = 0;  // of the elements
    for (LayoutId e : elements) scalars += layouts_[e].scalars;
    if (!has_room(static_cast<double>(scalars), span)) return std::nullopt;
    std::optional<LayoutId> result;
    switch (l->kind) {
      case core::LayoutKind::Real:
      case core::LayoutKind::Int:
      case core::LayoutKind::Bool: result = layouts_.scalar(l->kind); break;
      case core::LayoutKind::Record:
        if (known) result = layouts_.record(l->record, elements);
        break;
      case core::LayoutKind::Tuple:
        if (known) result = layouts_.tuple(elements);
        break;
      case core::LayoutKind::Vector:
        if (!known || l->sizes.empty()) break;
        result = elements[0];
        for (std::size_t k = l->sizes.size(); k-- > 0;) {
          const Value& size = values[order[i].value + k];
          if (size.tag != Tag::Int || size.integer < 0 || size.integer > kLargestVector) {
            fail(Code::SizeNotKnown, span,
                 size.tag == Tag::Int ? fmt::format("a vector cannot have {} elements", size.integer)
                                      : fmt::format("the size of a vector is {}", kind_of(size)));
            return std::nullopt;
          }
          if (!has_room(static_cast<double>(size.integer) * layouts_[*result].scalars, span))
            return std::nullopt;
          if (size_analysis) size_analysis->require(size.integer, SizeDependence::decode(size.index));
          result = layouts_.vector(*result, static_cast<std::uint32_t>(size.integer), size.index);
        }
        break;
      case core::LayoutKind::Variable: {
        const Value& v = values[order[i].value];
        if (is_object(v, ObjectKind::Layout) && v.object->b) result = LayoutId{v.object->a};
        break;
      }
      case core::LayoutKind::Unknown: break;
    }
    built.push_back(result);
  }
  Object* o = heap_.object(ObjectKind::Layout, 0);
  o->b = built[0] ? 1 : 0;
  o->a = built[0] ? built[0]->value : 0;
  return Value::of(o);
}

Machine::Status Machine::layout(const RelationCode& code, const core::Layout* l, std::uint32_t base,
                                LayoutId& result, bool& unknown) {
  Value v;
  Status status = chunk(code_.function(code.layout_chunks.at(l)), base, v);
  if (status != Status::Done) return status;
  unknown = v.object->b == 0;
  result = LayoutId{v.object->a};
  return status;
}

std::optional<std::vector<std::optional<LayoutId>>> Machine::interface(const RelationObject& relation) {
  const RelationCode& code = relation.relation();
  if (interfaces_.size() <= code.id) interfaces_.resize(code.id + 1);
  if (interfaces_[code.id]) return *interfaces_[code.id];
  auto base = static_cast<std::uint32_t>(stack_.size());
  stack_.resize(base + code.slots);
  for (std::uint32_t i = 0; i < code.captured.size(); ++i)  // without what `with` gives
    stack_[base + code.slot.at(code.captured[i].value)] = relation.items[i];
  std::vector<std::optional<LayoutId>> result;
  for (const core::Formal& f : code.relation->formals) {
    LayoutId id;
    bool unknown = true;
    if (f.layout && layout(code, f.layout, base, id, unknown) != Status::Done) {
      stack_.resize(base);
      return std::nullopt;
    }
    result.push_back(unknown ? std::nullopt : std::optional(id));
  }
  stack_.resize(base);
  auto fixed = [](const core::Formal& f) { return f.layout && is_fixed(*f.layout); };
  if (std::ranges::all_of(code.relation->formals, fixed)) interfaces_[code.id] = result;
  return result;
}

}  // namespace sigrel::evaluate
