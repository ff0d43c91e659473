#include "compiler/graph/tearing.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

struct Published {
  Numbers eSolved, vSolved, eResidue, vTear;
  bool operator==(const Published&) const = default;
};

bool always(std::uint32_t, std::uint32_t) { return true; }

Published tear_published(const Rows& rows, const Numbers& es, const std::vector<Numbers>& vs,
                         const Numbers& eFixed = {}, const Numbers& vFixed = {}) {
  std::uint32_t size = 0;
  for (const auto& row : rows)
    for (std::uint32_t v : row) size = std::max(size, v);
  Bipartite g = make(rows, size, 1), columns = transpose(g);
  std::vector<std::vector<std::uint32_t>> groups;
  for (const Numbers& group : vs) groups.push_back(zero_based(group));
  auto equations = zero_based(es), fixed_equations = zero_based(eFixed), fixed_variables = zero_based(vFixed);
  Torn t = Tearing(g, columns)
               .tear({equations, groups, fixed_equations, fixed_variables}, always, TearingOrder::AsGiven);
  return {one_based(t.solved_equations), one_based(t.solved_variables), one_based(t.residual_equations),
          one_based(t.torn)};
}

Numbers range(std::uint32_t first, std::uint32_t last) {
  Numbers result;
  for (std::uint32_t k = first; k <= last; ++k) result.push_back(k);
  return result;
}

/// Every solved equation needs torn, known and earlier variables only; nothing is lost or twice; no equation
/// that is left could have been solved for a variable that is left without a cycle.
void check_torn(const Bipartite& g, std::span<const std::uint32_t> equations,
                const std::vector<std::vector<std::uint32_t>>& groups, const Tearing::Solvable& solvable,
                const Torn& t) {
  std::set<std::uint32_t> unknown, computed(t.torn.begin(), t.torn.end());
  for (const auto& group : groups) unknown.insert(group.begin(), group.end());
  REQUIRE(t.solved_equations.size() == t.solved_variables.size());
  REQUIRE(t.solved_equations.size() + t.residual_equations.size() == equations.size());
  REQUIRE(t.solved_variables.size() + t.torn.size() == unknown.size());
  std::vector<std::set<std::uint32_t>> depends(g.columns);  // on torn variables
  for (std::uint32_t v : t.torn) depends[v].insert(v);
  for (std::size_t k = 0; k < t.solved_equations.size(); ++k) {
    std::uint32_t e = t.solved_equations[k], v = t.solved_variables[k];
    REQUIRE(std::ranges::count(g.row(e), v) > 0);
    REQUIRE(solvable(e, v));
    REQUIRE(!computed.contains(v));
    for (std::uint32_t input : g.row(e))
      if (input != v && unknown.contains(input)) {
        REQUIRE(computed.contains(input));
        depends[v].insert(depends[input].begin(), depends[input].end());
      }
    computed.insert(v);
  }
  REQUIRE(computed == unknown);
  if (groups.size() != 1) return;  // later groups may close what was open for earlier ones
  for (std::uint32_t e : t.residual_equations)
    for (std::uint32_t v : g.row(e)) {
      if (std::ranges::count(t.torn, v) == 0 || !solvable(e, v)) continue;
      bool cycle = false;
      for (std::uint32_t input : g.row(e))
        cycle |= input != v && unknown.contains(input) && depends[input].contains(v);
      REQUIRE(cycle);
    }
}

}  // namespace

TEST_CASE("MB-1: tearing of the documented block") {
  CHECK(tear_published({{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}}, {3, 4, 2, 1}, {{3, 7, 1, 4}}) ==
        Published{{3, 4, 2}, {3, 7, 1}, {1}, {4}});
}

TEST_CASE("MB-7: the published tearing results") {
  CHECK(tear_published({{1, 2, 3, 4, 5}, {1, 2, 3, 4, 8}, {4, 1, 2}, {3, 2, 1}, {2, 1, 7}}, {2, 3, 5, 1},
                       {{1, 3, 7, 8}}) == Published{{2, 5}, {1, 7}, {3, 1}, {3, 8}});
  CHECK(tear_published({{1, 2}, {1, 2, 3, 7}, {6, 3, 4}, {1, 2, 3, 4, 7}, {1, 2, 5}}, range(1, 5),
                       {range(1, 5)}) == Published{{1, 2, 3, 5}, {1, 3, 4, 5}, {4}, {2}});
  CHECK(tear_published({{1, 6}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 5}}, range(1, 6), {range(1, 6)}) ==
        Published{range(1, 5), range(1, 5), {6}, {6}});
  CHECK(tear_published({{1, 3}, {2, 4}, {3, 4}}, range(1, 3), {range(1, 4)}) ==
        Published{{3, 1, 2}, {3, 1, 2}, {}, {4}});
  CHECK(tear_published({{1, 3}, {2, 4}, {3, 4}}, {1, 2}, {{4}, {1, 2}}, {3}, {3}) ==
        Published{{2, 3, 1}, {4, 3, 1}, {}, {2}});
}

TEST_CASE("MB-7 g: a ring has one tearing variable") {
  Rows ring;
  for (std::uint32_t i = 1; i <= 10; ++i) ring.push_back({i, i == 1 ? 10 : i - 1});
  CHECK(tear_published(ring, range(1, 10), {range(1, 10)}).vTear == Numbers{10});
  Numbers backwards = range(1, 10);
  std::ranges::reverse(backwards);
  for (auto& row : ring) std::ranges::reverse(row);
  CHECK(tear_published(ring, range(1, 10), {backwards}).vTear.size() == 1);
}

TEST_CASE("MT-7: the variable that occurs most is torn") {
  Bipartite g = make({{1, 2, 3}, {1, 2}, {2, 3}}, 3, 1), columns = transpose(g);
  std::vector<std::uint32_t> equations{0, 1, 2};
  std::vector<std::vector<std::uint32_t>> groups{{0, 1, 2}};
  CHECK(Tearing(g, columns).tear({equations, groups}, always).torn == std::vector<std::uint32_t>{1});
}

TEST_CASE("equations are solved only for what they can be solved for") {
  Bipartite g = make({{1, 2}, {1, 2}}, 2, 1), columns = transpose(g);
  std::vector<std::uint32_t> equations{0, 1};
  std::vector<std::vector<std::uint32_t>> groups{{0, 1}};
  Torn t = Tearing(g, columns).tear({equations, groups}, [](std::uint32_t e, std::uint32_t v) {
    return e == 1 && v == 1;
  });
  CHECK(t.solved_equations == std::vector<std::uint32_t>{1});
  CHECK(t.torn == std::vector<std::uint32_t>{0});
  CHECK(Tearing(g, columns).tear({equations, groups}, [](auto, auto) { return false; }).torn.size() == 2);
}

TEST_CASE("what is solved of random blocks is a sequence, and nothing more could be solved") {
  std::mt19937 random(31);
  for (int k = 0; k < 5000; ++k) {
    std::uint32_t rows = 1 + random() % 8, size = rows + random() % 3;
    Bipartite g = random_graph(random, rows, size, 0.15 + 0.1 * (random() % 5)), columns = transpose(g);
    Tearing tearing(g, columns);
    std::vector<std::uint32_t> equations, variables;
    for (std::uint32_t e = 0; e < rows; ++e)
      if (random() % 5) equations.push_back(e);
    for (std::uint32_t v = 0; v < size; ++v)
      if (random() % 6) variables.push_back(v);
    std::ranges::shuffle(equations, random);
    std::ranges::shuffle(variables, random);
    std::uint32_t forbidden = random() % 4;
    auto solvable = [&](std::uint32_t e, std::uint32_t v) { return (e + v) % 4 != forbidden; };
    std::vector<std::vector<std::uint32_t>> one{variables}, two{{}, {}};
    for (std::uint32_t v : variables) two[random() % 2].push_back(v);
    for (TearingOrder order : {TearingOrder::AsGiven, TearingOrder::FewestFirst}) {
      check_torn(g, equations, one, solvable, tearing.tear({equations, one}, solvable, order));
      check_torn(g, equations, two, solvable, tearing.tear({equations, two}, solvable, order));
    }
  }
}

TEST_CASE("MB-7 h and beyond: large blocks") {
  auto tear_all = [](const Bipartite& g, TearingOrder order) {
    Bipartite columns = transpose(g);
    std::vector<std::uint32_t> equations(g.rows());
    std::iota(equations.begin(), equations.end(), 0u);
    std::vector<std::vector<std::uint32_t>> groups(1, std::vector<std::uint32_t>(g.columns));
    std::iota(groups[0].begin(), groups[0].end(), 0u);
    Torn t = Tearing(g, columns).tear({equations, groups}, always, order);
    CHECK(t.residual_equations.size() == t.torn.size() + g.rows() - g.columns);
    return t.torn.size();
  };
  constexpr std::uint32_t n = 1000000;
  for (TearingOrder order : {TearingOrder::AsGiven, TearingOrder::FewestFirst}) {
    CHECK(tear_all(band(n, 1), order) == 0);
    CHECK(tear_all(band(n, 2), order) == 1);
    CHECK(tear_all(band(n, 3), order) <= 4);
    CHECK(tear_all(band(1000, 1000), order) == 999);
    Bipartite ring, backwards;  // row i contains i and the next, or the one before
    ring.columns = backwards.columns = n;
    for (std::uint32_t i = 0; i < n; ++i) {
      ring.targets.insert(ring.targets.end(), {i, (i + 1) % n});
      ring.end_row();
      backwards.targets.insert(backwards.targets.end(), {i, (i + n - 1) % n});
      backwards.end_row();
    }
    CHECK(tear_all(ring, order) == 1);
    CHECK(tear_all(backwards, order) == 1);
  }
}

TEST_CASE("a large block in no order") {
  std::mt19937 random(32);
  constexpr std::uint32_t n = 100000;
  std::vector<std::uint32_t> rows(n), places(n);
  std::iota(rows.begin(), rows.end(), 0u);
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::shuffle(rows, random);
  std::ranges::shuffle(places, random);
  Bipartite band3 = band(n, 3), g;
  g.columns = n;
  for (std::uint32_t r : rows) {
    for (std::uint32_t c : band3.row(r)) g.targets.push_back(places[c]);
    g.end_row();
  }
  Bipartite columns = transpose(g);
  std::vector<std::uint32_t> equations(n);
  std::iota(equations.begin(), equations.end(), 0u);
  std::vector<std::vector<std::uint32_t>> groups{equations};
  Torn t = Tearing(g, columns).tear({equations, groups}, always);
  CHECK(t.torn.size() == t.residual_equations.size());
  CHECK(t.torn.size() < n / 2);
  std::vector<bool> computed(n, false);
  for (std::uint32_t v : t.torn) computed[v] = true;
  bool in_order = true;
  for (std::size_t k = 0; k < t.solved_equations.size(); ++k) {
    for (std::uint32_t v : g.row(t.solved_equations[k]))
      in_order &= computed[v] || v == t.solved_variables[k];
    computed[t.solved_variables[k]] = true;
  }
  CHECK(in_order);
}
