#include "runtime/solve/equation_rows.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {

constexpr double kRounding = 1e-9;  // errors of values that are solutions themselves, relative to their size

void evaluate_row(const Model& model, std::uint32_t kernel, const KernelBatch& batch, const Point& point,
                  std::uint32_t row, double* out) {
  const Kernel& code = model.kernels[kernel];
  const KernelArguments arguments{
      point.time,  point.values, point.parameters, model.tables.data() + batch.table,
      batch.count, row,          row + 1,          out};
  code.function(code.self, &arguments);
}

}  // namespace

const std::vector<std::uint32_t>& EquationRows::variables(BatchRow at) {
  variables_.clear();
  each_variable(model_, model_.batches[at.batch], at.row, [&](std::uint32_t v) { variables_.push_back(v); });
  std::ranges::sort(variables_);
  variables_.erase(std::ranges::unique(variables_).begin(), variables_.end());
  return variables_;
}

double EquationRows::residual(BatchRow at, const Point& point) {
  const KernelBatch& batch = model_.batches[at.batch];
  if (batch.kernel == kNone) {
    const SumTable table(model_, batch);
    double sum = 0;
    for (std::uint32_t k = table.offsets[at.row]; k < table.offsets[at.row + 1]; ++k)
      sum += (table.terms[k] & 1 ? -1 : 1) * point.values[table.terms[k] >> 1];
    return sum;
  }
  if (batch.role == Role::Residual || batch.residual != kNone) {
    out_.resize(std::max<std::size_t>(out_.size(), batch.count));
    evaluate_row(model_, batch.role == Role::Residual ? batch.kernel : batch.residual, batch, point, at.row,
                 out_.data());
    return out_[at.row];
  }
  const std::uint32_t v = solved(at);
  double coefficient = 0;
  for (const Partial& p : partials(at, point))
    if (p.variable == v) coefficient = p.value;
  const double value = point.values[v];
  evaluate_row(model_, batch.kernel, batch, point, at.row, nullptr);
  const double residual = coefficient * (value - point.values[v]);
  point.values[v] = value;
  return residual;
}

const std::vector<EquationRows::Partial>& EquationRows::partials(BatchRow at, const Point& point) {
  const KernelBatch& batch = model_.batches[at.batch];
  partials_.clear();
  if (batch.kernel == kNone) {
    const SumTable table(model_, batch);
    for (std::uint32_t k = table.offsets[at.row]; k < table.offsets[at.row + 1]; ++k)
      partials_.push_back({table.terms[k] >> 1, table.terms[k] & 1 ? -1.0 : 1.0});
  } else {
    out_.resize(std::max(out_.size(), std::size_t{batch.slots} * batch.count));
    evaluate_row(model_, batch.partials, batch, point, at.row, out_.data());
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
      partials_.push_back(
          {slot_variable(model_, batch, slot, at.row), out_[std::size_t{slot} * batch.count + at.row]});
  }
  std::ranges::stable_sort(partials_, {}, &Partial::variable);
  std::size_t last = 0;
  for (std::size_t k = 1; k < partials_.size(); ++k)
    if (partials_[k].variable == partials_[last].variable)
      partials_[last].value += partials_[k].value;
    else
      partials_[++last] = partials_[k];
  if (!partials_.empty()) partials_.resize(last + 1);
  return partials_;
}

double EquationRows::magnitude(const std::vector<Partial>& partials, const Point& point) const {
  double sum = 0;
  for (const Partial& p : partials)
    sum += std::abs(p.value) * std::max(std::abs(point.values[p.variable]), nominal_[p.variable]);
  return sum;
}

/// By how much the residual, which is `residual` at the point, changes where a variable moves by a distance,
/// in the direction of the larger change. Not finite: the equation has no value on either side.
double EquationRows::change(BatchRow at, const Point& point, std::uint32_t variable, double distance,
                            double residual) {
  double& value = point.values[variable];
  const double before = value;
  double largest = HUGE_VAL;
  for (const double end : {before - distance, before + distance}) {
    value = end;
    const double moved = std::abs(this->residual(at, point) - residual);
    if (std::isfinite(moved)) largest = std::isfinite(largest) ? std::max(largest, moved) : moved;
  }
  value = before;
  return largest;
}

double EquationRows::allowed(BatchRow at, const Point& point, double tolerance, double residual) {
  const std::vector<Partial> terms = partials(at, point);
  double sum = 0;
  for (const Partial& p : terms) {
    const double size = std::max(std::abs(point.values[p.variable]), nominal_[p.variable]);
    const double slope = std::abs(p.value);
    const double term = std::min(slope * size, change(at, point, p.variable, size, residual));
    double rounding = slope * kRounding * size;
    if (rounding > tolerance * term)
      rounding = std::min(rounding, change(at, point, p.variable, kRounding * size, residual));
    if (std::isfinite(term)) sum += std::max(tolerance * term, std::isfinite(rounding) ? rounding : 0);
  }
  return sum;
}

bool EquationRows::holds(BatchRow at, const Point& point, double tolerance) {
  const double signed_residual = this->residual(at, point), residual = std::abs(signed_residual);
  if (!std::isfinite(residual)) return false;
  if (residual == 0) return true;
  const double here = magnitude(partials(at, point), point);
  if (partials_.empty()) return residual <= tolerance;  // what is zero for sure is no variable; nominally 1
  if (here > 0) return residual <= allowed(at, point, tolerance, signed_residual);
  const std::vector<std::uint32_t> moved = variables(at);  // each once: they are restored in any order
  here_.clear();
  for (const std::uint32_t v : moved) {
    here_.push_back(point.values[v]);
    point.values[v] += nominal_[v];
  }
  const double there = magnitude(partials(at, point), point);
  for (std::size_t k = 0; k < moved.size(); ++k) point.values[moved[k]] = here_[k];
  return residual <= tolerance * tolerance * there;
}

}  // namespace runtime
