#include "runtime/integrate/assertions.h"

#include <algorithm>

namespace runtime {

bool Assertions::evaluate_and_hold(double time) {
  const Point point = instance_.point(time);
  return instance_.evaluator.run(instance_.model.dynamic, point) &&
         instance_.evaluator.run(instance_.model.asserted, point) && hold(time);
}

bool Assertions::hold(double time) {
  const Model& model = instance_.model;
  for (const std::uint32_t r : model.assertions) {
    const KernelBatch& batch = model.batches[r];
    conditions_.resize(std::max<std::size_t>(conditions_.size(), batch.count));
    evaluate(model, batch, instance_.point(time), conditions_.data());
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      if (conditions_[row] != 0) continue;
      Failure& failure = instance_.failure();
      failure = Failure{.kind = FailureKind::Assertion, .time = time};
      failure.equations.push_back({model.equations[batch.equations + row], 0});
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
