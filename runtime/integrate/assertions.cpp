#include "runtime/integrate/assertions.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {
/// A condition that is not finite has no value (FailureKind::UndefinedCondition).
bool holds(double condition) { return std::isfinite(condition) && condition != 0; }
}  // namespace

bool Assertions::evaluate(double time) {
  const Model& model = instance_.model;
  if (!steps_) {
    std::vector<std::uint8_t> wanted(model.variables, 0);
    for (const std::uint32_t r : model.assertions)
      for (std::uint32_t row = 0; row < model.batches[r].count; ++row)
        each_variable(model, model.batches[r], row, [&](std::uint32_t v) { wanted[v] = 1; });
    const std::vector<Step> asserted = needed_steps(model, model.asserted, wanted);
    steps_ = needed_steps(model, model.dynamic, wanted);
    steps_->insert(steps_->end(), asserted.begin(), asserted.end());
  }
  return instance_.evaluator.run(*steps_, instance_.point(time));
}

bool Assertions::evaluate_and_hold(double time) { return evaluate(time) && hold(time); }

void Assertions::record_at_event(double time) {
  const Model& model = instance_.model;
  const Point point = instance_.point(time);
  held_.clear();
  const bool known = evaluate(time);
  instance_.failure() = {};
  for (const std::uint32_t r : model.assertions) {
    const KernelBatch& batch = model.batches[r];
    conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
    if (known) runtime::evaluate(model, batch, point, conditions_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) held_.push_back(known && holds(conditions_[row]));
  }
}

bool Assertions::hold_after_event(double time) {
  const bool all = evaluate_and_hold(time);
  held_.clear();
  return all;
}

bool Assertions::hold_without_variables(double time) {
  const Model& model = instance_.model;
  return std::ranges::all_of(model.assertions, [&](std::uint32_t r) {
    return model.batches[r].slots > 0 || hold(model.batches[r], 0, time);
  });
}

bool Assertions::hold(double time) {
  const Model& model = instance_.model;
  std::uint32_t first = 0;
  for (const std::uint32_t r : model.assertions) {
    if (!hold(model.batches[r], first, time)) return false;
    first += model.batches[r].count;
  }
  return true;
}

/// `first`: the number of the first row of the batch among those of all.
bool Assertions::hold(const KernelBatch& batch, std::uint32_t first, double time) {
  const Model& model = instance_.model;
  conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
  runtime::evaluate(model, batch, instance_.point(time), conditions_.data());
  for (std::uint32_t row = 0; row < batch.count; ++row) {
    const bool counts = held_.empty() || held_[first + row] != 0;
    if (holds(conditions_[row]) || !counts) continue;
    Failure& failure = instance_.failure();
    failure = Failure{.kind = FailureKind::Assertion, .time = time};
    failure.equations.push_back({model.equations[batch.equations + row], conditions_[row]});
    failure.unknowns = batch.slots;
    for (std::uint32_t slot = 0; slot < batch.slots && slot < kFailureDetails; ++slot) {
      const std::uint32_t variable = slot_variable(model, batch, slot, row);
      failure.variables.push_back({variable, instance_.values[variable], 0});
    }
    return false;
  }
  return true;
}

}  // namespace runtime
