#include "row_check.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/integrate/simulate.h"
#include "runtime/results/trajectory.h"
#include "runtime/solve/parameters.h"
#include "runtime/solve/schedule.h"

namespace numeric {
namespace {

using runtime::KernelBatch;
using runtime::Model;

constexpr double kAtZero = 1e-8;     // of the largest magnitude of a difference
constexpr double kTolerance = 1e-6;  // of the terms of an equation

class Rows {
 public:
  Rows(const Model& model, const runtime::Experiment& experiment)
      : model_(model),
        parameters_(runtime::evaluate_parameters(model, experiment.overrides)),
        nominal_(runtime::nominal_values(model, parameters_)) {
    runtime::Output output;
    for (std::uint32_t v = 0; v < model.variables; ++v) {
      output.columns.push_back({v, false});
      output.names.push_back(std::to_string(v));
    }
    output.sinks = {&rows_};
    REQUIRE(runtime::simulate(model, experiment, output, {}).status == runtime::Outcome::Completed);
    evaluate_differences();
  }

  RowCheck check() {
    RowCheck result{.rows = rows_.rows()};
    for (std::size_t r = 0; r < rows_.rows(); ++r) {
      if (r > 0) REQUIRE(rows_.time(r) >= rows_.time(r - 1));
      if (r > 0) result.events += rows_.time(r) == rows_.time(r - 1);
      if (r > 1) REQUIRE(rows_.time(r) > rows_.time(r - 2));  // never three
      if (satisfied(r, Neighbour::None) || satisfied(r, Neighbour::Before) || satisfied(r, Neighbour::After))
        continue;
      if (result.wrong++ == 0)
        result.first = fmt::format("row {} at t = {:.17g}, variable {}", r, rows_.time(r), at_fault_);
    }
    return result;
  }

 private:
  enum class Neighbour { None, Before, After };

  runtime::Point point(std::size_t r) {
    return {rows_.time(r), values_.data(), parameters_.data(), nullptr, nullptr};
  }

  void evaluate_differences() {
    std::size_t count = 0;
    for (const runtime::ZeroCrossing& z : model_.zero_crossings) count += model_.batches[z.batch].count;
    differences_.assign(rows_.rows(), std::vector<double>(count));
    largest_.assign(count, 0);
    for (std::size_t r = 0; r < rows_.rows(); ++r) {
      values_.assign(rows_.values(r).begin(), rows_.values(r).end());
      std::size_t at = 0;
      for (const runtime::ZeroCrossing& z : model_.zero_crossings) {
        runtime::evaluate(model_, model_.batches[z.batch], point(r), differences_[r].data() + at);
        at += model_.batches[z.batch].count;
      }
      for (std::size_t k = 0; k < count; ++k)
        largest_[k] = std::max(largest_[k], std::abs(differences_[r][k]));
    }
  }

  bool at_zero(std::size_t r, std::size_t k) const {
    return std::abs(differences_[r][k]) <= kAtZero * largest_[k];
  }

  /// The row whose differences decide the comparison k in row r.
  std::size_t deciding(std::size_t r, std::size_t k, Neighbour neighbour) const {
    if (neighbour == Neighbour::None || !at_zero(r, k)) return r;
    std::size_t other = r;
    while (at_zero(other, k)) {
      if (neighbour == Neighbour::Before ? other == 0 : other + 1 == rows_.rows()) return r;
      neighbour == Neighbour::Before ? --other : ++other;
    }
    return other;
  }

  bool satisfied(std::size_t r, Neighbour neighbour) {
    std::size_t k = 0;
    for (const runtime::ZeroCrossing& z : model_.zero_crossings)
      for (std::uint32_t row = 0; row < model_.batches[z.batch].count; ++row, ++k) {
        const double difference = differences_[deciding(r, k, neighbour)][k];
        parameters_[z.first + row] = (z.strict ? difference < 0 : difference <= 0) ? 1.0 : 0.0;
      }
    for (const auto* steps : {&model_.dynamic, &model_.observed})
      for (const runtime::Step& step : *steps) {
        if (step.kind == runtime::Step::Assign) {
          if (!holds(r, model_.batches[step.index])) return false;
        } else {
          for (const KernelBatch& batch : runtime::loop_batches(model_, model_.loops[step.index]))
            if (!holds(r, batch)) return false;
        }
      }
    return true;
  }

  bool holds(std::size_t r, const KernelBatch& batch) {
    values_.assign(rows_.values(r).begin(), rows_.values(r).end());
    if (batch.role == runtime::Role::Residual) return residuals_vanish(r, batch);
    runtime::evaluate(model_, batch, point(r), nullptr);
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const std::uint32_t v = runtime::solved_variable(model_, batch, row);
      const double was = rows_.value(r, v), is = values_[v];
      if (std::isnan(was) && std::isnan(is)) continue;
      if (std::abs(is - was) <= kTolerance * std::max({std::abs(is), std::abs(was), nominal_[v]})) continue;
      at_fault_ = v;
      return false;
    }
    return true;
  }

  bool residuals_vanish(std::size_t r, const KernelBatch& batch) {
    std::vector<double> residuals(batch.count), scale(batch.count);
    runtime::evaluate(model_, batch, point(r), residuals.data());
    if (batch.kernel == runtime::kNone) {
      const runtime::SumTable table(model_, batch);
      for (std::uint32_t row = 0; row < batch.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k)
          scale[row] += std::abs(values_[table.terms[k] >> 1]) + nominal_[table.terms[k] >> 1];
    } else {
      std::vector<double> partials(std::size_t{batch.slots} * batch.count);
      runtime::evaluate_partials(model_, batch, point(r), partials.data());
      for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        for (std::uint32_t row = 0; row < batch.count; ++row) {
          const std::uint32_t v = runtime::slot_variable(model_, batch, slot, row);
          scale[row] += std::abs(partials[std::size_t{slot} * batch.count + row]) *
                        (std::abs(values_[v]) + nominal_[v]);
        }
    }
    for (std::uint32_t row = 0; row < batch.count; ++row)
      if (!(std::abs(residuals[row]) <= kTolerance * scale[row])) return false;
    return true;
  }

  const Model& model_;
  std::vector<double> parameters_, nominal_, values_;
  runtime::Trajectory rows_;
  std::vector<std::vector<double>> differences_;  // by row
  std::vector<double> largest_;
  std::uint32_t at_fault_ = 0;
};

}  // namespace

RowCheck check_rows(const sigrel::pipeline::Compiled& model, const runtime::Experiment& experiment) {
  return Rows(model.plan.model, experiment).check();
}

}  // namespace numeric
