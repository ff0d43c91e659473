#include "runtime/solve/rectangular_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/numbers.h"

namespace runtime {

namespace {

constexpr int kMaxIterations = 60;
constexpr std::size_t kMostDense = 500;   // rows or columns of a dense Jacobian
constexpr double kConverged = 1e-13;      // relative residual
constexpr double kStepTolerance = 1e-12;  // relative to the scale of the unknown
constexpr double kSmallestDamping = 1e-9;
constexpr double kAccuracy = 1e-8;  // of an unknown, relative to its scale
// Moves away from the values at the start, relative to nominal values: a product of two zeros has no
// gradient.
constexpr double kMoves[] = {0, 1e-3, 0.3};
// The same, relative to value or nominal value, for an unknown that equations do not determine; of how many.
// At a double root the residual grows as the square of the distance, and has to exceed kTolerance.
constexpr double kOtherValue = 0.03;
constexpr int kMostTried = 3;

double largest(const std::vector<double>& x) {
  double result = 0;
  for (double v : x)
    if (const double size = std::abs(v); !(size <= result)) result = std::isnan(size) ? HUGE_VAL : size;
  return result;
}
double squares(const std::vector<double>& x) {
  double result = 0;
  for (double v : x) result += v * v;
  return result;
}

}  // namespace

RectangularSystem::RectangularSystem(EquationRows& equations, std::vector<BatchRow> rows,
                                     std::vector<std::uint32_t> unknowns)
    : equations_(equations),
      rows_(std::move(rows)),
      unknowns_(std::move(unknowns)),
      row_scale_(rows_.size()),
      column_scale_(unknowns_.size()) {}

bool RectangularSystem::is_dense() const { return std::max(rows_.size(), unknowns_.size()) <= kMostDense; }

template <class Use>
auto RectangularSystem::with_factors(Use use, Steps steps) const {
  if (!is_dense() && steps == Steps::Fast)
    if (const RectangularLu factors(rows_.size(), unknowns_.size(), jacobian_); !factors.fills_in())
      return use(factors);
  if (!is_dense()) return use(SparseQr(rows_.size(), unknowns_.size(), jacobian_));
  DenseMatrix dense(rows_.size(), unknowns_.size());
  for (const SparseMatrixEntry& e : jacobian_) dense(e.row, e.column) = e.value;
  return use(PivotedQr(dense));
}

std::vector<double> RectangularSystem::get(const Point& point) const {
  std::vector<double> x;
  x.reserve(unknowns_.size());
  for (const std::uint32_t v : unknowns_) x.push_back(point.values[v]);
  return x;
}

void RectangularSystem::set(const Point& point, const std::vector<double>& x) const {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) point.values[unknowns_[k]] = x[k];
}

/// The scaled Jacobian, the scales and the residuals at the current point. False: not finite.
bool RectangularSystem::linearise(const Point& point) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    column_scale_[k] = std::max(std::abs(point.values[unknowns_[k]]), equations_.nominal(unknowns_[k]));
  jacobian_.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto& partials = equations_.partials(rows_[r], point);
    const double magnitude = equations_.magnitude(partials, point);
    if (!std::isfinite(magnitude)) return false;
    row_scale_[r] = magnitude > 0 ? 1 / magnitude : 1;
    for (const EquationRows::Partial& p : partials) {
      const auto at = std::ranges::lower_bound(unknowns_, p.variable);
      if (at == unknowns_.end() || *at != p.variable) continue;
      const auto column = static_cast<std::uint32_t>(at - unknowns_.begin());
      jacobian_.push_back(
          {static_cast<std::uint32_t>(r), column, row_scale_[r] * p.value * column_scale_[column]});
    }
  }
  return relative_residuals(point, residuals_);
}

bool RectangularSystem::relative_residuals(const Point& point, std::vector<double>& out) {
  out.resize(rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r)
    out[r] = row_scale_[r] * equations_.residual(rows_[r], point);
  return all_finite(out);
}

RectangularSystem::Result RectangularSystem::iterate(const Point& point, Steps steps) {
  std::vector<double> right(rows_.size());
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (!linearise(point)) return Result::NotFinite;
    if (largest(residuals_) <= kConverged) return Result::Solved;
    for (std::size_t r = 0; r < rows_.size(); ++r) right[r] = -residuals_[r];
    const std::vector<double> step =
        with_factors([&](const auto& factors) { return factors.solve(right); }, steps);
    if (!std::isfinite(largest(step))) return Result::NotFinite;
    const std::vector<double> x = get(point);
    const double before = squares(residuals_);
    double damping = 1;
    for (; damping >= kSmallestDamping; damping /= 2) {
      for (std::size_t k = 0; k < x.size(); ++k)
        point.values[unknowns_[k]] = x[k] + damping * step[k] * column_scale_[k];
      if (relative_residuals(point, trial_) && squares(trial_) < before) break;
    }
    const bool decreased = damping >= kSmallestDamping;
    if (!decreased) set(point, x), trial_ = residuals_;
    const bool small = largest(step) <= kStepTolerance;
    if (decreased && !small) continue;
    // The end, or a point where the residuals are as small as they can be.
    if (largest(trial_) <= kTolerance) return Result::Solved;
    return largest(step) <= kTolerance || !decreased ? Result::Contradiction : Result::NotConverged;
  }
  return largest(residuals_) <= kConverged * 10 ? Result::Solved : Result::NotConverged;
}

/// Sets the unknowns, but those to `keep`, to values at this distance from `start`.
void RectangularSystem::move(const Point& point, const std::vector<double>& start, double distance,
                             const std::vector<bool>& keep) const {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double fraction = golden_fraction(static_cast<double>(k + 1));
    const double by = distance * equations_.nominal(unknowns_[k]) * (0.5 + fraction);
    point.values[unknowns_[k]] = start[k] + (keep.empty() || !keep[k] ? by : 0);
  }
}

RectangularSystem::Result RectangularSystem::solve(const Point& point) {
  std::vector<double> start = get(point);
  std::ranges::replace_if(start, [](double x) { return !std::isfinite(x); }, 0.0);
  if (!is_dense() && solve(point, start, Steps::Fast) == Result::Solved) return Result::Solved;
  return solve(point, start, Steps::LeastSquares);
}

RectangularSystem::Result RectangularSystem::solve(const Point& point, const std::vector<double>& start,
                                                   Steps steps) {
  std::vector<double> best;
  Result result = Result::NotConverged;
  for (const double distance : kMoves) {
    move(point, start, distance, {});
    const Result here = iterate(point, steps);
    if (here == Result::Solved && determines_all(point)) return here;
    if (best.empty() || (here == Result::Solved && result != Result::Solved)) {
      result = here;
      best = get(point);
    }
  }
  set(point, best);
  return result;
}

std::vector<bool> RectangularSystem::determined(const Point& point) {
  std::vector<bool> result(unknowns_.size(), false);
  if (unknowns_.empty() || !linearise(point)) return result;
  const auto determined = [](const auto& factors) { return factors.determined(); };
  result = with_factors(determined);
  const std::vector<double> here = get(point);
  move(point, here, kMoves[2], result);
  const std::vector<bool> there =
      linearise(point) ? with_factors(determined) : std::vector<bool>(unknowns_.size(), false);
  set(point, here);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = result[k] && there[k];
  return result;
}

bool RectangularSystem::has_free_unknown(const Point& point) {
  if (!linearise(point)) return false;
  const std::vector<bool> determined = with_factors([](const auto& factors) { return factors.determined(); });
  const std::vector<double> here = get(point), scale = column_scale_;
  bool found = false;
  int tried = 0;
  for (std::size_t k = 0; k < determined.size() && tried < kMostTried && !found; ++k) {
    if (determined[k]) continue;
    ++tried;
    std::vector<std::uint32_t> others = unknowns_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    RectangularSystem with_other_value(equations_, rows_, std::move(others));
    for (const double distance : {kOtherValue, -kOtherValue}) {
      if (found) break;
      point.values[unknowns_[k]] += distance * scale[k];
      found = with_other_value.iterate(point, Steps::Fast) == Result::Solved;
      set(point, here);
    }
  }
  return found;
}

bool RectangularSystem::determines_all(const Point& point) {
  if (unknowns_.empty()) return true;
  if (rows_.size() < unknowns_.size() || !linearise(point)) return false;
  return with_factors([&](const auto& factors) {
    return factors.rank() == unknowns_.size() && largest(factors.solve(residuals_)) <= kAccuracy;
  });
}

}  // namespace runtime
