#include "runtime/integrate/assertions.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {
/// A condition that is not finite has no value (FailureKind::UndefinedCondition).
bool holds(double condition) { return std::isfinite(condition) && condition != 0; }
}  // namespace

bool Assertions::evaluate_and_hold(double time) {
  const Point point = instance_.point(time);
  return instance_.evaluator.run(instance_.model.dynamic, point) &&
         instance_.evaluator.run(instance_.model.asserted, point) && hold(time);
}

void Assertions::record_at_event(double time) {
  const Model& model = instance_.model;
  const Point point = instance_.point(time);
  held_.clear();
  const bool known =
      instance_.evaluator.run(model.dynamic, point) && instance_.evaluator.run(model.asserted, point);
  instance_.failure() = {};
  for (const std::uint32_t r : model.assertions) {
    const KernelBatch& batch = model.batches[r];
    conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
    if (known) evaluate(model, batch, point, conditions_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) held_.push_back(known && holds(conditions_[row]));
  }
}

bool Assertions::hold_after_event(double time) {
  const bool all = evaluate_and_hold(time);
  held_.clear();
  return all;
}

bool Assertions::hold(double time) {
  const Model& model = instance_.model;
  std::size_t at = 0;
  for (const std::uint32_t r : model.assertions) {
    const KernelBatch& batch = model.batches[r];
    conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
    evaluate(model, batch, instance_.point(time), conditions_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const bool counts = held_.empty() || held_[at] != 0;
      ++at;
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
  }
  return true;
}

}  // namespace runtime
