#include "runtime/linear/ordering.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "runtime/linear/elimination_tree.h"
#include "runtime/linear/linear_system.h"

using namespace runtime;

namespace {

/// Side × side points, each with its neighbours.
SparsePattern grid(std::uint32_t side) {
  std::vector<Entry> entries;
  for (std::uint32_t j = 0; j < side; ++j)
    for (std::uint32_t i = 0; i < side; ++i) {
      const std::uint32_t k = j * side + i;
      entries.push_back({k, k});
      if (i + 1 < side) {
        entries.push_back({k, k + 1});
        entries.push_back({k + 1, k});
      }
      if (j + 1 < side) {
        entries.push_back({k, k + side});
        entries.push_back({k + side, k});
      }
    }
  std::vector<std::uint32_t> positions;
  return compress(side * side, entries, positions);
}

/// Symbolic elimination by definition: the neighbours of an eliminated unknown become neighbours.
std::pair<std::int64_t, double> by_hand(const SparsePattern& pattern,
                                        const std::vector<std::int64_t>& order) {
  std::vector<std::set<std::int64_t>> neighbours(pattern.n);
  for (std::size_t c = 0; c < pattern.n; ++c)
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      if (const std::int64_t r = pattern.rows[k]; r != static_cast<std::int64_t>(c)) {
        neighbours[c].insert(r);
        neighbours[r].insert(static_cast<std::int64_t>(c));
      }
  std::pair<std::int64_t, double> result{0, 0};
  for (std::int64_t k : order) {
    const std::set<std::int64_t> around = neighbours[k];
    result.first += static_cast<std::int64_t>(around.size()) + 1;
    result.second += static_cast<double>(around.size() * around.size());
    for (std::int64_t a : around) {
      neighbours[a].erase(k);
      for (std::int64_t b : around)
        if (a != b) neighbours[a].insert(b);
    }
  }
  return result;
}

bool is_order(std::vector<std::int64_t> order, std::size_t n) {
  std::ranges::sort(order);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] != static_cast<std::int64_t>(k)) return false;
  return order.size() == n;
}

}  // namespace

TEST_CASE("the cost of an order agrees with symbolic elimination") {
  std::mt19937 random(7);
  for (std::uint32_t n : {1u, 2u, 13u, 60u}) {
    auto draw = [&] { return static_cast<std::uint32_t>(random() % n); };
    std::vector<Entry> entries;
    for (std::uint32_t k = 0; k < n; ++k) entries.push_back({k, k});
    for (std::uint32_t k = 0; k < 3 * n; ++k) entries.push_back({draw(), draw()});
    std::vector<std::uint32_t> positions;
    const SparsePattern pattern = compress(n, entries, positions);
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::shuffle(order.begin(), order.end(), random);
    const auto [expected, multiplications] = by_hand(pattern, order);
    const EliminationOrder cost = elimination_cost(pattern.starts, pattern.rows, order);
    CHECK(cost.entries == expected);
    CHECK(cost.multiplications == multiplications);
    const EliminationOrder amd = elimination_order(pattern.starts, pattern.rows, Ordering::Amd);
    CHECK(is_order(amd.order, n));
    CHECK(amd.entries == by_hand(pattern, amd.order).first);
  }
}

TEST_CASE("trees are eliminated without fill, from all leaves at once, and small matrices are left to AMD") {
  std::vector<Entry> entries;
  for (std::uint32_t k = 0; k < 1000; ++k) {
    entries.push_back({k, k});
    if (k > 0) entries.push_back({k, k - 1});
  }
  std::vector<std::uint32_t> positions;
  const SparsePattern chain = compress(1000, entries, positions);
  const EliminationOrder order = elimination_order(chain.starts, chain.rows, Ordering::Auto);
  CHECK(order.by == Ordering::Leaves);
  CHECK(is_order(order.order, 1000));
  CHECK(order.entries == 1999);
  for (std::uint32_t k = 0; k < 1000; ++k)
    CHECK(order.order[k] == (k % 2 == 0 ? k / 2 : 999 - k / 2));  // from both ends
  CHECK(elimination_order(chain.starts, chain.rows, Ordering::Amd).by == Ordering::Amd);

  std::mt19937 random(7);  // random trees, several beside each other, numbered at random
  std::vector<std::uint32_t> name(500);
  std::iota(name.begin(), name.end(), 0u);
  std::ranges::shuffle(name, random);
  std::uint32_t roots = 0;
  entries.clear();
  for (std::uint32_t k = 0; k < 500; ++k) {
    entries.push_back({name[k], name[k]});
    const std::uint32_t parent = static_cast<std::uint32_t>(random() % (k + 1));
    if (parent == k)
      ++roots;
    else if (random() % 2)
      entries.push_back({name[k], name[parent]});
    else
      entries.push_back({name[parent], name[k]});
  }
  const SparsePattern trees = compress(500, entries, positions);
  const EliminationOrder leaves = elimination_order(trees.starts, trees.rows, Ordering::Auto);
  CHECK(leaves.by == Ordering::Leaves);
  CHECK(is_order(leaves.order, 500));
  CHECK(leaves.entries == 2 * 500 - roots);

  const SparsePattern square = grid(30);
  CHECK(elimination_order(square.starts, square.rows, Ordering::Auto).by == Ordering::Amd);
}

TEST_CASE("chains of several unknowns to a link are eliminated from both ends") {
  constexpr std::uint32_t kLinks =
      400;  // positions depend on rates, rates on positions and rates of the link and its neighbours
  std::mt19937 random(11);
  std::vector<std::uint32_t> name(2 * kLinks), link(2 * kLinks);
  std::iota(name.begin(), name.end(), 0u);
  std::ranges::shuffle(name, random);
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    const std::uint32_t position = name[2 * i], rate = name[2 * i + 1];
    link[position] = link[rate] = i;
    entries.push_back({position, position});
    entries.push_back({position, rate});
    for (std::uint32_t j = i > 0 ? i - 1 : 0; j <= std::min(i + 1, kLinks - 1); ++j) {
      entries.push_back({rate, name[2 * j]});
      entries.push_back({rate, name[2 * j + 1]});
    }
  }
  std::vector<std::uint32_t> positions;
  const SparsePattern chain = compress(2 * kLinks, entries, positions);
  const EliminationOrder order = elimination_order(chain.starts, chain.rows, Ordering::Auto);
  CHECK(order.by == Ordering::Ends);
  CHECK(is_order(order.order, 2 * kLinks));
  const std::int64_t present =
      2 * kLinks + kLinks + 3 * (kLinks - 1);  // the diagonal, couplings within and between links
  CHECK(order.entries <= present + 2);         // where both ends meet
  CHECK(order.entries == by_hand(chain, order.order).first);
  std::uint32_t lowest = kLinks, highest = 0;  // the middle comes last
  for (std::size_t k = kLinks; k < 2 * kLinks; ++k) {
    lowest = std::min(lowest, link[static_cast<std::size_t>(order.order[k])]);
    highest = std::max(highest, link[static_cast<std::size_t>(order.order[k])]);
  }
  CHECK(lowest >= kLinks / 4 - 2);
  CHECK(highest <= 3 * kLinks / 4 + 2);
}

TEST_CASE("nested dissection of a grid, where METIS is installed") {
  const SparsePattern square = grid(60);
  const EliminationOrder order = elimination_order(square.starts, square.rows, Ordering::Metis);
  CHECK(is_order(order.order, square.n));
  if (order.by != Ordering::Metis) return;
  // Less than twice what separators of the exact size would give, 31 n log2(n) / 4 entries: not a bad order
  // by mistake.
  CHECK(static_cast<double>(order.entries) < 31.0 / 4 * 3600 * std::log2(3600.0));
  const EliminationOrder again = elimination_order(square.starts, square.rows, Ordering::Metis);
  CHECK(again.order == order.order);
}

TEST_CASE("factors in any order solve the same system") {
  const SparsePattern square = grid(40);
  std::mt19937 dice(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> wanted(square.n), right(square.n, 0.0);
  for (double& v : wanted) v = uniform(dice);
  for (Ordering ordering : {Ordering::Auto, Ordering::Amd, Ordering::Metis}) {
    LinearSystem system(square, 0, ordering);
    for (int round = 0; round < 3; ++round) {
      right.assign(square.n, 0.0);
      for (std::size_t c = 0; c < square.n; ++c)
        for (std::int64_t k = square.starts[c]; k < square.starts[c + 1]; ++k) {
          system.values()[k] = uniform(dice) + (square.rows[k] == static_cast<std::int64_t>(c) ? 6 : 0);
          right[square.rows[k]] += system.values()[k] * wanted[c];
        }
      REQUIRE(system.factor() == LinearSystem::Status::Ok);
      system.solve(right.data());
      for (std::size_t i = 0; i < square.n; ++i) REQUIRE(right[i] == Approx(wanted[i]).margin(1e-12));
    }
    if (ordering == Ordering::Amd) CHECK(system.ordered_by() == Ordering::Amd);
  }
}

TEST_CASE("pivots that touch the same unknowns and not each other share a front") {
  // 40 positions whose rates are unknowns 40 to 79, and forces between all of them: I - c J of the equations
  // of motion. One front for the positions instead of one for each, whose contributions to the front of the
  // rates take longer than all else.
  constexpr std::uint32_t kHalf = 40, kAll = 2 * kHalf;
  const Lists earlier = lists(kAll, [&](auto use) {
    for (std::uint32_t k = kHalf; k < kAll; ++k)
      for (std::uint32_t i = 0; i < k; ++i) use(k, i);
  });
  const EliminationTree tree = elimination_tree(earlier);
  CHECK(tree.parent[0] == kHalf);
  CHECK(tree.parent[kHalf - 1] == kHalf);
  const std::vector<PivotGroup> groups = relaxed_supernodes(tree);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].end == kHalf);

  std::vector<Entry> entries;
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < kHalf; ++i) {
    entries.push_back({i, i});
    entries.push_back({i, i + kHalf});
    for (std::uint32_t j = 0; j < kAll; ++j) entries.push_back({i + kHalf, j});
  }
  const SparsePattern pattern = compress(kAll, entries, positions);
  LinearSystem fronts(pattern, 0), dense(pattern, 1000);
  std::mt19937 dice(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t c = 0; c < kAll; ++c)
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      fronts.values()[k] = dense.values()[k] =
          pattern.rows[k] == static_cast<std::int64_t>(c) ? 9 : uniform(dice) / 2;
  REQUIRE(fronts.factor() == LinearSystem::Status::Ok);
  REQUIRE(dense.factor() == LinearSystem::Status::Ok);
  CHECK(fronts.method() == "multifrontal");
  std::vector<double> a(kAll), b(kAll);
  for (std::size_t i = 0; i < kAll; ++i) a[i] = b[i] = uniform(dice);
  fronts.solve(a.data());
  dense.solve(b.data());
  for (std::size_t i = 0; i < kAll; ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-11).margin(1e-12));
}

TEST_CASE("orders have names") {
  CHECK(ordering_named("metis") == Ordering::Metis);
  CHECK(ordering_named("amd") == Ordering::Amd);
  CHECK(ordering_named("auto") == Ordering::Auto);
  CHECK_FALSE(ordering_named("best"));
}
