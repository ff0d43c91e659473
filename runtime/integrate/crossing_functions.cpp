#include "runtime/integrate/crossing_functions.h"

namespace runtime {

void CrossingFunctions::prepare() {
  if (count() == 0) return;
  const Model& model = instance_.model;
  std::vector<std::uint8_t> wanted(model.variables, 0);
  for (const ZeroCrossing& crossing : model.zero_crossings) {
    const KernelBatch& batch = model.batches[crossing.batch];
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
      for (std::uint32_t row = 0; row < batch.count; ++row)
        wanted[slot_variable(model, batch, slot, row)] = 1;
  }
  steps_ = system_.steps_for(std::move(wanted));
}

bool CrossingFunctions::differences(double time, const double* y, const double* rates, double* out) {
  if (!system_.evaluate(time, y, rates, steps_)) return false;
  watched_differences_.differences(instance_.point(time), out);
  return true;
}

bool CrossingFunctions::differences(double time, const double* y, const double* rates,
                                    std::span<const std::uint32_t> which, double* out) {
  if (!system_.evaluate(time, y, rates, steps_)) return false;
  watched_differences_.differences(instance_.point(time), which, out);
  return true;
}

}  // namespace runtime
