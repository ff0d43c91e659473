#include "runtime/solve/gradients.h"

#include <algorithm>
#include <random>

namespace runtime {

void Gradients::begin(const Model& model, const Point& point, double rate) {
  std::size_t duplicate = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const KernelBatch& batch = model.batches[parts_[p].batch];
    double* partials = coefficients_.data() + parts_[p].offset;
    evaluate_partials(model, batch, point, partials);
    if (batch.role != Role::Solve) continue;
    for (; duplicate < duplicates_.size() && duplicates_[duplicate].part == p; ++duplicate)
      coefficients_[duplicates_[duplicate].into] += coefficients_[duplicates_[duplicate].from];
    const std::size_t count = batch.count;
    double* solved = partials + batch.solved * count;
    for (std::size_t i = 0; i < count; ++i) solved[i] = -1 / solved[i];
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot) {
      if (slot == batch.solved) continue;
      double* column = partials + slot * count;
      for (std::size_t i = 0; i < count; ++i) column[i] *= solved[i];
    }
  }
  std::fill(values_.begin(), values_.end(), 0.0);
  values_[kOnePlace] = 1;
  values_[kRatePlace] = rate;
  done_ = 0;
}

void Gradients::perturb(double relative) {
  std::minstd_rand random(1);
  for (std::size_t k = GradientBuilder::kFirstCoefficient; k < coefficients_.size(); ++k)
    coefficients_[k] *= 1 + (random() & 64 ? relative : -relative);
}

void Gradients::run_to(std::size_t operation) {
  double* d = values_.data();
  const double* c = coefficients_.data();
  for (; done_ < operation; ++done_) {
    const Operation& op = operations_[done_];
    d[op.destination] += c[op.coefficient] * d[op.source];
  }
}

GradientBuilder::GradientBuilder(Gradients& program, const Model& model, std::size_t columns,
                                 GradientIndex& index)
    : program_(program), model_(model), index_(index), stamp_(columns, 0), place_of_(columns, 0) {
  index_.fit(model.variables);
}

GradientBuilder::~GradientBuilder() {
  for (std::uint32_t variable : touched_) index_.first[variable] = index_.last[variable] = 0;
}

void GradientBuilder::seed(std::uint32_t variable, std::uint32_t column, std::uint32_t place) {
  touched_.push_back(variable);
  index_.first[variable] = static_cast<std::uint32_t>(columns_.size());
  columns_.push_back(column);
  places_.push_back(place);
  index_.last[variable] = static_cast<std::uint32_t>(columns_.size());
}

std::uint64_t GradientBuilder::add_part(std::uint32_t batch) {
  const std::uint64_t offset = size_;
  if (model_.batches[batch].kernel == kNone) return offset;
  program_.parts_.push_back({batch, offset});
  size_ += std::uint64_t(model_.batches[batch].slots) * model_.batches[batch].count;
  return offset;
}

void GradientBuilder::collect(const KernelBatch& batch, std::uint32_t row, std::uint64_t offset, bool again) {
  terms.clear();
  if (batch.kernel == kNone) {
    const SumTable table(model_, batch);
    const bool solve = batch.role == Role::Solve;
    const std::uint32_t solved = solve ? table.offsets[row] + table.positions[row] : kNone;
    // ± v + Σ ± t = 0 is solved for v.
    const bool flip = solve && !(table.terms[solved] & 1);
    for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) {
      if (k == solved) continue;
      const bool negative = ((table.terms[k] & 1) != 0) != flip;
      terms.push_back({negative ? kMinus : kPlus, table.terms[k] >> 1});
    }
    return;
  }
  const std::uint32_t solved =
      batch.role == Role::Solve ? slot_variable(model_, batch, batch.solved, row) : kNone;
  const auto solved_at = static_cast<std::uint32_t>(offset + std::uint64_t(batch.solved) * batch.count + row);
  const auto part = static_cast<std::uint32_t>(program_.parts_.size() - 1);
  for (std::uint32_t slot = 0; slot < batch.slots; ++slot) {
    if (batch.role == Role::Solve && slot == batch.solved) continue;
    const auto at = static_cast<std::uint32_t>(offset + std::uint64_t(slot) * batch.count + row);
    const std::uint32_t variable = slot_variable(model_, batch, slot, row);
    if (variable != solved)
      terms.push_back({at, variable});
    else if (!again)
      program_.duplicates_.push_back({part, solved_at, at});
  }
}

void GradientBuilder::unite() {
  ++clock_;
  found.clear();
  for (const Term& term : terms)
    each(term.variable, [&](std::uint32_t column, std::uint32_t) {
      if (stamp_[column] == clock_) return;
      stamp_[column] = clock_;
      found.push_back(column);
    });
  std::sort(found.begin(), found.end());
}

void GradientBuilder::fresh_places() {
  for (std::uint32_t column : found) place_of_[column] = next_place_++;
}

void GradientBuilder::emit() {
  fresh_places();
  for (const Term& term : terms)
    each(term.variable,
         [&](std::uint32_t column, std::uint32_t place) { add(place_of_[column], term.coefficient, place); });
}

void GradientBuilder::record(std::uint32_t variable) {
  touched_.push_back(variable);
  index_.first[variable] = static_cast<std::uint32_t>(columns_.size());
  for (std::uint32_t column : found) {
    columns_.push_back(column);
    places_.push_back(place_of_[column]);
  }
  index_.last[variable] = static_cast<std::uint32_t>(columns_.size());
}

void GradientBuilder::finish() {
  program_.coefficients_.assign(size_, 0.0);
  program_.coefficients_[kPlus] = 1;
  program_.coefficients_[kMinus] = -1;
  program_.values_.assign(next_place_, 0.0);
  program_.operations_.shrink_to_fit();
}

}  // namespace runtime
