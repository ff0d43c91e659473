// Pivots of large sparse systems: which entries are brought to the diagonal, and that pivots are replaced
// when they become bad.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "runtime/linear/linear_system.h"
#include "runtime/linear/weighted_matching.h"

using namespace runtime;

namespace {

struct Matrix {
  SparsePattern pattern;
  std::vector<double> values;
};

Matrix matrix_of(std::size_t n, const std::vector<Entry>& entries, const std::vector<double>& values) {
  std::vector<std::uint32_t> positions;
  Matrix m{compress(n, entries, positions), {}};
  m.values.assign(m.pattern.nonzeros(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) m.values[positions[k]] = values[k];
  return m;
}

/// The logarithm of the product of the absolute values on the diagonal, or nothing if the rows are not a
/// permutation.
std::optional<double> product(const Matrix& m, const std::vector<std::int64_t>& chosen) {
  std::vector<bool> used(m.pattern.n, false);
  double sum = 0;
  for (std::size_t c = 0; c < m.pattern.n; ++c) {
    if (chosen[c] < m.pattern.starts[c] || chosen[c] >= m.pattern.starts[c + 1]) return std::nullopt;
    const auto row = static_cast<std::size_t>(m.pattern.rows[static_cast<std::size_t>(chosen[c])]);
    if (used[row]) return std::nullopt;
    used[row] = true;
    sum += std::log(std::abs(m.values[static_cast<std::size_t>(chosen[c])]));
  }
  return sum;
}

/// The largest product of all permutations; nothing if the pattern has none.
std::optional<double> largest_product(const Matrix& m) {
  std::vector<std::size_t> rows(m.pattern.n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::optional<double> best;
  do {
    std::vector<std::int64_t> chosen(m.pattern.n, -1);
    for (std::size_t c = 0; c < m.pattern.n; ++c)
      for (std::int64_t k = m.pattern.starts[c]; k < m.pattern.starts[c + 1]; ++k)
        if (m.pattern.rows[static_cast<std::size_t>(k)] == static_cast<std::int64_t>(rows[c])) chosen[c] = k;
    if (const auto found = product(m, chosen); found && (!best || *found > *best)) best = found;
  } while (std::ranges::next_permutation(rows).found);
  return best;
}

/// Per cell of an m by m grid two unknowns, which a rotation by `angle` joins; the neighbours act on both.
/// At a right angle the diagonal is zero.
Matrix rotations(std::uint32_t m, double angle) {
  std::vector<Entry> entries;
  std::vector<double> values;
  auto add = [&](std::uint32_t row, std::uint32_t column, double value) {
    entries.push_back({row, column});
    values.push_back(value);
  };
  for (std::uint32_t k = 0; k < m * m; ++k) {
    add(2 * k, 2 * k, std::cos(angle));
    add(2 * k, 2 * k + 1, -std::sin(angle));
    add(2 * k + 1, 2 * k, std::sin(angle));
    add(2 * k + 1, 2 * k + 1, std::cos(angle));
    auto neighbour = [&](bool there, std::uint32_t other) {
      for (std::uint32_t i = 0; i < 2 && there; ++i) add(2 * k + i, 2 * other + i, 0.1);
    };
    neighbour(k % m > 0, k - 1);
    neighbour(k % m < m - 1, k + 1);
    neighbour(k >= m, k - m);
    neighbour(k < m * m - m, k + m);
  }
  return matrix_of(2 * m * m, entries, values);
}

/// The largest residual of a solution relative to its terms.
double solution_error(LinearSystem& system, std::mt19937& random) {
  const SparsePattern& pattern = system.pattern();
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> right(pattern.n), scale(pattern.n, 0.0);
  for (double& v : right) v = uniform(random);
  std::vector<double> x = right;
  system.solve(x.data());
  for (std::size_t c = 0; c < pattern.n; ++c)
    for (auto k = static_cast<std::size_t>(pattern.starts[c]);
         k < static_cast<std::size_t>(pattern.starts[c + 1]); ++k) {
      const auto row = static_cast<std::size_t>(pattern.rows[k]);
      right[row] -= system.values()[k] * x[c];
      scale[row] += std::abs(system.values()[k] * x[c]);
    }
  double worst = 0;
  for (std::size_t i = 0; i < pattern.n; ++i) worst = std::max(worst, std::abs(right[i]) / scale[i]);
  return worst;
}

}  // namespace

TEST_CASE("the matching of random matrices has the largest product of all permutations") {
  std::mt19937 random(11);
  int singular = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 1 + random() % 6;
    std::vector<Entry> entries;
    std::vector<double> values;
    for (std::uint32_t r = 0; r < n; ++r)
      for (std::uint32_t c = 0; c < n; ++c)
        if (random() % 5 < 3) {
          entries.push_back({r, c});
          values.push_back(std::pow(10.0, static_cast<double>(random() % 13) - 6));
        }
    const Matrix m = matrix_of(n, entries, values);
    const std::vector<double> ones(n, 1.0);
    const auto matched = weighted_matching(m.pattern, m.values, ones);
    const auto best = largest_product(m);
    REQUIRE(matched.has_value() == best.has_value());
    if (!matched) {
      ++singular;
      continue;
    }
    const auto found = product(m, *matched);
    REQUIRE(found);
    CHECK(*found == Approx(*best).margin(1e-9));
  }
  CHECK(singular > 20);
  CHECK(singular < 380);
}

TEST_CASE("rows in any order are matched with their own columns") {
  const Matrix grid = rotations(30, 0.2);
  const std::size_t n = grid.pattern.n;
  std::vector<std::int64_t> place(n);
  std::iota(place.begin(), place.end(), std::int64_t{0});
  std::mt19937 random(5);
  std::ranges::shuffle(place, random);
  std::vector<Entry> entries;
  for (std::uint32_t c = 0; c < n; ++c)
    for (auto k = static_cast<std::size_t>(grid.pattern.starts[c]);
         k < static_cast<std::size_t>(grid.pattern.starts[c + 1]); ++k)
      entries.push_back(
          {static_cast<std::uint32_t>(place[static_cast<std::size_t>(grid.pattern.rows[k])]), c});
  const Matrix shuffled = matrix_of(n, entries, grid.values);
  const auto matched = weighted_matching(shuffled.pattern, shuffled.values, std::vector<double>(n, 1.0));
  REQUIRE(matched);
  for (std::size_t c = 0; c < n; ++c)
    REQUIRE(shuffled.pattern.rows[static_cast<std::size_t>((*matched)[c])] == place[c]);

  LinearSystem system(shuffled.pattern);
  std::ranges::copy(shuffled.values, system.values().begin());
  REQUIRE(system.factor() == LinearSystem::Status::Ok);
  CHECK(system.method() == "multifrontal");
  CHECK(solution_error(system, random) < 1e-14);
}

TEST_CASE("factors of a chain of equal blocks grow with its length, whatever the values are") {
  // The entries of the pattern's own diagonal may be small; pivots of KLU beside them had 28 times the
  // entries.
  constexpr std::uint32_t kSize = 8;
  int factorised = 0;
  std::array<double, 2> all{};
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::array<std::size_t, 2> factor_entries{};
    for (const std::uint32_t blocks : {100u, 400u}) {
      std::mt19937 random(seed);
      std::vector<std::uint32_t> largest(kSize);  // the column of each row's largest entry
      std::iota(largest.begin(), largest.end(), 0u);
      std::ranges::shuffle(largest, random);
      std::vector<Entry> entries;
      std::vector<double> values;
      for (std::uint32_t row = 0; row < kSize; ++row)
        for (std::uint32_t column = 0; column < 3 * kSize; ++column) {  // the block before, its own, the next
          const bool is_largest = column == kSize + largest[row];
          if (random() % 8 != 0 && !is_largest) continue;
          const double value = is_largest ? 1 : std::pow(10.0, -static_cast<double>(random() % 5));
          for (std::uint32_t k = 0; k < blocks; ++k) {
            const std::uint32_t c = kSize * k + column;
            if (c < kSize || c >= kSize * (blocks + 1)) continue;
            entries.push_back({kSize * k + row, c - kSize});
            values.push_back(value);
          }
        }
      const Matrix chain = matrix_of(kSize * blocks, entries, values);
      LinearSystem system(chain.pattern);
      std::ranges::copy(chain.values, system.values().begin());
      if (system.factor() != LinearSystem::Status::Ok) continue;
      factor_entries[blocks / 400] = system.factor_entries();
      CHECK(solution_error(system, random) < 1e-6);  // before refinement
    }
    CHECK(factor_entries[1] <= 4.6 * static_cast<double>(factor_entries[0]));
    all[0] += static_cast<double>(factor_entries[0]);
    all[1] += static_cast<double>(factor_entries[1]);
    factorised += factor_entries[1] > 0;
  }
  CHECK(factorised > 100);
  CHECK(all[1] <= 4.1 * all[0]);
}

TEST_CASE("pivots that go through zero are replaced, and kept otherwise") {
  constexpr double kRightAngle = 1.5707963267948966;
  for (const std::uint32_t m : {4u, 30u}) {  // factors by rows, and by fronts
    LinearSystem system(rotations(m, 0).pattern, 0);
    std::mt19937 random(2);
    for (int step = 0; step <= 40; ++step) {
      const Matrix now = rotations(m, kRightAngle * step / 20);
      std::ranges::copy(now.values, system.values().begin());
      REQUIRE(system.factor() == LinearSystem::Status::Ok);
      CHECK(solution_error(system, random) < 1e-13);
    }
    CHECK(system.pivot_choices() >= 2);
    CHECK(system.pivot_choices() <= 6);
  }
}
