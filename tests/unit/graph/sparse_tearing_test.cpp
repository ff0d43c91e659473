#include "compiler/graph/sparse_tearing.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

bool always(std::uint32_t, std::uint32_t) { return true; }

Torn tear(const Bipartite& g, const Tearing::Solvable& solvable = always, std::vector<bool> keep = {}) {
  Bipartite columns = transpose(g);
  std::vector<std::uint32_t> all(g.rows());
  std::iota(all.begin(), all.end(), 0u);
  keep.resize(g.columns, false);
  return SparseTearing(g, columns).tear(all, all, solvable, keep);
}

/// Every solved equation needs torn and earlier variables only; nothing is lost or twice.
void check(const Bipartite& g, const Tearing::Solvable& solvable, const Torn& t) {
  std::set<std::uint32_t> known(t.torn.begin(), t.torn.end()),
      equations(t.residual_equations.begin(), t.residual_equations.end());
  REQUIRE(known.size() == t.torn.size());
  REQUIRE(t.torn.size() == t.residual_equations.size());
  for (std::size_t k = 0; k < t.solved_equations.size(); ++k) {
    const std::uint32_t e = t.solved_equations[k], v = t.solved_variables[k];
    REQUIRE(solvable(e, v));
    REQUIRE(std::ranges::count(g.row(e), v) == 1);
    for (std::uint32_t input : g.row(e))
      if (input != v) REQUIRE(known.contains(input));
    REQUIRE(known.insert(v).second);
    REQUIRE(equations.insert(e).second);
  }
  REQUIRE(known.size() == g.columns);
  REQUIRE(equations.size() == g.rows());
}

/// n by n nodes, between neighbours a resistor: u = v - w, u = R i. One node is the ground, so that the
/// system is square.
Bipartite mesh(std::uint32_t n) {
  std::uint32_t columns = n * n - 1;
  std::vector<std::vector<std::uint32_t>> nodes(n * n);
  Rows rows;
  auto resistor = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t u = columns++, i = columns++;
    rows.push_back({u});
    for (std::uint32_t node : {a, b})
      if (node > 0) rows.back().push_back(node - 1);
    rows.push_back({u, i});
    nodes[a].push_back(i);
    nodes[b].push_back(i);
  };
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x) {
      if (x + 1 < n) resistor(y * n + x, y * n + x + 1);
      if (y + 1 < n) resistor(y * n + x, y * n + n + x);
    }
  for (std::uint32_t k = 1; k < n * n; ++k) rows.push_back(nodes[k]);
  return make(rows, columns);
}

}  // namespace

TEST_CASE("a mesh of resistors is left with about a potential per node") {
  Bipartite g = mesh(12);
  Torn t = tear(g);
  check(g, always, t);
  CHECK(t.torn.size() < 160);  // of 671: a few at the rim are currents instead
}

TEST_CASE("a mesh of nonlinear resistors is left with one potential per node") {
  // i = f(u) is solved for i alone; columns of u and i alternate behind those of the potentials.
  constexpr std::uint32_t n = 12, potentials = n * n - 1;
  Bipartite g = mesh(n);
  auto solvable = [&](std::uint32_t e, std::uint32_t v) {
    const auto row = g.row(e);
    const bool is_law =
        row.size() == 2 && row[0] >= potentials && row[1] == row[0] + 1 && (row[0] - potentials) % 2 == 0;
    return !is_law || v == row[1];
  };
  Torn t = tear(g, solvable);
  check(g, solvable, t);
  CHECK(t.torn.size() <= potentials);
  // At a corner, where two resistors are in series, a voltage does as well.
  CHECK(std::ranges::count_if(t.torn, [](std::uint32_t v) { return v >= potentials; }) <= 3);
}

TEST_CASE("sparse tearing of random systems is causal") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t n = 1 + random() % 40;
    Bipartite g = random_graph(random, n, n, std::min(1.0, 2.5 / n));
    std::vector<bool> keep(n);
    for (std::uint32_t v = 0; v < n; ++v) keep[v] = random() % 4 == 0;
    const std::uint32_t salt = static_cast<std::uint32_t>(random());
    auto solvable = [&](std::uint32_t e, std::uint32_t v) {
      return (e * 2654435761u + v * 40503u + salt) % 3 != 0;
    };
    check(g, solvable, tear(g, solvable, keep));
  }
}

TEST_CASE("a large mesh is torn as a small one is") {
  Bipartite g = mesh(250);
  Torn t = tear(g);
  CHECK(t.torn.size() < 1.02 * 250 * 250);
  CHECK(t.torn.size() == t.residual_equations.size());
}
