#include "runtime/events/state_selection.h"

#include <algorithm>

namespace runtime {

StateSelection::StateSelection(ModelInstance& instance)
    : instance_(instance),
      any_fixed_(
          std::ranges::any_of(instance.model.sets, [](const StateSet& s) { return s.candidates == 0; })) {
  for (const StateSet& set : instance.model.sets)
    choices_.emplace_back(instance.model, set, instance.nominal);
}

void StateSelection::select(double time) {
  const Point point = instance_.point(time);
  for (StateChoice& choice : choices_) choice.choose(point, instance_.parameters, true);
  if (!choices_.empty()) instance_.evaluator.parameters_changed();
}

void StateSelection::start_checks(double time) {
  const Point point = instance_.point(time);
  for (StateChoice& choice : choices_) choice.regular(point);
}

bool StateSelection::reselect(double time) {
  const Point point = instance_.point(time);
  if (!instance_.evaluator.run(instance_.model.dynamic, point)) return false;  // the next step will fail
  bool changed = false;
  for (StateChoice& choice : choices_) changed = choice.choose(point, instance_.parameters, false) || changed;
  if (!changed) return false;
  instance_.evaluator.parameters_changed();
  // Other states are selected whether or not these equations can be solved: if not, the next step will fail.
  if (!instance_.evaluator.run(instance_.model.dynamic, point)) instance_.failure() = {};
  return true;
}

bool StateSelection::check_fixed(double time) {
  const Point point = instance_.point(time);
  if (!instance_.evaluator.run(instance_.model.dynamic, point)) return true;  // the next step will fail
  for (StateChoice& choice : choices_) {
    if (choice.regular(point)) continue;
    instance_.failure() = lost(choice.set(), time);
    return false;
  }
  return true;
}

std::optional<Failure> StateSelection::nearly_lost(double time) const {
  for (const StateChoice& choice : choices_)
    if (choice.nearly_singular()) return lost(choice.set(), time);
  return std::nullopt;
}

Failure StateSelection::lost(const StateSet& set, double time) const {
  const Model& model = instance_.model;
  Failure failure{.kind = FailureKind::StatesLost, .time = time, .unknowns = set.eliminated};
  for (std::uint32_t k = 0; k < set.eliminated && k < kFailureDetails; ++k) {
    const std::uint32_t v = model.set_variables[set.first_variable + k];
    failure.variables.push_back({v, instance_.values[v], 0});
  }
  for (std::uint32_t r = 0; r < set.batches; ++r) {
    const KernelBatch& batch = model.batches[set.first_batch + r];
    for (std::uint32_t row = 0; row < batch.count && failure.equations.size() < kFailureDetails; ++row)
      failure.equations.push_back({model.equations[batch.equations + row], 0});
  }
  return failure;
}

}  // namespace runtime
