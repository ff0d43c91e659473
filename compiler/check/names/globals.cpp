#include "compiler/check/names/globals.h"

namespace sigrel::check {

std::vector<bool> Globals::reachable(std::vector<core::GlobalId> roots) const {
  std::vector<bool> reached(states_.size());
  while (!roots.empty()) {
    const core::GlobalId id = roots.back();
    roots.pop_back();
    if (reached[id.value]) continue;
    reached[id.value] = true;
    const GlobalState& state = states_[id.value];
    roots.insert(roots.end(), state.uses.begin(), state.uses.end());
    if (state.checked) roots.push_back(state.group);
  }
  return reached;
}

}  // namespace sigrel::check
