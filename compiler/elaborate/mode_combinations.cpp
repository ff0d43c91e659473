#include "compiler/elaborate/mode_combinations.h"

#include <algorithm>
#include <set>

namespace sigrel::elaborate {
namespace {

constexpr std::size_t kMostCombinations = 64;  // six switches of two modes

}  // namespace

std::optional<std::vector<ModeCombination>> ModeCombinations::all(RelationObject& relation,
                                                                  const Body& body) {
  numbers_.clear();
  choices_.clear();
  std::vector<ModeCombination> result;
  std::vector<std::vector<std::uint32_t>> open{choices_of(body.switches)};
  std::set<std::vector<std::uint32_t>> asked{open[0]}, known;
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (k == kMostCombinations) return std::nullopt;
    std::vector<GivenMode> given;
    for (std::uint32_t c : open[k]) given.push_back({choices_[c].place, choices_[c].mode});
    ModeCombination combination;
    combination.relation = with_modes(heap_, relation, given);
    combination.body = build_(*combination.relation);
    // Switches inside the modes are in their first modes.
    combination.choices = combination.body ? choices_of(combination.body->switches) : open[k];
    if (!known.insert(combination.choices).second) continue;
    if (combination.body) {
      for (const SwitchPlan& plan : combination.body->switches) combination.names.push_back(plan.name);
      for (const TransitionPlan& transition : combination.body->transitions)
        if (auto next = after(*combination.body, transition); asked.insert(next).second)
          open.push_back(std::move(next));
    }
    result.push_back(std::move(combination));
  }
  return result;
}

/// Ascending.
std::vector<std::uint32_t> ModeCombinations::choices_of(std::span<const SwitchPlan> switches) {
  std::vector<std::uint32_t> result;
  for (const SwitchPlan& plan : switches) result.push_back(choice(plan.place, plan.mode));
  std::ranges::sort(result);
  return result;
}

/// The choices after a transition; without those of switches inside the mode that it leaves.
std::vector<std::uint32_t> ModeCombinations::after(const Body& body, const TransitionPlan& transition) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t s = 0; s < body.switches.size(); ++s) {
    const SwitchPlan& plan = body.switches[s];
    std::uint32_t outer = plan.parent;
    while (outer != transition.of && outer != system::kNoSwitch) outer = body.switches[outer].parent;
    if (outer == system::kNoSwitch)
      result.push_back(choice(plan.place, s == transition.of ? transition.target : plan.mode));
  }
  std::ranges::sort(result);
  return result;
}

std::uint32_t ModeCombinations::choice(const SwitchPlace& place, const Value& mode) {
  const auto [found, fresh] =
      numbers_.try_emplace({place, mode.object->a}, static_cast<std::uint32_t>(choices_.size()));
  if (fresh) choices_.push_back({place, relations_.with_numbers(mode, {})});
  return found->second;
}

}  // namespace sigrel::elaborate
