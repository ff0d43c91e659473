#include "compiler/elaborate/parameters.h"

#include <algorithm>

namespace sigrel::elaborate {

RealId ParameterExpressions::add(ExprId parameter) {
  auto [it, fresh] = ids_.try_emplace(parameter, RealId{expressions_.size()});
  if (fresh) expressions_.push_back(parameter);
  return it->second;
}

std::vector<RealId> ParameterExpressions::arrange(const ExprPool& pool, Shapes& shapes,
                                                  std::vector<system::Parameter>& reals) const {
  std::unordered_map<std::uint32_t, std::uint32_t> place;  // expression -> index in `reals`
  for (ExprId id : topological(pool, expressions_)) {
    const Node n = pool[id];
    system::Parameter p{n.op, n.a, n.b, n.c, n.value};
    const int k = arity(n.op);
    if (k > 0) p.a = place.at(n.a);
    if (k > 1) p.b = place.at(n.b);
    if (k > 2) p.c = place.at(n.c);
    if (n.op == Op::Const) p.a = shapes.constant(n.value);
    if (n.op == Op::PowInt) {  // the operands of a parameter are parameters, also the exponent
      auto exponent = static_cast<double>(static_cast<std::int32_t>(n.b));
      p.op = Op::Pow;
      p.b = static_cast<std::uint32_t>(reals.size());
      reals.push_back({Op::Const, shapes.constant(exponent), 0, 0, exponent});
    }
    place.emplace(id.value, static_cast<std::uint32_t>(reals.size()));
    reals.push_back(p);
  }
  std::vector<RealId> result;
  result.reserve(expressions_.size());
  for (ExprId id : expressions_) result.emplace_back(place.at(id.value));
  return result;
}

// Innermost first: a relation that captures relations refers to their sets.
CapturedId CapturedParameters::of(RelationObject& root) {
  auto known = [&](const RelationObject& r) { return r.captured_in == body_; };
  std::vector<RelationObject*> work{&root};
  std::vector<std::uint32_t> items;
  while (!work.empty()) {
    RelationObject* r = work.back();
    if (known(*r)) {
      work.pop_back();
      continue;
    }
    CapturedPlan plan;
    items.clear();
    if (r->own_captured != kNone) {
      plan.own = r->own_captured;
    } else {
      Relations::Parts parts = relations_.parts(*r);
      bool ready = true;
      for (RelationObject* inner : parts.relations)
        if (!known(*inner) && inner != r) {
          work.push_back(inner);
          ready = false;
        }
      if (!ready) continue;
      for (const Value& v : parts.reals) items.push_back(reals_.add(machine_.to_parameter(v)).value);
      for (RelationObject* inner : parts.relations) items.push_back(inner == r ? kNone : inner->captured);
      plan.reals = static_cast<std::uint32_t>(parts.reals.size());
      plan.relations = static_cast<std::uint32_t>(parts.relations.size());
    }
    r->captured = add(plan, items).value;
    r->captured_in = body_;
    work.pop_back();
  }
  return CapturedId{root.captured};
}

CapturedId CapturedParameters::add(const CapturedPlan& plan, std::span<const std::uint32_t> items) {
  auto items_of = [&](const CapturedPlan& s) {
    return std::span(items_).subspan(s.first, s.reals + s.relations);
  };
  auto hash = [](const CapturedPlan& s, std::span<const std::uint32_t> list) {
    std::uint64_t h = mixed(s.own, s.reals | static_cast<std::uint64_t>(s.relations) << 32);
    for (std::uint32_t i : list) h = mixed(h, i);
    return h;
  };
  const auto next = static_cast<std::uint32_t>(sets_.size());
  const std::uint32_t found = index_.find_or_add(
      hash(plan, items), next,
      [&](std::uint32_t k) {
        const CapturedPlan& s = sets_[k];
        return s.own == plan.own && s.reals == plan.reals && s.relations == plan.relations &&
               std::ranges::equal(items_of(s), items);
      },
      [&](std::uint32_t k) { return hash(sets_[k], items_of(sets_[k])); });
  if (found == next) {
    sets_.push_back({plan.own, static_cast<std::uint32_t>(items_.size()), plan.reals, plan.relations});
    items_.insert(items_.end(), items.begin(), items.end());
  }
  return CapturedId{found};
}

void CapturedParameters::move_to(Blueprint& blueprint, const std::vector<RealId>& final_reals) {
  for (const CapturedPlan& s : sets_)
    for (std::uint32_t k = 0; k < s.reals; ++k) items_[s.first + k] = final_reals[items_[s.first + k]].value;
  blueprint.captured = std::move(sets_);
  blueprint.captured_items = std::move(items_);
}

}  // namespace sigrel::elaborate
