#include "runtime/events/time_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/events/isolation.h"

namespace runtime {

namespace {
// The time of an instant is located up to this part of itself (isolation.h). Times that are computed in
// different ways differ by more (rounding.h).
constexpr double kSameInstant = 4 * std::numeric_limits<double>::epsilon();
// A moment after an instant begins with this part of it, and is doubled up to a limit; up to a larger one
// while all that happens is rounding, as where t^8 leaves zero.
constexpr double kShortestMoment = 16 * std::numeric_limits<double>::epsilon(), kLongestMoment = 1e-6;
constexpr double kShortestSeconds = 1e-24, kLongestSeconds = 1e-9;
constexpr double kLongestRounding = 0.1;
}  // namespace

TimeFunctions::TimeFunctions(const Model& model) : model_(model) {
  if (size() == 0) return;
  values_.resize(model.variables);
  first_input_.assign(1, 0);
  std::vector<std::uint32_t> seen(model.variables, kNone);  // by variable: the last function that met it
  for (std::uint32_t f = 0; f < size(); ++f) {
    each_row(f, [&](const BatchRow& at) {
      const KernelBatch& batch = model.batches[at.batch];
      auto reads = [&](std::uint32_t variable) {
        if (seen[variable] == f) return;
        seen[variable] = f;
        inputs_.push_back(variable);
      };
      // Rows are in order of evaluation: what a row assigns is no input of later ones.
      std::uint32_t solved = kNone;
      if (batch.role == Role::Solve) seen[solved = solved_variable(model, batch, at.row)] = f;
      each_variable(model, batch, at.row, reads);
    });
    first_input_.push_back(static_cast<std::uint32_t>(inputs_.size()));
  }
  find_fixed();
}

void TimeFunctions::find_fixed() {
  std::vector<std::uint8_t> held(model_.parameters.size(), 0);
  for (const ZeroCrossing& crossing : model_.zero_crossings)
    for (std::uint32_t k = 0; k < held_width(crossing.kind) * model_.batches[crossing.batch].count; ++k)
      held[crossing.first + k] = 1;
  fixed_.assign(size(), 1);
  for (std::uint32_t f = 0; f < size(); ++f) {
    if (first_input_[f] < first_input_[f + 1]) fixed_[f] = 0;
    each_parameter(f, [&](std::uint32_t parameter) { fixed_[f] = fixed_[f] && !held[parameter]; });
  }
}

/// The rows that compute what the function reads, then its own.
template <class Visit>
void TimeFunctions::each_row(std::size_t f, const Visit& visit) const {
  const TimeFunction& function = model_.time_functions[f];
  for (std::uint32_t k = 0; k < function.rows; ++k) visit(model_.time_rows[function.first_row + k]);
  visit(BatchRow{model_.zero_crossings[function.zero_crossing].batch, function.row});
}

/// The parameters that these rows read.
template <class Visit>
void TimeFunctions::each_parameter(std::size_t f, const Visit& visit) const {
  each_row(f, [&](const BatchRow& at) {
    const KernelBatch& batch = model_.batches[at.batch];
    if (batch.kernel == kNone) return;
    const std::uint32_t* column =
        model_.tables.data() + batch.table + std::uint64_t{batch.slots} * batch.count;
    for (std::uint32_t k = 0; k < batch.params; ++k) visit(column[std::uint64_t{k} * batch.count + at.row]);
  });
}

void TimeFunctions::load(std::size_t f, const Point& point) {
  for (std::uint32_t k = first_input_[f]; k < first_input_[f + 1]; ++k)
    values_[inputs_[k]] = Enclosure::constant(point.values[inputs_[k]]);
  parameters_ = point.parameters;
}

Enclosure TimeFunctions::enclose(std::size_t f, Interval time) {
  Enclosure result;
  each_row(f, [&](const BatchRow& at) { evaluate(at, time, &result); });
  return result;
}

void TimeFunctions::evaluate(const BatchRow& at, Interval time, Enclosure* out) {
  const KernelBatch& batch = model_.batches[at.batch];
  if (batch.kernel != kNone) {
    const EnclosureKernel& kernel = model_.enclosures[batch.kernel];
    const EnclosureArguments arguments{.time = time,
                                       .values = values_.data(),
                                       .parameters = parameters_,
                                       .table = model_.tables.data() + batch.table,
                                       .stride = batch.count,
                                       .row = at.row,
                                       .out = out};
    kernel.function(kernel.self, &arguments);
    return;
  }
  // A sum is zero: the solved term is the negative of the others.
  const SumTable sums(model_, batch);
  const std::uint32_t solved = sums.offsets[at.row] + sums.positions[at.row];
  Enclosure total;
  for (std::uint32_t k = sums.offsets[at.row]; k < sums.offsets[at.row + 1]; ++k) {
    if (k == solved) continue;
    const Enclosure& term = values_[sums.terms[k] >> 1];
    const bool minus = (sums.terms[k] & 1) == (sums.terms[solved] & 1);
    total.value = minus ? total.value - term.value : total.value + term.value;
    total.derivative = minus ? total.derivative - term.derivative : total.derivative + term.derivative;
  }
  values_[sums.terms[solved] >> 1] = total;
}

bool TimeFunctions::at_boundary(std::size_t f, const Point& point) {
  load(f, point);
  const double margin = kSameInstant * std::abs(point.time);
  const Interval value = enclose(f, {point.time - margin, point.time + margin}).value;
  if (!value.is_bounded()) return true;
  const Pieces pieces = this->pieces(f, point.parameters);
  const Interval piece = pieces.bounds(pieces.at(value.middle()));
  return value.low <= piece.low || value.high >= piece.high;
}

std::optional<double> TimeFunctions::right_limit(std::size_t f, const Point& point) {
  load(f, point);
  const Pieces pieces = this->pieces(f, point.parameters);
  const double now = std::abs(point.time);
  const double longest = std::max(kLongestMoment * now, kLongestSeconds);
  auto function = [&](Interval time) { return enclose(f, time); };
  for (double moment = std::max(kShortestMoment * now, kShortestSeconds);; moment *= 2) {
    const Interval before{point.time, point.time + moment / 2};
    if (moment > longest &&
        (moment > kLongestRounding * now || !is_constant_but_for_rounding(function, before)))
      return std::nullopt;
    const Interval value = function(Interval::of(point.time + moment)).value;
    if (value.is_bounded() && pieces.at(value.low) == pieces.at(value.high)) {
      const Interval piece = pieces.bounds(pieces.at(value.low));
      if (piece.low < value.low && value.high < piece.high) return value.middle();
    }
  }
}

std::size_t TimeFunctions::inputs(std::size_t f) const {
  std::size_t count = first_input_[f + 1] - first_input_[f];
  each_row(f, [&](const BatchRow& at) {
    if (model_.batches[at.batch].kernel != kNone) count += model_.batches[at.batch].params;
  });
  return count;
}

void TimeFunctions::append_inputs(std::size_t f, const Point& point, std::vector<double>& inputs) const {
  for (std::uint32_t k = first_input_[f]; k < first_input_[f + 1]; ++k)
    inputs.push_back(point.values[inputs_[k]]);
  each_parameter(f, [&](std::uint32_t parameter) { inputs.push_back(point.parameters[parameter]); });
}

}  // namespace runtime
