#include "compiler/graph/dummy_derivatives.h"

#include <catch2/catch.hpp>

#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

/// As many unknowns as equations when the states are known, and the equations can be matched with them.
void check_reduced(const Differentiated& s, std::uint32_t originals, const DummyDerivatives& d) {
  REQUIRE(d.dummies.size() == s.equations() - originals);
  std::vector<bool> state(s.variables(), false);
  for (std::uint32_t v : d.states) state[v] = true;
  Bipartite reduced;
  reduced.columns = s.variables();
  for (std::uint32_t e = 0; e < s.equations(); ++e) {
    for (std::uint32_t v : s.graph.row(e))
      if (!state[v]) reduced.targets.push_back(v);
    reduced.end_row();
  }
  // A dummy and its variable are two unknowns; a derivative of a state is one; between other pairs there is
  // nothing.
  Matching m = maximum_matching(reduced);
  REQUIRE(m.size() == s.equations());
  for (const auto& choice : d.choices) {
    REQUIRE(choice.dummies.size() == choice.equations.size());
    for (std::uint32_t v : choice.dummies) REQUIRE(std::ranges::count(choice.candidates, v) == 1);
  }
}

Numbers plus_one(std::vector<std::uint32_t> numbers) { return one_based(numbers); }

}  // namespace

TEST_CASE("MB-5: dummies of the pendulum") {
  Bipartite g = make({{3, 5}, {4, 6}, {1, 7, 9}, {2, 8, 9}, {1, 2}}, 9, 1);
  Differentiated s = pantelides(g, zero_based({5, 6, 7, 8, 0, 0, 0, 0, 0}), {}, SearchOrder::Published);
  DummyDerivatives d = dummy_derivatives(s);
  CHECK(plus_one(d.states) == Numbers{1, 3});
  CHECK(plus_one(d.dummies) == Numbers{6, 8, 10, 11});
  check_reduced(s, 5, d);
  REQUIRE(d.choices.size() == 2);
  CHECK(plus_one(d.choices[0].equations) == Numbers{7, 8, 9});
  CHECK(d.choices[0].free());
  CHECK(d.choices[1].free());

  // Preferred: y, whose derivatives inherit that, and z.
  DummyDerivatives other = dummy_derivatives(s, std::vector<long>{0, 1, 0, 1, 0, 0, 0, 0, 0});
  CHECK(plus_one(other.states) == Numbers{2, 4});
  check_reduced(s, 5, other);
}

TEST_CASE("MT-6: priorities decide which of two equal chains is the state") {
  // x x' x'' y y' y'' f: x = y, x'' = f, y'' = … + f.
  Bipartite g = make({{1, 4}, {3, 7}, {6, 7}}, 7, 1);
  Differentiated s = pantelides(g, zero_based({2, 3, 0, 5, 6, 0, 0}));
  DummyDerivatives x = dummy_derivatives(s, std::vector<long>{100, 0, 0, 0, 0, 0, 0});
  CHECK(plus_one(x.dummies) == Numbers{5, 6});
  CHECK(plus_one(x.states) == Numbers{1, 2});
  DummyDerivatives y = dummy_derivatives(s, std::vector<long>{0, 0, 0, 100, 0, 0, 0});
  CHECK(plus_one(y.dummies) == Numbers{2, 3});
  CHECK(plus_one(y.states) == Numbers{4, 5});
  CHECK(plus_one(dummy_derivatives(s, std::vector<long>{-1, 0, 0, 0, 0, 0, 0}).dummies) == Numbers{2, 3});
  check_reduced(s, 3, x);
  check_reduced(s, 3, y);
}

TEST_CASE("MB-9 b: two rigidly coupled inertias") {
  // w1 phi1 w2 phi2, their derivatives, tau1 tau2.
  Bipartite g = make({{1, 6}, {5, 9}, {3, 8}, {7, 10}, {2, 4}, {9, 10}}, 10, 1);
  Differentiated s = pantelides(g, zero_based({5, 6, 7, 8, 0, 0, 0, 0, 0, 0}));
  DummyDerivatives d = dummy_derivatives(s);
  CHECK(plus_one(d.states) == Numbers{1, 2});
  check_reduced(s, 6, d);
}

TEST_CASE("a decision by numbers replaces the structural one") {
  Bipartite g = make({{1, 4}, {3, 7}, {6, 7}}, 7, 1);
  Differentiated s = pantelides(g, zero_based({2, 3, 0, 5, 6, 0, 0}));
  int asked = 0;
  DummyDerivatives d = dummy_derivatives(s, {}, [&](auto equations, auto candidates) {
    ++asked;
    REQUIRE(equations.size() <= candidates.size());
    return std::optional(
        sigrel::graph::Decision{{candidates.end() - equations.size(), candidates.end()}, {}});
  });
  CHECK(asked == 2);
  CHECK(plus_one(d.states) == Numbers{4, 5});
  CHECK(plus_one(dummy_derivatives(s, {}, [](auto, auto) { return std::nullopt; }).states) == Numbers{1, 2});
}

TEST_CASE("random systems: one dummy for each differentiated equation, and a system that can be matched") {
  std::mt19937 random(41);
  int reduced = 0;
  for (int k = 0; k < 20000; ++k) {
    std::uint32_t n = 1 + random() % 6, columns = 0;
    std::vector<std::uint32_t> derivative;
    for (std::uint32_t chain = 0; chain < n; ++chain) {
      std::uint32_t length = 1 + random() % 3;
      for (std::uint32_t o = 0; o < length; ++o, ++columns)
        derivative.push_back(o + 1 < length ? columns + 1 : kNone);
    }
    Bipartite g = random_graph(random, n, columns, 0.1 + 0.05 * (random() % 5));
    if (check_consistency(g, derivative).verdict != Consistency::Consistent) continue;
    std::vector<long> priority(columns);
    for (long& p : priority) p = static_cast<long>(random() % 3);
    Differentiated s = pantelides(g, derivative);
    DummyDerivatives d = dummy_derivatives(s, priority);
    check_reduced(s, n, d);
    if (!d.dummies.empty()) ++reduced;
    REQUIRE(dummy_derivatives(pantelides(g, derivative, {}, SearchOrder::Fast), priority).dummies ==
            d.dummies);
  }
  CHECK(reduced > 500);
}

TEST_CASE("a million variables in pairs, and one block of constraints") {
  constexpr std::uint32_t n = 500000;
  // x_i, then x_i', then f_i: x_2k = x_2k+1, x_i' = f, one f for each pair.
  Bipartite g;
  g.columns = 2 * n + n / 2;
  std::vector<std::uint32_t> derivative(g.columns, kNone);
  for (std::uint32_t i = 0; i < n; ++i) derivative[i] = n + i;
  for (std::uint32_t i = 0; i < n; ++i) {
    g.targets.insert(g.targets.end(), {n + i, 2 * n + i / 2});
    g.end_row();
  }
  for (std::uint32_t i = 0; i < n; i += 2) {
    g.targets.insert(g.targets.end(), {i, i + 1});
    g.end_row();
  }
  Differentiated s = pantelides(g, derivative);
  DummyDerivatives d = dummy_derivatives(s);
  CHECK(d.dummies.size() == n / 2);
  CHECK(d.states.size() == n / 2);

  // x_0 = x_1, x_1 = x_2, …, and the sum of all x_i' given: one state.
  Bipartite chain;
  chain.columns = 2 * n;
  derivative.resize(2 * n);
  for (std::uint32_t i = 0; i < n; ++i) chain.targets.push_back(n + i);
  chain.end_row();
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    chain.targets.insert(chain.targets.end(), {i, i + 1});
    chain.end_row();
  }
  DummyDerivatives one = dummy_derivatives(pantelides(chain, derivative));
  CHECK(one.dummies.size() == n - 1);
  CHECK(one.states == std::vector<std::uint32_t>{0});
}
