#include "compiler/elaborate/switches.h"

#include <algorithm>

namespace sigrel::elaborate {

// An entry is a tuple: the number of the switch, the indices of its loops, and the mode.
RelationObject* with_modes(Heap& heap, RelationObject& relation, std::span<const GivenMode> modes) {
  Object* entries = heap.object(ObjectKind::Tuple, static_cast<std::uint32_t>(modes.size()));
  for (std::uint32_t k = 0; k < entries->size; ++k) {
    const GivenMode& given = modes[k];
    const auto loops = static_cast<std::uint32_t>(given.place.loops.size());
    Object* entry = heap.object(ObjectKind::Tuple, loops + 2);
    entry->items[0] = Value::of_int(given.place.item);
    for (std::uint32_t i = 0; i < loops; ++i) entry->items[i + 1] = Value::of_int(given.place.loops[i]);
    entry->items[loops + 1] = given.mode;
    entries->items[k] = Value::of(entry);
  }
  RelationObject* result = heap.relation(relation.relation(), relation.size + 1);
  std::ranges::copy(relation.span(), result->items);
  result->items[relation.size] = Value::of(entries);
  result->origin = relation.origin;
  return result;
}

void Switches::give(const Value& modes) {
  for (const Value& v : modes.object->span()) {
    const std::span<const Value> entry = v.object->span();
    SwitchPlace place{static_cast<std::uint32_t>(entry.front().integer)};
    for (const Value& index : entry.subspan(1, entry.size() - 2)) place.loops.push_back(index.integer);
    given_.emplace(std::move(place), entry.back());
  }
}

const Value* Switches::given(const SwitchPlace& place) const {
  const auto found = given_.find(place);
  return found == given_.end() ? nullptr : &found->second;
}

}  // namespace sigrel::elaborate
