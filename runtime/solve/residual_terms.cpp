#include "runtime/solve/residual_terms.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {
constexpr std::uint32_t kPlus = 0, kMinus = 1, kFirst = 2;  // places of coefficients
}

ResidualTerms::ResidualTerms(const Model& model, std::span<const KernelBatch> batches,
                             const std::vector<double>& nominal, double floor)
    : model_(&model), batches_(batches) {
  std::uint32_t place = kFirst;
  auto add = [&](std::uint32_t coefficient, std::uint32_t variable) {
    terms_.push_back({coefficient, variable, floor * nominal[variable]});
  };
  for (const KernelBatch& batch : batches) {
    const bool sum = batch.kernel == kNone;
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      if (sum) {
        const SumTable table(model, batch);
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          add(table.terms[k] & 1 ? kMinus : kPlus, table.terms[k] >> 1);
      } else {
        for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
          add(place + slot * batch.count + row, slot_variable(model, batch, slot, row));
      }
      ends_.push_back(static_cast<std::uint32_t>(terms_.size()));
    }
    if (!sum) place += batch.slots * batch.count;
  }
  coefficients_.assign(place, 0.0);
  coefficients_[kPlus] = 1;
  coefficients_[kMinus] = -1;
  magnitudes_.assign(ends_.size(), 0.0);
}

void ResidualTerms::evaluate_partials(const Point& point) {
  double* out = coefficients_.data() + kFirst;
  for (const KernelBatch& batch : batches_) {
    if (batch.kernel == kNone) continue;
    runtime::evaluate_partials(*model_, batch, point, out);
    out += std::size_t{batch.slots} * batch.count;
  }
  valid_ = true;
}

double ResidualTerms::backward_error(const Point& point, std::span<const double> residuals) {
  if (!valid_) evaluate_partials(point);
  double largest = 0;
  std::uint32_t k = 0;
  for (std::size_t row = 0; row < residuals.size(); ++row) {
    double magnitude = 0, linear = 0;
    for (; k < ends_[row]; ++k) {
      const double coefficient = coefficients_[terms_[k].coefficient];
      const double term = coefficient * point.values[terms_[k].variable];
      magnitude += std::abs(term) + std::abs(coefficient) * terms_[k].least;
      linear += term;
    }
    magnitudes_[row] = magnitude + std::abs(linear - residuals[row]);  // the term without variables
    if (residuals[row] == 0) continue;
    const double error = std::abs(residuals[row]) / magnitudes_[row];
    if (!(error <= largest)) largest = std::isnan(error) ? HUGE_VAL : error;
  }
  return largest;
}

}  // namespace runtime
