#include "runtime/solve/residual_terms.h"

#include <algorithm>
#include <cmath>

namespace runtime {

void ResidualTerms::evaluate_partials(const Point& point) {
  std::size_t size = 0;
  for (const KernelBatch& batch : batches_)
    if (batch.kernel != kNone) size += std::size_t{batch.slots} * batch.count;
  partials_.resize(size);
  double* out = partials_.data();
  for (const KernelBatch& batch : batches_) {
    if (batch.kernel == kNone) continue;
    runtime::evaluate_partials(*model_, batch, point, out);
    out += std::size_t{batch.slots} * batch.count;
  }
  valid_ = true;
}

double ResidualTerms::backward_error(const Point& point, std::span<const double> residuals) {
  if (!valid_) evaluate_partials(point);
  magnitudes_.resize(residuals.size());
  const double* partials = partials_.data();
  double largest = 0;
  std::size_t equation = 0;
  for (const KernelBatch& batch : batches_) {
    const bool sum = batch.kernel == kNone;
    for (std::uint32_t row = 0; row < batch.count; ++row, ++equation) {
      double magnitude = 0, linear = 0;
      auto add = [&](double term) {
        magnitude += std::abs(term);
        linear += term;
      };
      if (sum) {
        const SumTable table(*model_, batch);
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          add(table.terms[k] & 1 ? -point.values[table.terms[k] >> 1] : point.values[table.terms[k] >> 1]);
      } else {
        for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
          add(partials[std::size_t{slot} * batch.count + row] *
              point.values[slot_variable(*model_, batch, slot, row)]);
      }
      const double residual = residuals[equation];
      magnitude += std::abs(linear - residual);  // the term without variables
      magnitudes_[equation] = magnitude;
      if (residual != 0) largest = std::max(largest, std::abs(residual) / magnitude);
      if (std::isnan(residual)) largest = HUGE_VAL;
    }
    if (!sum) partials += std::size_t{batch.slots} * batch.count;
  }
  return largest;
}

}  // namespace runtime
