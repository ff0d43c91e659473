#include "compiler/pipeline/mode_search.h"

#include <algorithm>
#include <bit>

#include "compiler/singularity/under_determined.h"

namespace sigrel::pipeline {
namespace {

constexpr std::size_t kMostTried = 400;
constexpr std::size_t kMostModes = 4'000'000;  // of all candidates that are found together

/// By switch: whether a condition of its transitions reads one of these unknowns.
std::vector<bool> readers(const system::System& system, const std::vector<bool>& unknowns) {
  std::vector<std::uint32_t> switch_of(system.events.triggers.size(), system::kNoSwitch);
  for (const system::Transition& t : system.transitions) switch_of[t.trigger] = t.of;
  std::vector<bool> result(system.switches.size(), false);
  for (const EquationTable& table : system.events.conditions.tables)
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::uint32_t of = switch_of[table.tags[row]];
      if (of == system::kNoSwitch) continue;
      for (std::uint32_t k = 0; k < table.slots; ++k)
        result[of] = result[of] || unknowns[table.unknowns_of(row)[k]];
    }
  return result;
}

/// The modes in which one transition more has been taken, of the switches that are `involved`.
std::vector<Modes> one_transition_away(const system::System& system, const elaborate::Structure& structure,
                                       const Modes& given, const std::vector<bool>& involved) {
  std::vector<Modes> result;
  const std::size_t most = most_candidates(system.switches.size());
  for (std::size_t t = 0; t < system.transitions.size() && result.size() < most; ++t) {
    const system::Transition& transition = system.transitions[t];
    // Its numbers would be values that are not known.
    if (!involved[transition.of] || transition.numbers > 0) continue;
    Modes other;
    std::vector<bool> left(system.switches.size(), false);
    for (std::uint32_t k = 0; k < system.switches.size(); ++k) {
      const std::uint32_t parent = system.switches[k].parent;
      left[k] = parent != system::kNoSwitch && (left[parent] || parent == transition.of);
      const std::uint32_t identity = structure.switches[k].identity;
      if (k == transition.of) {
        other.push_back({identity, structure.targets[t], {}, true});
      } else if (structure.switches[k].is_given && !left[k]) {
        other.push_back(*std::ranges::find(given, identity, &elaborate::ChosenMode::identity));
      }
    }
    std::ranges::sort(other, {}, &elaborate::ChosenMode::identity);
    result.push_back(std::move(other));
  }
  return result;
}

}  // namespace

ModeKey key_of(const Modes& modes) {
  ModeKey key;
  for (const elaborate::ChosenMode& m : modes) key.push_back(std::uint64_t{m.identity} << 32 | m.mode);
  return key;
}

std::size_t most_candidates(std::size_t modes) {
  return std::clamp<std::size_t>(kMostModes / std::max<std::size_t>(modes, 1), 1, kMostTried);
}

SingularModes singular_modes(const system::System& system, const elaborate::Structure& structure,
                             const dae::System& dae, const Modes& given) {
  SingularModes result{.missing = 0, .others = {}, .is_built = true};
  const singularity::UnderDeterminedPart part = singularity::under_determined_part(dae);
  result.missing = part.missing;
  if (part.missing == 0) return result;
  const std::vector<bool> involved = readers(system, singularity::undetermined_unknowns(dae, part));
  result.others = one_transition_away(system, structure, given, involved);
  return result;
}

SingularModes neighbours(const system::System& system, const elaborate::Structure& structure,
                         const Modes& given) {
  const std::vector<bool> all(system.switches.size(), true);
  return {.missing = given.size(),
          .others = one_transition_away(system, structure, given, all),
          .is_built = true};
}

ModeKey ModeSearch::known_as(const Modes& modes) {
  ModeKey key = key_of(modes);
  for (const elaborate::ChosenMode& m : modes)
    for (const double number : m.numbers) key.push_back(std::bit_cast<std::uint64_t>(number));
  return key;
}

void ModeSearch::refuse(const Modes& modes, Refusal why, const SingularModes& singular) {
  known_.insert(known_as(modes));
  tried_.push_back({modes, why});
  add(singular);
}

void ModeSearch::add(const SingularModes& why) {
  --age_;
  std::size_t order = 0;
  for (const Modes& other : why.others)
    if (known_.insert(known_as(other)).second) candidates_.insert({why.missing, age_, order++, other});
}

std::optional<Modes> ModeSearch::next() {
  if (candidates_.empty() || tried_.size() >= kMostTried) return std::nullopt;
  return std::move(candidates_.extract(candidates_.begin()).value().modes);
}

}  // namespace sigrel::pipeline
