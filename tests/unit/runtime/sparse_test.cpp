#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/linear/linear_system.h"

using namespace runtime;

namespace {

SparsePattern random_pattern(std::mt19937& random, std::size_t n) {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < n; ++i) {
    entries.push_back({i, i});
    for (int k = 0; k < 3; ++k) entries.push_back({static_cast<std::uint32_t>(random() % n), i});
  }
  std::vector<std::uint32_t> positions;
  return compress(n, entries, positions);
}

}  // namespace

TEST_CASE("compress sorts, merges and gives positions") {
  std::vector<std::uint32_t> positions;
  const std::vector<Entry> entries = {{2, 0}, {0, 0}, {1, 2}, {2, 0}, {0, 1}};
  const SparsePattern pattern = compress(3, entries, positions);
  CHECK(pattern.starts == std::vector<std::int64_t>{0, 2, 3, 4});
  CHECK(pattern.rows == std::vector<std::int64_t>{0, 2, 0, 1});
  CHECK(positions == std::vector<std::uint32_t>{1, 0, 3, 1, 2});
}

TEST_CASE("KLU and dense agree") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 60;
    const SparsePattern pattern = random_pattern(random, n);
    LinearSystem dense(pattern, 1000), klu(pattern, 0);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int round = 0; round < 3; ++round) {  // the second and third reuse the pivot order
      for (std::size_t c = 0; c < n; ++c)
        for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
          dense.values()[k] = klu.values()[k] =
              uniform(random) + (pattern.rows[k] == std::int64_t(c) ? random() % 2 ? 5 : -5 : 0);
      REQUIRE(dense.factor() == LinearSystem::Status::Ok);
      REQUIRE(klu.factor() == LinearSystem::Status::Ok);
      CHECK(klu.determinant_sign() == dense.determinant_sign());
      std::vector<double> a(n), b(n);
      for (std::size_t i = 0; i < n; ++i) a[i] = b[i] = uniform(random);
      dense.solve(a.data());
      klu.solve(b.data());
      for (std::size_t i = 0; i < n; ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-11).margin(1e-12));
    }
  }
}

TEST_CASE("sparse solutions satisfy their equations") {
  auto pattern_of = [](std::size_t n, auto&& neighbours) {
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < n; ++i) {
      entries.push_back({i, i});
      for (std::uint32_t j : neighbours(i))
        if (j < n) entries.push_back({i, j});
    }
    std::vector<std::uint32_t> positions;
    return compress(n, entries, positions);
  };
  using List = std::vector<std::uint32_t>;
  const SparsePattern patterns[] = {
      pattern_of(1600,
                 [](std::uint32_t i) {
                   return List{i - 40, i % 40 ? i - 1 : i, i % 40 < 39 ? i + 1 : i, i + 40};
                 }),  // a grid: fill-in
      pattern_of(800,
                 [](std::uint32_t i) {  // two grids, of which the first needs the second: blocks that fill
                                        // in, and what is above them
                   const std::uint32_t k = i % 400, other = i < 400 ? i + 400 - k % 3 : i;
                   return List{k >= 20 ? i - 20 : i, k % 20 ? i - 1 : i, k % 20 < 19 ? i + 1 : i,
                               k < 380 ? i + 20 : i, other};
                 }),
      pattern_of(300,
                 [](std::uint32_t i) {
                   return List{i * 7 % 300, i * i % 299, (i + 150) % 300, (i * 13 + 5) % 300};
                 }),                                                        // unsymmetric
      pattern_of(500, [](std::uint32_t i) { return List{i + 1, i + 7}; }),  // triangular: blocks of one
      pattern_of(
          500,
          [](std::uint32_t i) { return List{i / 5 * 5 + (i + 1) % 5, i + 5}; }),  // blocks of five in a chain
      pattern_of(500, [](std::uint32_t i) { return List{0, 499 - i}; }),
  };
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const SparsePattern& pattern : patterns) {
    LinearSystem system(pattern, 0);
    for (int round = 0; round < 4; ++round) {
      for (std::size_t c = 0; c < pattern.n; ++c)
        for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
          system.values()[k] =
              std::pow(10.0, static_cast<double>(pattern.rows[k] % 9) - 4) *  // rows in different units
              (uniform(random) + (pattern.rows[k] == std::int64_t(c) ? 6 : 0));
      if (round == 2)  // the diagonal, with the pivots, becomes small where there is a choice
        for (std::size_t c = 0; c < pattern.n; ++c)
          for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
            if (pattern.starts[c + 1] - pattern.starts[c] > 3 && pattern.rows[k] == std::int64_t(c))
              system.values()[k] *= 1e-14;
      REQUIRE(system.factor() == LinearSystem::Status::Ok);
      if (&pattern == &patterns[0]) CHECK(system.method() == "multifrontal");
      if (&pattern == &patterns[3]) CHECK(system.method() == "sparse rows");
      std::vector<double> wanted(pattern.n), x(pattern.n, 0.0), scale(pattern.n, 0.0);
      for (double& v : wanted) v = uniform(random);
      for (std::size_t c = 0; c < pattern.n; ++c)
        for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
          x[pattern.rows[k]] += system.values()[k] * wanted[c];
      const std::vector<double> right = x;
      system.solve(x.data());
      std::vector<double> residual = right;
      for (std::size_t c = 0; c < pattern.n; ++c)
        for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k) {
          residual[pattern.rows[k]] -= system.values()[k] * x[c];
          scale[pattern.rows[k]] += std::abs(system.values()[k] * x[c]);
        }
      double worst = 0;
      for (std::size_t i = 0; i < pattern.n; ++i) worst = std::max(worst, std::abs(residual[i]) / scale[i]);
      CHECK(worst <= 1e-10);
    }
  }
}

TEST_CASE("the sign of a determinant, by fronts") {
  constexpr std::uint32_t kSide = 24, n = kSide * kSide;  // a grid: fill-in
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < n; ++i)
    for (const std::uint32_t j : {i, i - 1, i + 1, i - kSide, i + kSide})
      if (j < n) entries.push_back({i, j});
  std::vector<std::uint32_t> positions;
  const SparsePattern pattern = compress(n, entries, positions);
  LinearSystem dense(pattern, n), fronts(pattern, 0);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int negative = 0;
  for (int round = 0; round < 12; ++round) {
    for (std::uint32_t c = 0; c < n; ++c)
      for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
        dense.values()[k] = fronts.values()[k] =
            uniform(random) + (pattern.rows[k] == std::int64_t(c) ? random() % 2 ? 3 : -3 : 0);
    REQUIRE(dense.factor() == LinearSystem::Status::Ok);
    REQUIRE(fronts.factor() == LinearSystem::Status::Ok);
    CHECK(fronts.determinant_sign() == dense.determinant_sign());
    negative += fronts.determinant_sign() < 0;
  }
  CHECK(fronts.method() == "multifrontal");
  CHECK(negative > 0);
  CHECK(negative < 12);
}

TEST_CASE("rows are exchanged more than once") {
  // x1 - 2 x2 = 0, x2 + x0 = 7, x0 - 3 x1 = 0: the solution is 6, 2, 1.
  for (std::size_t limit : {std::size_t(0), std::size_t(100)}) {
    std::vector<std::uint32_t> positions;
    const std::vector<Entry> entries = {{0, 1}, {0, 2}, {1, 2}, {1, 0}, {2, 0}, {2, 1}};
    LinearSystem system(compress(3, entries, positions), limit);
    const double values[] = {1, -2, 1, 1, 1, -3};
    for (std::size_t k = 0; k < 6; ++k) system.values()[positions[k]] = values[k];
    REQUIRE(system.factor() == LinearSystem::Status::Ok);
    double x[] = {0, 7, 0};
    system.solve(x);
    CHECK(x[0] == Approx(6));
    CHECK(x[1] == Approx(2));
    CHECK(x[2] == Approx(1));
  }
}

TEST_CASE("singular matrices are detected") {
  for (std::size_t limit : {std::size_t(0), std::size_t(100)}) {
    std::vector<std::uint32_t> positions;
    const std::vector<Entry> entries = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 2}};
    LinearSystem system(compress(3, entries, positions), limit);
    auto set = [&](double a, double b, double c, double d, double e) {
      const double values[] = {a, b, c, d, e};
      for (std::size_t k = 0; k < 5; ++k) system.values()[positions[k]] = values[k];
    };
    set(0.1, 0.2, 0.3, 0.6, 1);  // singular up to rounding only
    CHECK(system.factor() == LinearSystem::Status::Singular);
    CHECK(system.singular_column() < 2);
    set(1, 2, 3, 4, 0);
    CHECK(system.factor() == LinearSystem::Status::Singular);
    CHECK(system.singular_column() == 2);
    set(1, 2, 3, 4, std::nan(""));
    CHECK(system.factor() == LinearSystem::Status::NotFinite);
    set(1e-9, 2e-9, 3e5, 4e5, 1e-12);  // only badly scaled
    CHECK(system.factor() == LinearSystem::Status::Ok);
  }
}
