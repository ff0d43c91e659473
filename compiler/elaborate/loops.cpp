// `for`: a block of items in each iteration.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/elaborate/items.h"

namespace sigrel::elaborate {
namespace {

std::vector<std::size_t> sizes(BodyParts& parts) {
  std::vector<std::size_t> result;
  parts.for_each_list([&](const auto& list) { result.push_back(list.size()); });
  return result;
}

/// Reserves room for `times` the elements that were added since the sizes were `before`. A longer list grows
/// by itself.
void make_room(BodyParts& parts, std::span<const std::size_t> before, std::size_t times) {
  std::size_t k = 0;
  parts.for_each_list([&](auto& list) {
    const std::size_t more = (list.size() - before[k++]) * times;
    if (more > list.size()) list.reserve(list.size() + more);
  });
}

}  // namespace

Machine::Status Items::for_item(const core::ForItem& item, Target target) {
  Value first, last;
  if (Status s = evaluate(item.first, first); s != Status::Done) return s;
  if (item.last) {
    if (Status s = evaluate(item.last, last); s != Status::Done) return s;
    if (first.tag != Tag::Int || last.tag != Tag::Int) {
      machine_.diagnostics().report(
          Code::SignalSteersStructure, item.span,
          fmt::format("the bounds of `for` are Int values that are known before the simulation; here is {}",
                      kind_of(first.tag != Tag::Int ? first : last)));
      return Status::Failed;
    }
  }
  auto iteration = [&](const Value& v, std::int64_t index) {
    if (!assign(*item.pattern, v)) {
      machine_.diagnostics().report(Code::NotSupported, item.pattern->span,
                                    "this pattern does not match every element");
      return Status::Failed;
    }
    parts_.loops.push(index);
    Status s = block(item.body, target);
    parts_.loops.pop();
    return s;
  };
  if (item.last && !count_iterations(first.integer, last.integer, item.span)) return Status::Failed;
  return item.last ? count(first, last, iteration) : each(first, iteration);
}

/// Counts the iterations of a loop; false (reported) if those of the body are more than the limit.
bool Items::count_iterations(std::int64_t first, std::int64_t last, Span span) {
  if (last < first) return true;
  const auto further = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t limit = machine_.limits.iterations;
  if (further < limit && iterations_ + further < limit) {
    iterations_ += further + 1;
    return true;
  }
  machine_.begin_report();
  machine_.fail_limit("iterations", span,
                      iterations_ == 0 ? fmt::format("this `for` counts from {} to {}", first, last)
                                       : "the loops of this relation have too many iterations");
  return false;
}

bool Items::assign(const core::Pattern& p, const Value& v) {
  auto assign_parts = [&] {
    for (std::size_t i = 0; i < p.elements.size(); ++i)
      if (!assign(*p.elements[i], v.object->items[i])) return false;
    return true;
  };
  switch (p.kind) {
    case core::PatternKind::Variable: parts_.local(p.local) = v; return true;
    case core::PatternKind::Wildcard: return true;
    case core::PatternKind::Tuple:
    case core::PatternKind::Record: return assign_parts();
    case core::PatternKind::Construct: return v.tag == Tag::Object && v.object->a == p.tag && assign_parts();
    default: return false;
  }
}

Machine::Status Items::count(const Value& first, const Value& last, const Iteration& iteration) {
  if (machine_.size_analysis) {
    if (last.integer < first.integer)
      machine_.size_analysis->compared(last, first);
    else if (first.index != last.index)
      return count_size_dependent(first, last, iteration);
  }
  if (last.integer < first.integer) return Status::Done;
  std::vector<std::size_t> before;
  for (Value i = first;; ++i.integer) {
    const bool second = i.integer == first.integer + 1;  // it represents the further ones
    if (second) before = sizes(parts_);
    if (Status s = iteration(i, i.integer); s != Status::Done) return s;
    if (i.integer == last.integer) return Status::Done;  // before the increment: it may be the largest Int
    if (second) make_room(parts_, before, static_cast<std::size_t>(last.integer - i.integer));
  }
}

// The number of iterations depends on the size: each has a place, and a region of its own.
Machine::Status Items::count_size_dependent(const Value& first, const Value& last,
                                            const Iteration& iteration) {
  SizeAnalysis& analysis = *machine_.size_analysis;
  const auto from = SizeDependence::decode(first.index), to = SizeDependence::decode(last.index);
  const bool has_places = parts_.columns.place == components::kNoPlace && from.iteration == 0 &&
                          to.iteration == 0 && to.size - from.size == 1;
  std::vector<SizeRegion> iterations;
  for (std::int64_t i = first.integer; i <= last.integer; ++i) {
    Value index = Value::of_int(i);
    if (has_places) {
      index.index = SizeDependence{from.size, 1}.encode();
      parts_.columns.place = static_cast<std::int32_t>(i);
    }
    analysis.begin_iteration();
    const Status s = iteration(index, i);
    iterations.push_back(analysis.end_iteration());
    if (has_places) parts_.columns.place = components::kNoPlace;
    if (s != Status::Done) return s;
  }
  if (!has_places || !SizeAnalysis::is_uniform(iterations)) {
    analysis.pin({1, 0});
    analysis.pin({0, 1});
  }
  return Status::Done;
}

Machine::Status Items::each(const Value& collection, const Iteration& iteration) {
  if (machine_.size_analysis) machine_.size_analysis->pin_list(collection);
  if (is_object(collection, ObjectKind::Vector)) {
    for (std::uint32_t i = 0; i < collection.object->size; ++i)
      if (Status s = iteration(collection.object->items[i], i + 1); s != Status::Done) return s;
    return Status::Done;
  }
  std::int64_t position = 0;
  for (const Object* cell = collection.object; cell->size == 2; cell = cell->items[1].object) {
    ++position;
    const Value& v = cell->items[0];
    if (Status s = iteration(v, v.tag == Tag::Int ? v.integer : position); s != Status::Done) return s;
  }
  return Status::Done;
}

}  // namespace sigrel::elaborate
