#include "compiler/order/states.h"

#include <algorithm>
#include <tuple>

namespace sigrel::order {

void add_states(const dae::System& dae, runtime::Model& model) {
  const std::vector<bool> constant = dae::constants(dae);
  model.states.reserve(static_cast<std::size_t>(
      std::ranges::count_if(dae.variables, [](const dae::Variable& v) { return v.state; })));
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    if (!dae.variables[v].state) continue;
    if (constant[v])
      model.constants.push_back(v);
    else
      model.states.push_back({v, dae.variables[v].derivative});
  }
}

std::vector<std::uint32_t> rates(const runtime::Model& model) {
  std::vector<std::uint32_t> result;
  result.reserve(model.states.size());
  for (const runtime::State& state : model.states) result.push_back(state.derivative);
  return result;
}

void add_state_sets(const dae::System& dae, Scheduler& scheduler, runtime::Model& model) {
  if (dae.sets.empty()) return;
  std::vector<std::uint32_t> number(dae.variables.size(), dae::kNone);
  for (std::uint32_t s = 0; s < model.states.size(); ++s) number[model.states[s].variable] = s;
  for (const dae::StateSet& set : dae.sets) {
    runtime::StateSet to;
    std::tie(to.first_batch, to.batches) = scheduler.residuals({set.equations.begin(), set.equations.end()});
    to.first_variable = static_cast<std::uint32_t>(model.set_variables.size());
    to.eliminated = static_cast<std::uint32_t>(set.eliminated.size());
    to.candidates = static_cast<std::uint32_t>(set.candidates.size());
    model.set_variables.insert(model.set_variables.end(), set.eliminated.begin(), set.eliminated.end());
    model.set_variables.insert(model.set_variables.end(), set.candidates.begin(), set.candidates.end());
    for (std::uint32_t rate : set.candidates) model.set_variables.push_back(dae.variables[rate].integral);
    to.first_weight = static_cast<std::uint32_t>(model.set_weights.size());
    model.set_weights.insert(model.set_weights.end(), set.weights.begin(), set.weights.end());
    to.first_state = set.states.empty() ? 0 : number[set.states.front()];  // they follow each other
    to.states = static_cast<std::uint32_t>(set.states.size());
    to.first_selector = set.first_selector;
    model.sets.push_back(to);
  }
}

}  // namespace sigrel::order
