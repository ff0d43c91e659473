// The power method on matrices with known eigenvalues.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/linear/spectral_radius.h"

using namespace runtime;

namespace {

/// The pattern and the values of a matrix given by its entries.
struct Sparse {
  SparsePattern pattern;
  std::vector<double> values;

  Sparse(std::size_t n, const std::vector<Entry>& entries, const std::vector<double>& given) {
    std::vector<std::uint32_t> positions;
    pattern = compress(n, entries, positions);
    values.assign(pattern.nonzeros(), 0.0);
    for (std::size_t k = 0; k < given.size(); ++k) values[positions[k]] += given[k];
  }
};

}  // namespace

TEST_CASE("the spectral radius of a heated rod, of an oscillator, of a stiff pair, of nothing") {
  const std::size_t n = 50;
  std::vector<Entry> entries;
  std::vector<double> given;
  for (std::uint32_t k = 0; k < n; ++k) {
    entries.push_back({k, k}), given.push_back(-2);
    if (k > 0) entries.push_back({k, k - 1}), given.push_back(1);
    if (k + 1 < n) entries.push_back({k, k + 1}), given.push_back(1);
  }
  const Sparse rod(n, entries, given);
  const double exact = 2 + 2 * std::cos(std::acos(-1.0) / double(n + 1));
  SpectralRadius of_rod;
  const double first = of_rod.estimate(rod.pattern, rod.values);
  CHECK(first == Approx(exact).epsilon(0.1));
  CHECK(first <= exact * (1 + 1e-12));
  for (int k = 0; k < 20; ++k) of_rod.estimate(rod.pattern, rod.values);
  CHECK(of_rod.estimate(rod.pattern, rod.values) == Approx(exact).epsilon(0.02));

  // x' = v, v' = -w^2 x, badly scaled: eigenvalues are ± i w.
  for (const double w : {1e-3, 1.0, 300.0}) {
    const Sparse oscillator(2, {{0, 1}, {1, 0}}, {1, -w * w});
    CHECK(SpectralRadius().estimate(oscillator.pattern, oscillator.values) == Approx(w).epsilon(1e-9));
  }
  const Sparse stiff(2, {{0, 0}, {0, 1}, {1, 1}}, {-1e6, 5, -1});
  CHECK(SpectralRadius().estimate(stiff.pattern, stiff.values) == Approx(1e6).epsilon(1e-6));
  const Sparse nothing(2, {{0, 1}}, {1});
  CHECK(SpectralRadius().estimate(nothing.pattern, nothing.values) == 0);
}

TEST_CASE("a mode that nothing couples to a faster one is seen when it becomes faster") {
  Sparse two(2, {{0, 0}, {1, 1}}, {-100, -1});
  SpectralRadius radius;
  for (int k = 0; k < 100; ++k) CHECK(radius.estimate(two.pattern, two.values) == Approx(100).epsilon(1e-6));
  const Sparse after(2, {{0, 0}, {1, 1}}, {-100, -1e6});
  CHECK(radius.estimate(after.pattern, after.values) == Approx(1e6).epsilon(1e-3));
}

TEST_CASE("waves, with and without damping, and what is stiff besides") {
  auto oscillator = [](double w, double damping) {
    return Sparse(2, {{0, 1}, {1, 0}, {1, 1}}, {1, -w * w, -2 * damping * w});
  };
  for (const double w : {1e-3, 1.0, 300.0}) {
    const Sparse undamped = oscillator(w, 0), hardly = oscillator(w, 0.02), damped = oscillator(w, 0.5);
    CHECK(oscillates(undamped.pattern, undamped.values));
    CHECK(oscillates(hardly.pattern, hardly.values));
    CHECK_FALSE(oscillates(damped.pattern, damped.values));
  }
  // The largest eigenvalues decide: an oscillator of frequency 1 beside one that decays by 10 or by 1/100.
  const Sparse stiff(3, {{0, 1}, {1, 0}, {2, 2}}, {1, -1, -10}),
      slow(3, {{0, 1}, {1, 0}, {2, 2}}, {1, -1, -0.01});
  CHECK_FALSE(oscillates(stiff.pattern, stiff.values));
  CHECK(oscillates(slow.pattern, slow.values));
  const Sparse nothing(2, {{0, 1}}, {1});
  CHECK_FALSE(oscillates(nothing.pattern, nothing.values));
}
