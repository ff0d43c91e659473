#include "compiler/evaluate/value.h"

#include <algorithm>
#include <new>

namespace sigrel::evaluate {

void* Heap::allocate(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > left_) {
    std::size_t chunk = std::max<std::size_t>(bytes, 1 << 20);
    require(chunk);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(chunk), chunk});
    next_ = chunks_.back().bytes.get();
    left_ = chunk;
    bytes_ += chunk;
  }
  void* p = next_;
  next_ += bytes;
  left_ -= bytes;
  return p;
}

Object* Heap::object(ObjectKind kind, std::uint32_t size) {
  auto* o = new (allocate(sizeof(Object) + size * sizeof(Value))) Object{kind};
  o->size = size;
  o->items = new (o + 1) Value[size];
  return o;
}

RelationObject* Heap::relation(const RelationCode& code, std::uint32_t size) {
  auto* o = new (allocate(sizeof(RelationObject) + size * sizeof(Value))) RelationObject{};
  o->kind = ObjectKind::Relation;
  o->size = size;
  o->code = &code;
  o->items = new (o + 1) Value[size];
  return o;
}

}  // namespace sigrel::evaluate
