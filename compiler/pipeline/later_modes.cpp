#include "compiler/pipeline/later_modes.h"

#include <algorithm>
#include <map>

namespace sigrel::pipeline {
namespace {

constexpr std::size_t kMostSystems = 64;
// A system that is so much larger than that at the start is not followed further.
constexpr std::size_t kMostGrowth = 64, kSmall = 100'000;

using ModeOf = std::map<std::uint32_t, elaborate::ChosenMode>;  // by switch

/// Adds modes to others. False: a switch would be in two.
bool add_modes(ModeOf& modes, const Modes& more) {
  for (const elaborate::ChosenMode& m : more)
    if (const auto at = modes.find(m.identity); at != modes.end() && at->second.mode != m.mode) return false;
  for (const elaborate::ChosenMode& m : more) modes.emplace(m.identity, m);
  return true;
}

}  // namespace

std::optional<Modes> LaterModes::next() {
  taken_.clear();
  if (systems_++ == kMostSystems || size_ > std::max(kMostGrowth * size_at_start_, kSmall))
    return std::nullopt;
  ModeOf chosen;
  std::deque<Unseen> rest;
  for (Unseen& u : unseen_) {
    const bool fits = taken_.empty() || (!u.alone && !taken_.front().alone);
    if (fits && add_modes(chosen, u.modes))
      taken_.push_back(std::move(u));
    else
      rest.push_back(std::move(u));
  }
  unseen_ = std::move(rest);
  if (taken_.empty()) return std::nullopt;
  Modes modes;
  for (auto& [identity, mode] : chosen) modes.push_back(std::move(mode));
  return modes;
}

void LaterModes::add(const system::System& system, const elaborate::Structure& structure) {
  size_ = std::max(size_, std::size_t{system.unknowns});
  if (size_at_start_ == 0) size_at_start_ = std::max<std::size_t>(system.unknowns, 1);
  for (const elaborate::Structure::Switch& s : structure.switches) seen_.insert({s.identity, s.mode});
  for (std::size_t t = 0; t < system.transitions.size(); ++t) {
    std::uint32_t at = system.transitions[t].of;
    if (!seen_.insert({structure.switches[at].identity, structure.targets[t]}).second) continue;
    Unseen& u = unseen_.emplace_back();
    u.modes.push_back({structure.switches[at].identity, structure.targets[t], {}, true});
    while ((at = system.switches[at].parent) != system::kNoSwitch)
      u.modes.push_back({structure.switches[at].identity, structure.switches[at].mode, {}, true});
    std::ranges::sort(u.modes, {}, &elaborate::ChosenMode::identity);
  }
}

void LaterModes::refuse() {
  if (taken_.size() < 2) return;
  for (Unseen& u : taken_) {
    u.alone = true;
    unseen_.push_back(std::move(u));
  }
}

}  // namespace sigrel::pipeline
