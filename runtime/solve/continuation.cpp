// Continuation of an algebraic loop whose initial guess does not lead Newton's method to a solution.
//
// H(x, l) = F(x) - (1 - l) F(x0) is zero at l = 0 for the guess x0, and at l = 1 for a solution. The curve
// H = 0 through (x0, 0) is followed by arc length, so it may turn back in l; first in the direction of
// increasing l, then in the opposite one (Keller, Global homotopies and Newton methods (1978); Allgower and
// Georg, Introduction to numerical continuation methods (2003), chapters 2 and 6). Predictor: the tangent.
// Corrector: Newton's method for H = 0 in the plane normal to the tangent.
//
//   F(x) = x^3 - 2 x + 2 from x0 = 0: Newton's method is caught at the minimum of |F| near x = 0.8. The curve
//   leads from l = 0 back to l = -0.54, where x = -0.8, and from there to l = 1, where x = -1.77.
//
// Both ends of a curve may lead to infinity, where the solution is on another one. So a few other guesses are
// tried after that, in small loops:
//
//   a diode in series with a cubic resistance whose conductance at zero is negative: from zero each end of
//   the curve leads to a diode that blocks, with l towards minus infinity.
//
// Unknowns are measured in their nominal values. The curve does not depend on the scaling of the equations.
#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {
namespace {

constexpr std::size_t kLargest = 1000;  // unknowns: continuation takes some thousand factorisations
constexpr int kSteps = 1000;            // in each direction
// Guesses from which a curve may lead to a solution, as distances from the one that is given, in nominal
// values; others than that are tried for loops of so many unknowns.
constexpr double kDisplacements[] = {0, 1, -1};
constexpr std::size_t kDisplaced = 50;
constexpr double kFirstStep = 0.05, kSmallestStep = 1e-9;
constexpr double kFarAway = 1e8;  // in nominal values
constexpr int kCorrections = 6;
constexpr double kOnContinuation = 1e-8;

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

}  // namespace

/// Follows the curve. Its linear systems are the Jacobian of the loop, bordered by dH/dl at the right and a
/// given row below.
class AlgebraicLoopSolver::Continuation {
 public:
  Continuation(AlgebraicLoopSolver& loop, const Point& point)
      : loop_(loop), point_(point), n_(loop.unknowns_.size()), bordered_(SparsePattern{}) {
    const SparsePattern& inner = loop.system_.pattern();
    std::vector<Entry> entries;
    for (std::uint32_t c = 0; c < n_; ++c)
      for (std::int64_t k = inner.starts[c]; k < inner.starts[c + 1]; ++k)
        entries.push_back({static_cast<std::uint32_t>(inner.rows[k]), c});
    const auto n = static_cast<std::uint32_t>(n_);
    for (std::uint32_t r = 0; r < n; ++r) entries.push_back({r, n});
    for (std::uint32_t c = 0; c <= n; ++c) entries.push_back({n, c});
    bordered_ = LinearSystem(compress(n_ + 1, entries, positions_));
    start_.assign(n_, 0.0);
    loop.residuals(point, start_.data());
  }

  bool begins() const { return all_finite(start_) && norm(start_) > 0; }
  const std::vector<double>& at_start() const { return start_; }

  /// Factorises at z = (x / nominal, l). False: singular or not finite.
  bool factor(const std::vector<double>& z, const std::vector<double>& row) {
    place(z);
    if (loop_.evaluate_jacobian(point_) == LinearSystem::Status::NotFinite) return false;
    const SparsePattern& inner = loop_.system_.pattern();
    std::span<double> values = bordered_.values();
    std::ranges::fill(values, 0.0);
    std::size_t entry = 0;
    for (std::size_t c = 0; c < n_; ++c)
      for (std::int64_t k = inner.starts[c]; k < inner.starts[c + 1]; ++k)
        values[positions_[entry++]] = loop_.system_.values()[k] * loop_.nominal_[c];
    for (std::size_t r = 0; r < n_; ++r) values[positions_[entry++]] = start_[r];
    for (std::size_t c = 0; c <= n_; ++c) values[positions_[entry++]] = row[c];
    return bordered_.factor() == LinearSystem::Status::Ok;
  }
  void solve(std::vector<double>& right) { bordered_.solve(right.data()); }

  /// H(z) in the first n entries. False: not finite.
  bool residual(const std::vector<double>& z, std::vector<double>& out) {
    place(z);
    loop_.residuals(point_, out.data());
    for (std::size_t r = 0; r < n_; ++r) out[r] -= (1 - z[n_]) * start_[r];
    out[n_] = 0;
    return all_finite(out);
  }
  void place(const std::vector<double>& z) {
    for (std::size_t k = 0; k < n_; ++k) point_.values[loop_.unknowns_[k]] = z[k] * loop_.nominal_[k];
  }

  /// Follows the curve until l = 1. Whether a solution was found; the unknowns then have its values.
  bool follow(double direction) {
    std::vector<double> z(n_ + 1), tangent(n_ + 1), next(n_ + 1), step(n_ + 1);
    for (std::size_t k = 0; k < n_; ++k) {
      z[k] = loop_.start_[k] / loop_.nominal_[k];
      tangent[k] =
          0.1 * (0.5 + golden_fraction(static_cast<double>(k + 1))) / std::sqrt(static_cast<double>(n_));
    }
    // A generic direction: where the Jacobian is singular at the guess, the curve may be normal to the l
    // axis.
    tangent[n_] = 1;
    for (double& t : tangent) t *= direction;
    double length = kFirstStep;
    for (int count = 0; count < kSteps; ++count) {
      if (!factor(z, tangent)) return false;
      std::ranges::fill(step, 0.0);
      step[n_] = 1;
      solve(step);
      const double size = norm(step);
      if (!all_finite(step) || size == 0) return false;
      for (double& s : step) s /= size;
      tangent = step;
      while (true) {
        if (length < kSmallestStep) return false;
        for (std::size_t k = 0; k <= n_; ++k) next[k] = z[k] + length * tangent[k];
        const int corrections = correct(next, tangent);
        if (corrections >= 0) {
          const double before = length;
          if (corrections <= 2) length *= 1.6;
          if (z[n_] < 1 && next[n_] >= 1) {
            const double part = (1 - z[n_]) / (next[n_] - z[n_]);
            for (std::size_t k = 0; k <= n_; ++k) next[k] = z[k] + part * (next[k] - z[k]);
            place(next);
            Failure failure;
            for (std::size_t k = 0; k < n_; ++k)
              loop_.start_[k] = loop_.x_[k] = point_.values[loop_.unknowns_[k]];
            if (loop_.newton(point_, failure)) return true;
            length = before / 2;  // too far from the solution
            if (length < kSmallestStep) return false;
            continue;
          }
          break;
        }
        length /= 2;
      }
      z = next;
      if (norm(z) > kFarAway) return false;
    }
    return false;
  }

 private:
  /// Corrects z to the curve, normal to the tangent. The number of corrections; -1: no convergence.
  int correct(std::vector<double>& z, const std::vector<double>& tangent) {
    std::vector<double> right(n_ + 1);
    double last = 0;
    for (int k = 0; k < kCorrections; ++k) {
      if (!residual(z, right) || !factor(z, tangent)) return -1;
      for (double& r : right) r = -r;
      solve(right);
      if (!all_finite(right)) return -1;
      const double size = norm(right);
      if (k > 0 && size > 0.5 * last) return -1;
      last = size;
      for (std::size_t i = 0; i <= n_; ++i) z[i] += right[i];
      if (size <= kOnContinuation * (1 + norm(z))) return k;
    }
    return -1;
  }

  AlgebraicLoopSolver& loop_;
  Point point_;
  std::size_t n_;
  LinearSystem bordered_;
  std::vector<std::uint32_t> positions_;
  std::vector<double> start_;
};

bool AlgebraicLoopSolver::continue_from(const Point& point, const std::vector<double>& guess) {
  for (double direction : {1.0, -1.0}) {
    start_ = guess;
    set(point, guess);
    Continuation curve(*this, point);
    if (curve.begins() && curve.follow(direction)) return true;
  }
  return false;
}

bool AlgebraicLoopSolver::solve_by_continuation(const Point& point, Failure& failure) {
  const std::size_t n = unknowns_.size();
  if (n > kLargest) return false;
  const std::vector<double> guess = start_;  // as the failed attempt left it
  for (const double displacement : kDisplacements) {
    if (displacement != 0 && n > kDisplaced) break;
    std::vector<double> from = guess;
    for (std::size_t k = 0; k < n; ++k)
      from[k] += displacement * nominal_[k] * (0.5 + golden_fraction(static_cast<double>(k + 1)));
    if (!continue_from(point, from)) continue;
    failure = Failure{};
    return true;
  }
  start_ = guess;
  set(point, guess);
  return false;
}

}  // namespace runtime
