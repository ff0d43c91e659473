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
  return item.last ? count(first, last, iteration, item.span) : each(first, iteration, item.span);
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

Machine::Status Items::count(const Value& first, const Value& last, const Iteration& iteration, Span span) {
  if (machine_.size_analysis) {
    if (last.integer < first.integer)
      machine_.size_analysis->compared(last, first);
    else if (first.index != last.index)
      return count_size_dependent(first, last, iteration);
  }
  if (last.integer < first.integer) return Status::Done;
  Value i = first;
  const auto further = static_cast<std::uint64_t>(last.integer) - static_cast<std::uint64_t>(first.integer);
  return repeat(
      further + 1,
      [&](std::uint64_t k) {
        if (k > 0) ++i.integer;  // not after the last iteration: it may be the largest Int
        return iteration(i, i.integer);
      },
      span);
}

/// The second iteration represents the further ones: they get the room that they need, if that is within the
/// limits.
Machine::Status Items::repeat(std::uint64_t iterations, const std::function<Status(std::uint64_t)>& iteration,
                              Span span) {
  std::vector<std::size_t> before;
  for (std::uint64_t k = 0; k < iterations; ++k) {
    if (k == 1) before = sizes(parts_);
    const std::size_t column = parts_.columns.size(), child = parts_.applications.children().size();
    if (Status s = iteration(k); s != Status::Done) return s;
    if (k != 1) continue;
    if (!has_room(column, child, iterations, span)) return Status::Failed;
    make_room(parts_, before, static_cast<std::size_t>(iterations - 2));
  }
  return Status::Done;
}

/// Whether all iterations are within the limits if each adds what the last one added, which are the columns
/// and the children from the given ones on; false (reported) if not. Otherwise that would be known only when
/// all of them are built.
bool Items::has_room(std::size_t first_column, std::size_t first_child, std::uint64_t iterations, Span span) {
  std::uint64_t unknowns = 0;
  for (ColumnId c{first_column}; c < parts_.columns.next(); ++c.value)
    unknowns += parts_.columns.find(c) == c && !parts_.columns[c].dropped;
  const std::uint64_t instances = parts_.applications.children().size() - first_child;
  const bool many_unknowns = unknowns > machine_.limits.unknowns / iterations;
  if (!many_unknowns && instances <= machine_.limits.instances / iterations) return true;
  machine_.begin_report();
  machine_.fail_limit(many_unknowns ? "unknowns" : "instances", span,
                      fmt::format("this `for` has {} iterations, and each adds {} {} to the model",
                                  iterations, many_unknowns ? unknowns : instances,
                                  many_unknowns ? (unknowns == 1 ? "unknown" : "unknowns")
                                                : (instances == 1 ? "instance" : "instances")));
  return false;
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

Machine::Status Items::each(const Value& collection, const Iteration& iteration, Span span) {
  if (machine_.size_analysis) machine_.size_analysis->pin_list(collection);
  if (is_object(collection, ObjectKind::Vector))
    return repeat(
        collection.object->size,
        [&](std::uint64_t k) {
          return iteration(collection.object->items[k], static_cast<std::int64_t>(k) + 1);
        },
        span);
  std::uint64_t length = 0;
  for (const Object* cell = collection.object; cell->size == 2; cell = cell->items[1].object) ++length;
  const Object* cell = collection.object;
  return repeat(
      length,
      [&](std::uint64_t k) {
        if (k > 0) cell = cell->items[1].object;
        const Value& v = cell->items[0];
        return iteration(v, v.tag == Tag::Int ? v.integer : static_cast<std::int64_t>(k) + 1);
      },
      span);
}

}  // namespace sigrel::elaborate
