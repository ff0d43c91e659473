#include "runtime/integrate/step_check.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {

constexpr double kResolution = 1e-3;  // part of the time range
// A term is smooth where it is this part of its magnitude from its polynomial.
constexpr double kSmooth = 1e-2;
// The derivatives may miss this multiple of what the tolerance allows for a step.
constexpr double kAllowed = 10;
constexpr double kRateStep = 1e-4;     // part of a step, for rates
constexpr std::size_t kMostTimes = 8;  // at which derivatives are compared in one step

}  // namespace

StepCheck::StepCheck(ModelInstance& instance, ReducedSystem& system, double range, double tolerance)
    : instance_(instance), system_(system), resolution_(kResolution * range), tolerance_(tolerance) {
  if (!instance.model.states.empty() && !instance.model.timed.empty()) collect();
  for (auto* list : {&largest_, &first_, &last_, &after_first_, &before_last_, &here_, &miss_, &missed_at_})
    list->assign(terms_, 0.0);
  for (auto* list : {&at_, &at_begin_, &at_end_}) list->assign(instance.model.states.size(), 0.0);
}

/// Works out which rows depend on the time, in the order of the schedule.
void StepCheck::collect() {
  const Model& model = instance_.model;
  std::vector<std::uint8_t> depends(model.variables, 0);
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign) {
      collect(step.index, depends);
    } else {
      const AlgebraicLoop& loop = model.loops[step.index];
      std::vector<std::uint8_t> inside = depends;  // what a loop gives is not followed
      for (std::uint32_t b = 0; b < loop.batches; ++b) collect(loop.first_batch + b, inside);
    }
  }
}

void StepCheck::collect(std::uint32_t index, std::vector<std::uint8_t>& depends) {
  const Model& model = instance_.model;
  const KernelBatch& batch = model.batches[index];
  const bool sums = batch.kernel == kNone, timed = !sums && model.timed[batch.kernel];
  if (sums && batch.role != Role::Solve) return;
  auto reads = [&](std::uint32_t row) {
    if (timed) return true;
    if (sums) {
      const SumTable table(model, batch);
      for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
        if (depends[table.terms[k] >> 1]) return true;
      return false;
    }
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
      if (depends[slot_variable(model, batch, slot, row)]) return true;
    return false;
  };
  std::vector<std::uint32_t> found;
  for (std::uint32_t row = 0; row < batch.count; ++row)
    if (reads(row)) found.push_back(row);
  if (found.empty()) return;
  if (batch.role == Role::Solve)
    for (const std::uint32_t row : found) depends[solved_variable(model, batch, row)] = 1;
  if (results_.size() < batch.count) results_.resize(batch.count);
  const std::size_t first = rows_.size();
  for (const std::uint32_t row : found) {
    if (rows_.size() > first && rows_.back().end == row)
      ++rows_.back().end;
    else
      rows_.push_back({index, row, row + 1});
  }
  terms_ += found.size();
}

/// Assigns the solved variable of one sum.
void StepCheck::evaluate_sum(const SumTable& table, std::uint32_t row) {
  const std::uint32_t* terms = table.terms + table.offsets[row];
  const std::uint32_t count = table.offsets[row + 1] - table.offsets[row], solved = table.positions[row];
  double sum = 0;
  for (std::uint32_t k = 0; k < count; ++k)
    if (k != solved) sum += (terms[k] & 1 ? -1 : 1) * instance_.values[terms[k] >> 1];
  instance_.values[terms[solved] >> 1] = terms[solved] & 1 ? sum : -sum;
}

/// The terms at a time, with all else as it is.
void StepCheck::sample(double time, std::vector<double>& out) {
  const Model& model = instance_.model;
  const Point point = instance_.point(time);
  std::size_t at = 0;
  for (const Rows& rows : rows_) {
    const KernelBatch& batch = model.batches[rows.batch];
    if (batch.kernel == kNone)
      for (std::uint32_t row = rows.begin; row < rows.end; ++row) evaluate_sum(SumTable(model, batch), row);
    else
      evaluate_rows(model, batch, point, rows.begin, rows.end, results_.data());
    for (std::uint32_t row = rows.begin; row < rows.end; ++row, ++at)
      out[at] =
          batch.role == Role::Solve ? instance_.values[solved_variable(model, batch, row)] : results_[row];
  }
}

bool StepCheck::accepts(double begin, Integrator& integrator) {
  const double end = integrator.time(), step = end - begin;
  const auto samples = static_cast<std::uint32_t>(step / resolution_);
  if (rows_.empty() || samples == 0) return true;
  const double rate_step = kRateStep * step;
  sample(begin, first_);
  sample(begin + rate_step, after_first_);
  sample(end - rate_step, before_last_);
  sample(end, last_);
  std::ranges::fill(miss_, 0.0);
  for (std::uint32_t k = 1; k <= samples; ++k) {
    const double x = static_cast<double>(k) / (samples + 1), z = 1 - x, time = begin + x * step;
    sample(time, here_);
    for (std::size_t i = 0; i < terms_; ++i) {
      const double p0 = first_[i], p1 = p0 + (after_first_[i] - p0) / kRateStep / 3, p3 = last_[i],
                   p2 = p3 - (p3 - before_last_[i]) / kRateStep / 3;
      const double predicted = z * z * (z * p0 + 3 * x * p1) + x * x * (3 * z * p2 + x * p3);
      largest_[i] = std::max({largest_[i], std::abs(here_[i]), std::abs(p0), std::abs(p3)});
      const double miss = std::abs(here_[i] - predicted);
      if (miss > miss_[i]) {
        miss_[i] = miss;
        missed_at_[i] = time;
      }
    }
  }
  // Terms that belong together are missed at the same time.
  std::vector<double> times;
  for (std::size_t i = 0; i < terms_ && times.size() < kMostTimes; ++i)
    if (miss_[i] > kSmooth * largest_[i] && std::ranges::find(times, missed_at_[i]) == times.end())
      times.push_back(missed_at_[i]);
  return std::ranges::none_of(times, [&](double time) { return matters(begin, end, time, integrator); });
}

/// The derivatives of the states at `time` with the states of the time `at`.
bool StepCheck::derivatives(double time, double at, Integrator& integrator, std::vector<double>& out) {
  integrator.interpolate(at);
  if (!system_.output(time, integrator.y(), integrator.rates(), {})) return false;
  const std::vector<State>& states = instance_.model.states;
  for (std::size_t s = 0; s < states.size(); ++s) out[s] = instance_.values[states[s].derivative];
  return true;
}

/// Whether the derivatives at a time inside are so far from those at both ends that the step has missed it.
bool StepCheck::matters(double begin, double end, double at, Integrator& integrator) {
  if (!derivatives(at, at, integrator, at_) || !derivatives(begin, at, integrator, at_begin_) ||
      !derivatives(end, at, integrator, at_end_))
    return false;
  const std::vector<State>& states = instance_.model.states;
  const double x = (at - begin) / (end - begin);
  for (std::size_t s = 0; s < states.size(); ++s) {
    const double miss = at_[s] - ((1 - x) * at_begin_[s] + x * at_end_[s]);
    const double allowed =
        tolerance_ * (std::abs(instance_.values[states[s].variable]) + instance_.nominal[states[s].variable]);
    if ((end - begin) * std::abs(miss) > kAllowed * allowed) return true;
  }
  return false;
}

}  // namespace runtime
