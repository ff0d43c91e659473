#include "runtime/loop.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace runtime {

namespace {

constexpr int kMaxIterations = 100;
constexpr double kSmallestDamping = 1e-7;
constexpr double kStepTolerance = 1e-11;      // of a Newton correction, relative to value and nominal
constexpr double kResidualTolerance = 2e-15;  // relative to the terms that make the residual up: rounding

bool all_finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

LoopSolver::LoopSolver(const Model& model, const Loop& loop, const std::vector<double>& nominal)
    : model_(model),
      runs_(model.runs.data() + loop.first_run, loop.runs),
      unknowns_(model.loop_unknowns.data() + loop.first_unknown, loop.unknowns),
      system_(SparsePattern{}) {
  const std::size_t n = unknowns_.size();
  // Column of a variable: a hash map only while the pattern is made, and only as large as the loop.
  std::unordered_map<std::uint32_t, std::uint32_t> column;
  column.reserve(n);
  for (std::uint32_t k = 0; k < n; ++k) column.emplace(unknowns_[k], k);

  std::vector<Entry> entries;
  std::vector<std::uint32_t> source;  // per entry: its coefficient, or kNone and kNone - 1 for the constants 1 and -1
  std::uint32_t row_base = 0;
  std::uint64_t size = 0;
  for (const Run& run : runs_) {
    offsets_.push_back(size);
    if (run.kernel == kNone) {
      const SumTable table(model, run);
      for (std::uint32_t row = 0; row < run.count; ++row)
        for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) {
          const auto found = column.find(table.terms[k] >> 1);
          if (found == column.end()) continue;
          entries.push_back({row_base + row, found->second});
          source.push_back(table.terms[k] & 1 ? kNone - 1 : kNone);
        }
    } else {
      for (std::uint32_t slot = 0; slot < run.slots; ++slot)
        for (std::uint32_t row = 0; row < run.count; ++row) {
          const auto found = column.find(slot_variable(model, run, slot, row));
          if (found == column.end()) continue;
          entries.push_back({row_base + row, found->second});
          source.push_back(static_cast<std::uint32_t>(size + std::uint64_t(slot) * run.count + row));
        }
      size += std::uint64_t(run.slots) * run.count;
    }
    row_base += run.count;
  }
  std::vector<std::uint32_t> positions;
  system_ = LinearSystem(compress(n, entries, positions));
  coefficients_.resize(size);
  constant_.assign(system_.pattern().nonzeros(), 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (source[k] >= kNone - 1)
      constant_[positions[k]] += source[k] == kNone ? 1.0 : -1.0;
    else
      scatter_.push_back({source[k], positions[k]});
  }
  nominal_.reserve(n);
  for (std::uint32_t variable : unknowns_) nominal_.push_back(nominal[variable]);
  for (auto* v : {&start_, &x_, &step_, &trial_, &residual_, &row_scale_}) v->assign(n, 0.0);
}

void LoopSolver::residuals(const Point& point, double* out) const {
  for (const Run& run : runs_) {
    evaluate(model_, run, point, out);
    out += run.count;
  }
}

LinearSystem::Status LoopSolver::evaluate_jacobian(const Point& point) {
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (runs_[r].kernel != kNone) evaluate_partials(model_, runs_[r], point, coefficients_.data() + offsets_[r]);
  std::span<double> values = system_.values();
  std::copy(constant_.begin(), constant_.end(), values.begin());
  for (const Scatter& s : scatter_) values[s.position] += coefficients_[s.coefficient];
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); }) ? LinearSystem::Status::Ok : LinearSystem::Status::NotFinite;
}

LinearSystem::Status LoopSolver::jacobian(const Point& point) {
  evaluate_jacobian(point);
  ++factorisations_;
  return system_.factor();
}

LinearSystem::Status LoopSolver::factor(const Point& point) { return jacobian(point); }

bool LoopSolver::bump(const Point& point, int attempt) {
  // A product of two guesses of zero has no gradient, a logarithm of zero no value: move off, each unknown by its own amount.
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const double fraction = std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
    x_[k] = start_[k] + nominal_[k] * (attempt == 1 ? 1e-3 : 0.3) * (0.5 + fraction);
    point.values[unknowns_[k]] = x_[k];
  }
  residuals(point, residual_.data());
  return all_finite(residual_);
}

bool LoopSolver::solve(const Point& point, Failure& failure) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const double value = point.values[unknowns_[k]];
    start_[k] = x_[k] = std::isfinite(value) ? value : 0.0;
    point.values[unknowns_[k]] = x_[k];
  }
  if (newton(point, failure)) return true;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) point.values[unknowns_[k]] = start_[k];
  return false;
}

bool LoopSolver::newton(const Point& point, Failure& failure) {
  const std::size_t n = unknowns_.size();
  auto length = [&](const std::vector<double>& step) {
    double largest = 0;
    for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(step[k]) / (std::abs(x_[k]) + nominal_[k]));
    return largest;
  };
  int bumps = 0;
  residuals(point, residual_.data());
  while (!all_finite(residual_)) {
    if (bumps == 2) return describe_not_finite(point, failure), false;
    bump(point, ++bumps);
  }
  for (std::uint32_t iteration = 1; iteration <= kMaxIterations; ++iteration) {
    LinearSystem::Status status = jacobian(point);
    while (status == LinearSystem::Status::Singular && bumps < 2)
      if (bump(point, ++bumps)) status = jacobian(point);
    if (status != LinearSystem::Status::Ok) {
      // Singular from the start, wherever that is: the equations depend on each other. Singular later: Newton got lost.
      const FailureKind kind = status == LinearSystem::Status::NotFinite ? FailureKind::NotFinite
                               : iteration == 1                          ? FailureKind::LoopSingular
                                                                         : FailureKind::LoopNotConverged;
      return describe(point, kind, iteration, failure), false;
    }
    for (std::size_t k = 0; k < n; ++k) step_[k] = -residual_[k];
    system_.solve(step_.data());
    if (!all_finite(step_)) return describe(point, FailureKind::LoopSingular, iteration, failure), false;
    const double full = length(step_);

    // What the terms of each residual amount to: below rounding of that, a residual is zero.
    const SparsePattern& pattern = system_.pattern();
    std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
    for (std::size_t c = 0; c < n; ++c)
      for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
        row_scale_[pattern.rows[k]] += std::abs(system_.values()[k]) * (std::abs(x_[c]) + std::abs(step_[c]));

    for (double damping = 1;; damping /= 2) {
      if (damping < kSmallestDamping) {
        for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] = x_[k];
        residuals(point, residual_.data());
        return describe(point, FailureKind::LoopNotConverged, iteration, failure), false;
      }
      for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] = x_[k] + damping * step_[k];
      residuals(point, residual_.data());
      if (!all_finite(residual_)) continue;
      if (damping == 1) {
        if (full <= kStepTolerance) return true;
        bool rounding = true;
        for (std::size_t k = 0; k < n && rounding; ++k) rounding = std::abs(residual_[k]) <= kResidualTolerance * row_scale_[k];
        if (rounding) return true;
      }
      for (std::size_t k = 0; k < n; ++k) trial_[k] = -residual_[k];
      system_.solve(trial_.data());
      const double rest = length(trial_);
      if (damping == 1 && rest <= kStepTolerance) {
        for (std::size_t k = 0; k < n; ++k) point.values[unknowns_[k]] += trial_[k];
        return true;
      }
      if (!(rest <= (1 - damping / 4) * full)) continue;
      break;
    }
    for (std::size_t k = 0; k < n; ++k) x_[k] = point.values[unknowns_[k]];
  }
  return describe(point, FailureKind::LoopNotConverged, kMaxIterations, failure), false;
}

void LoopSolver::describe(const Point& point, FailureKind kind, std::uint32_t iterations, Failure& failure) const {
  const std::size_t n = unknowns_.size();
  failure = Failure{.kind = kind, .time = point.time, .unknowns = static_cast<std::uint32_t>(n), .iterations = iterations};
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t shown = std::min(n, kFailureDetails);
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::abs(residual_[a]) != std::abs(residual_[b]) ? std::abs(residual_[a]) > std::abs(residual_[b]) : a < b;
  });
  for (std::size_t k = 0; k < shown; ++k) {
    std::uint32_t row = order[k];
    const Run* run = runs_.data();
    while (row >= run->count) row -= (run++)->count;
    failure.equations.push_back({model_.equations[run->equations + row], residual_[order[k]]});
  }
  // The singular column first, then those that move most.
  auto show = [&](std::uint32_t k) { failure.variables.push_back({unknowns_[k], point.values[unknowns_[k]], 0}); };
  std::iota(order.begin(), order.end(), 0u);
  const bool singular = kind == FailureKind::LoopSingular && n > 0;
  const std::uint32_t first = singular ? std::min<std::uint32_t>(system_.singular_column(), n - 1) : kNone;
  if (singular) show(first);
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = std::abs(step_[a]) / nominal_[a], y = std::abs(step_[b]) / nominal_[b];
    return x != y ? x > y : a < b;
  });
  for (std::size_t k = 0; k < shown && failure.variables.size() < kFailureDetails; ++k)
    if (order[k] != first) show(order[k]);
}

void LoopSolver::describe_not_finite(const Point& point, Failure& failure) const {
  failure = Failure{.kind = FailureKind::NotFinite, .time = point.time,
                    .unknowns = static_cast<std::uint32_t>(unknowns_.size())};
  std::size_t position = 0;
  for (const Run& run : runs_)
    for (std::uint32_t row = 0; row < run.count; ++row, ++position) {
      if (std::isfinite(residual_[position]) || failure.equations.size() == kFailureDetails) continue;
      failure.equations.push_back({model_.equations[run.equations + row], residual_[position]});
      for (std::uint32_t slot = 0; slot < run.slots && failure.variables.size() < kFailureDetails; ++slot) {
        const std::uint32_t variable = slot_variable(model_, run, slot, row);
        failure.variables.push_back({variable, point.values[variable], 0});
      }
    }
}

}  // namespace runtime
