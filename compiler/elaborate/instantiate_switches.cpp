// Switches of instances: the modes that a run has entered, and where the numbers of modes come from.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {

/// The captured parameters of a relation in a mode: constants of their own, which the run changes.
Instantiator::CapturedSet Instantiator::captured_of_relation(const RelationObject& root) {
  std::vector<std::pair<const RelationObject*, CapturedSet>> work{{&root, add_captured()}};
  const CapturedSet result = work[0].second;
  while (!work.empty()) {
    const auto [relation, set] = work.back();
    work.pop_back();
    const Relations::Parts parts = relations_.parts(*relation);
    // Consecutive, although the sets of inner relations are made in between.
    captured_[set.value].first_real = static_cast<std::uint32_t>(system_.captured.size());
    for (const Value& v : parts.reals) system_.captured.push_back(parameter({Op::Const, 0, 0, 0, v.real}));
    captured_[set.value].first_inner = static_cast<std::uint32_t>(inner_.size());
    inner_.resize(inner_.size() + parts.relations.size());
    for (std::size_t k = 0; k < parts.relations.size(); ++k) {
      const CapturedSet inner = add_captured();
      inner_[captured_[set.value].first_inner + k] = inner;
      work.emplace_back(parts.relations[k], inner);
    }
  }
  return result;
}

/// The relation of the instance with the modes that the run has entered, and their parameters.
RelationObject* Instantiator::relation_in_mode(std::uint32_t instance, CapturedSet& captured) {
  RelationObject* relation = pending_[instance].relation;
  if (!modes_) return relation;
  const auto found = modes_->modes.find(instance_identities_[instance]);
  if (found == modes_->modes.end()) return relation;
  std::vector<GivenMode> given;
  for (const EnteredModes::Mode& m : found->second) given.push_back(m.given);
  RelationObject* result = with_modes(machine_.heap(), *relation, given);

  const Relations::Parts own = relations_.parts(*relation), all = relations_.parts(*result);
  std::vector<std::uint32_t> reals;
  std::vector<CapturedSet> inner;
  for (std::size_t k = 0; k < own.reals.size(); ++k) reals.push_back(captured_real(captured, k));
  for (std::size_t k = own.reals.size(); k < all.reals.size(); ++k)
    reals.push_back(parameter({Op::Const, 0, 0, 0, all.reals[k].real}));
  for (std::size_t k = 0; k < own.relations.size(); ++k)
    inner.push_back(inner_[captured_[captured.value].first_inner + k]);
  for (std::size_t k = own.relations.size(); k < all.relations.size(); ++k)
    inner.push_back(captured_of_relation(*all.relations[k]));
  captured = add_captured();
  system_.captured.insert(system_.captured.end(), reals.begin(), reals.end());
  inner_.insert(inner_.end(), inner.begin(), inner.end());
  return result;
}

void Instantiator::add_switches(const Body& body, std::uint32_t instance, CapturedSet captured) {
  const EnteredModes::Mode* no_mode = nullptr;
  for (const SwitchPlan& plan : body.switches) {
    const EnteredModes::Mode* given = no_mode;
    if (modes_ && plan.is_given)
      for (const EnteredModes::Mode& m : modes_->modes.at(instance_identities_[instance]))
        if (m.given.place == plan.place) given = &m;
    system::Switch s{.origin = {instance, plan.source}, .mode = plan.name};
    s.parent = owner_of(instance, plan.parent);
    std::tie(s.first_number, s.numbers) =
        add_mode_numbers(body, instance, captured, plan.numbers, plan.captured);
    // A switch without a given mode is one that was not there before.
    is_new_.push_back(modes_ && (!given || given->entered || is_new(s.parent)));
    system_.switches.push_back(s);
    const InstanceIdentity identity = modes_ ? instance_identities_[instance] : 0;
    switches_.push_back({0, identity, plan.place, plan.mode, plan.is_given});
  }
}

void Instantiator::add_transitions(const Body& body, std::uint32_t instance, CapturedSet captured) {
  const auto first_trigger = static_cast<std::uint32_t>(system_.events.triggers.size());
  for (const TransitionPlan& plan : body.transitions) {
    system::Transition t{
        .trigger = first_trigger + plan.trigger.value, .of = first_switch_ + plan.of, .target = plan.name};
    std::tie(t.first_number, t.numbers) =
        add_mode_numbers(body, instance, captured, plan.numbers, plan.captured);
    system_.transitions.push_back(t);
    targets_.push_back(plan.target);
  }
}

/// Adds to System::mode_numbers; the first and the number of them.
std::pair<std::uint32_t, std::uint32_t> Instantiator::add_mode_numbers(
    const Body& body, std::uint32_t instance, CapturedSet captured, std::span<const ModeNumberPlan> numbers,
    std::span<RelationObject* const> relations) {
  const auto first = static_cast<std::uint32_t>(system_.mode_numbers.size());
  std::size_t next_relation = 0;
  for (const ModeNumberPlan& n : numbers) {
    switch (n.kind) {
      case ModeNumberPlan::Column:
        system_.mode_numbers.push_back(
            {true, unknown(*body.blueprint, system_.instances[instance], ColumnId{n.index})});
        break;
      case ModeNumberPlan::Real: system_.mode_numbers.push_back({false, reals_[n.index]}); break;
      case ModeNumberPlan::Captured:
        add_captured_numbers(*relations[next_relation++],
                             inner_[captured_[captured.value].first_inner + n.index]);
        break;
    }
  }
  return {first, static_cast<std::uint32_t>(system_.mode_numbers.size()) - first};
}

/// All numbers below a captured relation, in the order of Relations::numbers.
void Instantiator::add_captured_numbers(const RelationObject& root, CapturedSet set) {
  struct Level {
    std::vector<Value> work;
    std::unordered_set<const Object*> seen{};
    CapturedSet set;
    std::size_t real = 0, inner = 0;
  };
  auto level = [](const RelationObject& r, CapturedSet s) {
    return Level{{std::make_reverse_iterator(r.items + r.size), std::make_reverse_iterator(r.items)}, {}, s};
  };
  std::vector<Level> levels;
  levels.push_back(level(root, set));
  while (!levels.empty()) {
    Level& here = levels.back();
    if (here.work.empty()) {
      levels.pop_back();
      continue;
    }
    const Value v = here.work.back();
    here.work.pop_back();
    if (v.tag == Tag::Real) {
      system_.mode_numbers.push_back({false, captured_real(here.set, here.real++)});
    } else if (is_object(v, ObjectKind::Relation)) {
      const CapturedSet inner = inner_[captured_[here.set.value].first_inner + here.inner++];
      levels.push_back(level(*static_cast<const RelationObject*>(v.object), inner));
    } else if (v.tag == Tag::Object) {
      if (v.object->size && !here.seen.insert(v.object).second) continue;
      for (std::uint32_t i = v.object->size; i-- > 0;) here.work.push_back(v.object->items[i]);
    }
  }
}

/// Whether an initial equation holds: at the start of a run all do, later those of what is new then. `pre` in
/// a mode of an instance that is not new continues.
bool Instantiator::starts(std::uint32_t instance, const RowPlan& initial) {
  const std::uint32_t owner = owner_of(instance, initial.tag);
  for (std::uint32_t s = owner; s != system::kNoSwitch; s = system_.switches[s].parent)
    switches_[s].has_initial = true;
  if (!modes_ || modes_->at_start) return true;
  return is_new(owner) &&
         (is_new(owners_[instance]) || system_.sources[initial.source].kind != system::EquationKind::Event);
}

}  // namespace sigrel::elaborate
