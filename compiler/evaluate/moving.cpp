#include "compiler/evaluate/moving.h"

#include <algorithm>

namespace sigrel::elaborate {

void Region::require(std::int64_t value, Motion motion) {
  if (motion.still()) return;
  Bound bound{value, motion};
  if (std::ranges::find(bounds_, bound) == bounds_.end()) bounds_.push_back(bound);
}

bool Region::contains(std::pair<std::int64_t, std::int64_t> from,
                      std::pair<std::int64_t, std::int64_t> step) const {
  return std::ranges::all_of(bounds_, [&](const Bound& b) {
    return b.value + b.motion.size * from.first + b.motion.turn * from.second >= 0 &&
           b.motion.size * step.first + b.motion.turn * step.second >= 0;
  });
}

Region Moving::finish() {
  Region all;
  for (const Call& call : calls_) all.merge(call.region);  // more than one only after a failure
  begin();
  return all;
}

void Moving::compared(const Value& a, const Value& b) {
  if (a.index == b.index) return;  // they move together
  Motion x = Motion::of(a.index), y = Motion::of(b.index);
  Motion up{static_cast<std::int16_t>(x.size - y.size), static_cast<std::int16_t>(x.turn - y.turn)};
  Motion down{static_cast<std::int16_t>(-up.size), static_cast<std::int16_t>(-up.turn)};
  std::int64_t difference = a.integer - b.integer;
  if (difference >= 0) require(difference - (difference > 0), up);
  if (difference <= 0) require(-difference - (difference < 0), down);
}

void Moving::pin_list(const Value& list) {
  if (is_object(list, ObjectKind::Construct)) pin(Motion::of(list.object->b));
}

void Moving::inside(const Value& index, const Object& vector) {
  Motion i = Motion::of(index.index), n = Motion::of(vector.b);
  require(index.integer - 1, i);
  require(vector.size - index.integer,
          {static_cast<std::int16_t>(n.size - i.size), static_cast<std::int16_t>(n.turn - i.turn)});
}

Region Moving::end_turn() {
  Region region = std::move(calls_.back().region);
  calls_.pop_back();
  return region;
}

// With one turn more for a larger size, turn j of so many is turn j still if it is near the start, and moves
// by one if it is near the end. What a turn between says must hold for all of them: from the first to the
// last, at this size and all larger ones.
bool Moving::is_pattern(std::span<const Region> turns) {
  auto count = static_cast<std::int64_t>(turns.size());
  for (std::int64_t edge = 0; edge <= 2 && count > 2 * edge; ++edge) {
    bool holds = true;
    for (std::int64_t j = 0; j < count && holds; ++j) {
      const Region& r = turns[static_cast<std::size_t>(j)];
      if (j < edge)
        holds = r.contains({0, 0}, {1, 0});
      else if (j >= count - edge)
        holds = r.contains({0, 0}, {1, 1});
      else
        holds = r.contains({0, edge - j}, {1, 0}) && r.contains({0, count - 1 - edge - j}, {1, 1});
    }
    if (holds) return true;
  }
  return false;
}

std::uint32_t Moving::checked(std::int64_t size, std::int64_t turn, const Value& a, const Value& b) {
  if (std::max(std::abs(size), std::abs(turn)) > 1000) {
    pin(a);
    pin(b);
    return kConstant;
  }
  return Motion{static_cast<std::int16_t>(size), static_cast<std::int16_t>(turn)}.index();
}

std::uint32_t Moving::sum(const Value& a, const Value& b, int sign) {
  Motion x = Motion::of(a.index), y = Motion::of(b.index);
  return checked(x.size + sign * y.size, x.turn + sign * y.turn, a, b);
}

std::uint32_t Moving::product(const Value& a, const Value& b) {
  Motion x = Motion::of(a.index), y = Motion::of(b.index);
  if (!x.still() && !y.still()) {
    pin(a);
    pin(b);
    return kConstant;
  }
  std::int64_t factor = std::clamp<std::int64_t>(x.still() ? a.integer : b.integer, -10'000,
                                                 10'000);  // far beyond what checked() takes
  const Motion& m = x.still() ? y : x;
  return checked(m.size * factor, m.turn * factor, a, b);
}

void Moving::enter(std::size_t depth, const Object& callee, std::span<const Value> args) {
  Call call{depth, {}, {}};
  std::vector<Value> all{Value::of(const_cast<Object*>(&callee))};
  all.insert(all.end(), args.begin(), args.end());
  if (relations_.moves(all, call.key)) calls_.push_back(std::move(call));
}

void Moving::leave(std::size_t depth, Value& result) {
  if (calls_.size() == 1 || calls_.back().depth != depth) return;
  Call call = std::move(calls_.back());
  calls_.pop_back();
  // The value of an inner call passes through: it is the caller's step then.
  if (!is_object(result, ObjectKind::Relation) ||
      static_cast<RelationObject*>(result.object)->origin != kConstant) {
    calls_.back().region.merge(call.region);
    return;
  }
  auto& known = *static_cast<RelationObject*>(result.object);
  RelationObject* own = heap_.relation(known.relation(), 0);
  own->items = known.items;
  own->size = known.size;
  own->open = known.open;
  own->own_bundle = known.own_bundle;
  auto [at, fresh] = origins_.try_emplace(std::move(call.key), static_cast<std::uint32_t>(regions_.size()));
  if (fresh) regions_.push_back(std::move(call.region));
  own->origin = at->second;
  result = Value::of(own);
}

}  // namespace sigrel::elaborate
