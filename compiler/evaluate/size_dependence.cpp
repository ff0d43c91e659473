#include "compiler/evaluate/size_dependence.h"

#include <algorithm>

namespace sigrel::evaluate {

void SizeRegion::require(std::int64_t value, SizeDependence dependence) {
  if (dependence.is_constant()) return;
  Bound bound{value, dependence};
  if (std::ranges::find(bounds_, bound) == bounds_.end()) bounds_.push_back(bound);
}

bool SizeRegion::contains(std::pair<std::int64_t, std::int64_t> from,
                          std::pair<std::int64_t, std::int64_t> step) const {
  return std::ranges::all_of(bounds_, [&](const Bound& b) {
    return b.value + b.dependence.size * from.first + b.dependence.iteration * from.second >= 0 &&
           b.dependence.size * step.first + b.dependence.iteration * step.second >= 0;
  });
}

SizeRegion SizeAnalysis::finish() {
  SizeRegion all;
  for (const Call& call : calls_) all.merge(call.region);  // more than one only after a failure
  begin();
  return all;
}

void SizeAnalysis::compared(const Value& a, const Value& b) {
  if (a.index == b.index) return;  // they move together
  SizeDependence x = SizeDependence::decode(a.index), y = SizeDependence::decode(b.index);
  SizeDependence up{static_cast<std::int16_t>(x.size - y.size),
                    static_cast<std::int16_t>(x.iteration - y.iteration)};
  SizeDependence down{static_cast<std::int16_t>(-up.size), static_cast<std::int16_t>(-up.iteration)};
  std::int64_t difference = a.integer - b.integer;
  if (difference >= 0) require(difference - (difference > 0), up);
  if (difference <= 0) require(-difference - (difference < 0), down);
}

void SizeAnalysis::pin_list(const Value& list) {
  if (is_object(list, ObjectKind::Construct)) pin(SizeDependence::decode(list.object->b));
}

void SizeAnalysis::inside(const Value& index, const Object& vector) {
  SizeDependence i = SizeDependence::decode(index.index), n = SizeDependence::decode(vector.b);
  require(index.integer - 1, i);
  require(vector.size - index.integer,
          {static_cast<std::int16_t>(n.size - i.size), static_cast<std::int16_t>(n.iteration - i.iteration)});
}

SizeRegion SizeAnalysis::end_iteration() {
  SizeRegion region = std::move(calls_.back().region);
  calls_.pop_back();
  return region;
}

// A larger size by one adds one iteration: iteration j keeps its number if it is near the start, and its
// number increases by one if it is near the end. The region of an iteration between must contain all of them,
// from the first to the last, at this size and all larger ones.
bool SizeAnalysis::is_uniform(std::span<const SizeRegion> iterations) {
  auto count = static_cast<std::int64_t>(iterations.size());
  for (std::int64_t edge = 0; edge <= 2 && count > 2 * edge; ++edge) {
    bool holds = true;
    for (std::int64_t j = 0; j < count && holds; ++j) {
      const SizeRegion& r = iterations[static_cast<std::size_t>(j)];
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

std::uint32_t SizeAnalysis::checked(std::int64_t size, std::int64_t iteration, const Value& a,
                                    const Value& b) {
  if (std::max(std::abs(size), std::abs(iteration)) > 1000) {
    pin(a);
    pin(b);
    return kConstant;
  }
  return SizeDependence{static_cast<std::int16_t>(size), static_cast<std::int16_t>(iteration)}.encode();
}

std::uint32_t SizeAnalysis::sum(const Value& a, const Value& b, int sign) {
  SizeDependence x = SizeDependence::decode(a.index), y = SizeDependence::decode(b.index);
  return checked(x.size + sign * y.size, x.iteration + sign * y.iteration, a, b);
}

std::uint32_t SizeAnalysis::product(const Value& a, const Value& b) {
  SizeDependence x = SizeDependence::decode(a.index), y = SizeDependence::decode(b.index);
  if (!x.is_constant() && !y.is_constant()) {
    pin(a);
    pin(b);
    return kConstant;
  }
  std::int64_t factor = std::clamp<std::int64_t>(x.is_constant() ? a.integer : b.integer, -10'000,
                                                 10'000);  // far beyond the limit of checked()
  const SizeDependence& m = x.is_constant() ? y : x;
  return checked(m.size * factor, m.iteration * factor, a, b);
}

void SizeAnalysis::enter(std::size_t depth, const Object& callee, std::span<const Value> args) {
  Call call{depth, {}, {}};
  std::vector<Value> all{Value::of(const_cast<Object*>(&callee))};
  all.insert(all.end(), args.begin(), args.end());
  if (relations_.depends_on_size(all, call.key)) calls_.push_back(std::move(call));
}

void SizeAnalysis::leave(std::size_t depth, Value& result) {
  if (calls_.size() == 1 || calls_.back().depth != depth) return;
  Call call = std::move(calls_.back());
  calls_.pop_back();
  // The value of an inner call is passed on: the call is part of the step of its caller.
  if (!is_object(result, ObjectKind::Relation) ||
      static_cast<RelationObject*>(result.object)->origin != kNone) {
    calls_.back().region.merge(call.region);
    return;
  }
  auto& known = *static_cast<RelationObject*>(result.object);
  RelationObject* own = heap_.relation(known.relation(), 0);
  own->items = known.items;
  own->size = known.size;
  own->own_captured = known.own_captured;
  auto [at, fresh] = origins_.try_emplace(std::move(call.key), static_cast<std::uint32_t>(regions_.size()));
  if (fresh) regions_.push_back(std::move(call.region));
  own->origin = at->second;
  result = Value::of(own);
}

}  // namespace sigrel::evaluate
