// Solutions of linear systems by their invariant subspaces, and the first fall of a sum of exponentials,
// against Taylor series in small steps and dense samples.
#include <algorithm>
#include <cmath>

#include "runtime/components/exponential_sum.h"
#include "runtime/components/spectrum.h"
#include "tests/property/property.h"

using namespace runtime;
using property::Choices;

namespace {

double unit(Choices& choices) { return static_cast<double>(choices.below(2001)) / 1000 - 1; }

/// x' = f + A (x - x0): random, with zeros, equal and nearly equal eigenvalues, chains of integrators, and
/// states that settle a thousand times as quickly as others.
struct Affine {
  std::size_t n;
  std::vector<double> matrix, rates;

  explicit Affine(Choices& choices) : n(1 + choices.below(4)), matrix(n * n), rates(n) {
    const std::uint32_t kind = choices.below(5);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = entry(kind, i, j, choices);
      rates[i] = unit(choices);
    }
    if (kind == 4)  // the last state is the quick one
      for (std::size_t j = 0; j < n; ++j) matrix[(n - 1) * n + j] *= j + 1 == n ? 1000 : 10;
  }

  double entry(std::uint32_t kind, std::size_t i, std::size_t j, Choices& choices) const {
    const double x = unit(choices);
    if (kind == 0) return 2 * x;                                   // any
    if (kind == 1) return j == i + 1 ? 1.0 : 0.0;                  // integrators
    if (kind == 2) return j == i ? -1.0 : j + 1 == i ? 1.0 : 0.0;  // equal eigenvalues
    if (kind == 3) return j == i ? -1.0 + 1e-5 * x : j + 1 == i ? 1.0 : 0.0;
    return i == j ? -1.5 : x / 2;
  }

  /// x(s) - x0 by the series, in steps h with |A| h below 1/2.
  std::vector<double> displacement(double s) const {
    double norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < n; ++j) row += std::abs(matrix[i * n + j]);
      norm = std::max(norm, row);
    }
    const int steps = static_cast<int>(2 * s * norm) + 1;
    std::vector<double> x(n, 0.0), term(n), next(n);
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        term[i] = rates[i];
        for (std::size_t j = 0; j < n; ++j) term[i] += matrix[i * n + j] * x[j];
        term[i] *= s / steps;
      }
      for (int k = 2; k < 20; ++k) {
        for (std::size_t i = 0; i < n; ++i) x[i] += term[i];
        for (std::size_t i = 0; i < n; ++i) {
          next[i] = 0;
          for (std::size_t j = 0; j < n; ++j) next[i] += matrix[i * n + j] * term[j] * (s / steps / k);
        }
        term = next;
      }
    }
    return x;
  }
};

}  // namespace

TEST_CASE("Solutions of affine systems are those of their Taylor series") {
  property::holds(
      [] {
        Choices choices(*property::decisions());
        const Affine system(choices);
        const Spectrum spectrum(system.matrix, system.n);
        std::vector<Spectrum::Complex> vectors;
        spectrum.expand(system.rates.data(), vectors);
        std::vector<double> x(system.n);
        for (const double s : {1e-6, 0.3, 1.0, 3.0}) {
          if (s > spectrum.horizon()) continue;
          spectrum.displacement(vectors, s, x.data());
          const std::vector<double> expected = system.displacement(s);
          double largest = 0;
          for (const double e : expected) largest = std::max(largest, std::abs(e));
          for (std::size_t i = 0; i < system.n; ++i)
            RC_ASSERT(std::abs(x[i] - expected[i]) <= 1e-10 * largest);
        }
      },
      {.cases = 500});
}

TEST_CASE("The first fall of a sum of exponentials is the first that samples show") {
  property::holds(
      [] {
        Choices choices(*property::decisions());
        const Affine system(choices);
        const Spectrum spectrum(system.matrix, system.n);
        std::vector<Spectrum::Complex> vectors, terms(spectrum.terms());
        std::vector<double> row(system.n), sizes(spectrum.blocks().size());
        for (double& r : row) r = unit(choices);
        spectrum.expand(system.rates.data(), vectors);
        spectrum.project(row.data(), vectors, terms, sizes);
        const ExponentialSum f(spectrum, 0.2 * unit(choices), terms);
        const double end = std::min(10.0, spectrum.horizon());
        constexpr int kSamples = 2000;
        bool above = f.value(0) >= 0, before = above;
        const std::optional<double> fall = f.first_fall(0, end, 1e-15, above);
        if (fall) {
          RC_ASSERT(f.value(*fall) <= 0);
          RC_ASSERT(f.value(*fall * (1 - 1e-9)) >= -1e-12);
        } else {
          RC_ASSERT(above == (f.value(end) >= 0));
        }
        for (int k = 1; k <= kSamples; ++k) {
          const double s = end * k / kSamples;
          if (fall && s >= *fall) break;
          const bool now = f.value(s) >= -1e-13;
          RC_ASSERT(now || !before);
          before = f.value(s) >= 1e-13;
        }
        // The slope is that of the values.
        const double h = 1e-5, at = end / 3;
        RC_ASSERT(std::abs((f.value(at + h) - f.value(at - h)) / (2 * h) - f.sample(at).slope) <=
                  1e-4 * (1 + std::abs(f.sample(at).slope)));
      },
      {.cases = 500});
}
