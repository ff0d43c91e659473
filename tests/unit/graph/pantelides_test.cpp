#include "compiler/graph/pantelides.h"

#include <catch2/catch.hpp>
#include <set>

#include "compiler/graph/augmenting_path.h"
#include "compiler/graph/blt.h"
#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

const Rows kPendulum{{3, 5}, {4, 6}, {1, 7, 9}, {2, 8, 9}, {1, 2}};
const Numbers kPendulumDerivatives{5, 6, 7, 8, 0, 0, 0, 0, 0};

Differentiated published(const Rows& rows, const Numbers& derivatives) {
  auto size = static_cast<std::uint32_t>(derivatives.size());
  return pantelides(make(rows, size, 1), zero_based(derivatives), {}, SearchOrder::Published);
}

ConsistencyReport consistency(const Rows& rows, const Numbers& derivatives) {
  return check_consistency(make(rows, static_cast<std::uint32_t>(derivatives.size()), 1),
                           zero_based(derivatives));
}

std::vector<Numbers> row_lists(const Bipartite& g) {
  std::vector<Numbers> result;
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    result.emplace_back();
    for (std::uint32_t c : g.row(r)) result.back().push_back(c + 1);
  }
  return result;
}

std::vector<Numbers> block_lists(const Blocks& blocks) {
  std::vector<Numbers> result;
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    result.emplace_back();
    for (std::uint32_t r : blocks.block(b)) result.back().push_back(r + 1);
  }
  return result;
}

/// How often each of the first `count` lines is differentiated.
Numbers orders(const std::vector<std::uint32_t>& association, std::uint32_t count) {
  Numbers result(count, 0);
  for (std::uint32_t k = 0; k < count; ++k)
    for (std::uint32_t d = association[k]; d != kNone; d = association[d]) ++result[k];
  return result;
}

/// Every equation without derivative is matched with an unknown without derivative that it contains.
void check_defining_property(const Differentiated& s) {
  std::vector<bool> highest = s.highest();
  for (std::uint32_t e = 0; e < s.equations(); ++e) {
    if (s.equation_derivative[e] != kNone) {
      // The derivative contains the equation's variables and all their derivatives, and nothing else.
      std::set<std::uint32_t> expected;
      for (std::uint32_t v : s.graph.row(e)) {
        expected.insert(v);
        REQUIRE(s.variable_derivative[v] != kNone);
        expected.insert(s.variable_derivative[v]);
      }
      auto row = s.graph.row(s.equation_derivative[e]);
      REQUIRE(row.size() == expected.size());
      REQUIRE(std::set<std::uint32_t>(row.begin(), row.end()) == expected);
      continue;
    }
    std::uint32_t v = s.matching.column_of_row[e];
    REQUIRE(v != kNone);
    REQUIRE(highest[v]);
    REQUIRE(std::ranges::count(s.graph.row(e), v) > 0);
    REQUIRE(s.matching.row_of_column[v] == e);
  }
}

}  // namespace

TEST_CASE("MB-2: association vectors and their inverses") {
  CHECK(one_based(inverse(zero_based({2, 3, 0, 5, 0}))) == Numbers{0, 1, 2, 0, 4});
}

TEST_CASE("MB-5: the pendulum, as published") {
  Differentiated s = published(kPendulum, kPendulumDerivatives);
  CHECK(one_based(s.matching.row_of_column) == Numbers{0, 0, 0, 0, 1, 2, 7, 4, 3, 9, 8});
  CHECK(one_based(s.variable_derivative) == Numbers{5, 6, 7, 8, 10, 11, 0, 0, 0, 0, 0});
  CHECK(one_based(s.equation_derivative) == Numbers{7, 8, 0, 0, 6, 9, 0, 0, 0});
  std::vector<Numbers> rows = row_lists(s.graph);
  CHECK(rows[5] == Numbers{1, 2, 5, 6});
  CHECK(rows[6] == Numbers{3, 5, 7, 10});
  CHECK(rows[7] == Numbers{4, 6, 8, 11});
  CHECK(rows[8] == Numbers{1, 2, 5, 6, 10, 11});
  CHECK(consistency(kPendulum, kPendulumDerivatives).verdict == Consistency::Consistent);
}

TEST_CASE("MB-5: blocks with states and with initial conditions, as published") {
  Differentiated s = published(kPendulum, kPendulumDerivatives);
  auto blocks = [&](const Numbers& inactive, const Numbers& fixed) {
    Bipartite g = s.graph;
    for (std::uint32_t v : fixed) {
      g.targets.push_back(v - 1);
      g.end_row();
    }
    std::vector<bool> active(g.columns, true);
    for (std::uint32_t v : inactive) active[v - 1] = false;
    return block_lists(blt(g, matching_in_order(g, active).row_of_column));
  };
  CHECK(blocks({1, 3}, {}) == std::vector<Numbers>{{1}, {5}, {6}, {2}, {4, 8, 9, 7, 3}});
  CHECK(blocks({}, {1, 3}) == std::vector<Numbers>{{11}, {1}, {10}, {5}, {6}, {2}, {7, 9, 8, 4, 3}});
  CHECK(blocks({}, {3, 4}) == std::vector<Numbers>{{10}, {1}, {11}, {2}, {5, 6}, {7, 9, 8, 4, 3}});
}

TEST_CASE("MB-1 and MB-3: blocks in the published order") {
  Bipartite g = make({{1, 2, 4}, {1, 7}, {3, 4}, {3, 7}, {6, 7}, {2}}, 7, 1);
  CHECK(block_lists(blt(g, zero_based({2, 6, 3, 1, 0, 5, 4}))) ==
        std::vector<Numbers>{{6}, {3, 4, 2, 1}, {5}});
  CHECK(block_lists(blt(g, zero_based({1, 6, 4, 3, 0, 5, 2}))) ==
        std::vector<Numbers>{{6}, {2, 4, 3, 1}, {5}});
  Bipartite tarjan = make({{2}, {3, 8}, {4, 7}, {5}, {3, 6}, {}, {4, 6}, {1, 7}}, 8, 1);
  CHECK(block_lists(blt(tarjan, zero_based({1, 2, 3, 4, 5, 6, 7, 8}))) ==
        std::vector<Numbers>{{6}, {7, 5, 4, 3}, {8, 2, 1}});
}

TEST_CASE("MB-5: wrong pendulums are told apart") {
  // x = cos phi, y = sin phi beside x^2 + y^2 = L^2: one variable, two equations more.
  Rows rows = kPendulum;
  Numbers derivatives = kPendulumDerivatives;
  derivatives.push_back(0);
  rows.push_back({1, 10});
  rows.push_back({2, 10});
  ConsistencyReport many = consistency(rows, derivatives);
  CHECK(many.verdict == Consistency::TooManyEquations);
  REQUIRE(many.equations.size() == 1);
  REQUIRE(many.competing_equations.size() == 1);
  CHECK(std::ranges::count(many.competing_equations[0].rows, many.equations[0]) == 1);

  rows = kPendulum;
  ConsistencyReport unused = consistency(rows, derivatives);
  CHECK(unused.verdict == Consistency::TooManyVariables);
  CHECK(unused.variables == std::vector<std::uint32_t>{9});
  CHECK(unused.competing_variables[0].columns == std::vector<std::uint32_t>{9});
  CHECK(unused.competing_variables[0].rows.empty());

  rows.pop_back();
  ConsistencyReport dropped = consistency(rows, kPendulumDerivatives);
  CHECK(dropped.verdict == Consistency::TooManyVariables);
  CHECK(dropped.variables.size() == 1);
  CHECK(dropped.competing_variables[0].columns.size() > 1);

  // Two equations for x alone, none with T: as many as before, and singular.
  ConsistencyReport singular = consistency({{3, 5}, {4, 6}, {1}, {2, 8}, {1, 2}}, kPendulumDerivatives);
  CHECK(singular.verdict == Consistency::Singular);
}

TEST_CASE("MB-6: the reactor, as published") {
  Differentiated s = published({{1, 3, 5}, {2, 4, 5, 6}, {1, 2, 5}, {1}}, {3, 4, 0, 0, 0, 0});
  CHECK(one_based(s.matching.row_of_column) == Numbers{0, 0, 1, 7, 3, 2, 8, 6});
  CHECK(one_based(s.variable_derivative) == Numbers{3, 4, 7, 0, 8, 0, 0, 0});
  CHECK(one_based(s.equation_derivative) == Numbers{6, 0, 7, 5, 8, 0, 0, 0});
  // The two equations that determine C and C' match no variable: their blocks come last.
  CHECK(block_lists(blt(s.graph, s.matching.row_of_column)) ==
        std::vector<Numbers>{{3}, {1}, {8}, {6}, {7}, {2}});
}

TEST_CASE("second derivatives may be given") {
  // x x' x'' y y' y'' T: x'' = T x, y'' = T y - g, x^2 + y^2 = 1.
  Differentiated s = published({{1, 3, 7}, {4, 6, 7}, {1, 4}}, {2, 3, 0, 5, 6, 0, 0});
  CHECK(one_based(s.variable_derivative) == Numbers{2, 3, 0, 5, 6, 0, 0});
  CHECK(one_based(s.equation_derivative) == Numbers{0, 0, 4, 5, 0});
  CHECK(row_lists(s.graph)[4] == Numbers{1, 4, 2, 5, 3, 6});
  check_defining_property(s);
}

TEST_CASE("a given variable is differentiated where its equation is") {
  // x' = u2, x = u1 with u1 given: u1' is given too, u2 follows.
  Differentiated s =
      pantelides(make({{2, 4}, {1, 3}}, 4, 1), zero_based({2, 0, 0, 0}), {false, false, true, false});
  CHECK(one_based(s.variable_derivative) == Numbers{2, 0, 5, 0, 0});
  CHECK(s.known == std::vector<bool>{false, false, true, false, true});
  CHECK(one_based(s.equation_derivative) == Numbers{0, 3, 0});
  check_defining_property(s);
}

TEST_CASE("a system that has too many equations is not differentiated for ever") {
  Differentiated s = pantelides(make({{1, 2}, {1}, {1}}, 2, 1), zero_based({2, 0}));
  CHECK(s.endless.has_value());
}

TEST_CASE("random systems: the defining property, and the smallest numbers of differentiations") {
  std::mt19937 random(21);
  int consistent = 0, differentiated = 0;
  for (int k = 0; k < 20000; ++k) {
    // Chains of up to three variables and as many equations as there are chains.
    std::uint32_t n = 1 + random() % 4, columns = 0;
    std::vector<std::uint32_t> derivative;
    std::vector<std::vector<std::uint32_t>> chains(n);
    for (auto& chain : chains) {
      std::uint32_t length = 1 + random() % 3;
      for (std::uint32_t o = 0; o < length; ++o) {
        chain.push_back(columns++);
        derivative.push_back(o + 1 < length ? columns : kNone);
      }
    }
    Bipartite g = random_graph(random, n, columns, 0.1 + 0.05 * (random() % 5));
    bool fits = check_consistency(g, derivative).equations.empty();
    Differentiated s = pantelides(g, derivative);
    REQUIRE(fits == !s.endless.has_value());
    if (!fits) continue;
    ++consistent;
    check_defining_property(s);
    Differentiated p = pantelides(g, derivative, {}, SearchOrder::Published);
    check_defining_property(p);
    Numbers found = orders(s.equation_derivative, n);
    REQUIRE(found == orders(p.equation_derivative, n));
    REQUIRE(orders(s.variable_derivative, columns) == orders(p.variable_derivative, columns));
    if (s.equations() > n) ++differentiated;

    // The signature: how often the highest derivative in an equation differentiates a chain. Of all
    // permutations with the largest sum, the smallest offsets c >= 0 with d[j] >= c[i] + s[i][j], equal on
    // the permutation (Pryce 2001), are unique.
    constexpr int kAbsent = -1000;
    std::vector<std::vector<int>> signature(n, std::vector<int>(n, kAbsent));
    std::vector<int> longest(n, 0);
    for (std::uint32_t e = 0; e < n; ++e)
      for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t o = 0; o < chains[j].size(); ++o)
          if (std::ranges::count(g.row(e), chains[j][o])) {
            signature[e][j] = static_cast<int>(o);
            longest[j] = std::max(longest[j], static_cast<int>(o));
          }
    bool all_used = true;  // a chain that the equations do not reach the end of is differentiated up to its
                           // end all the same
    for (std::uint32_t j = 0; j < n; ++j) all_used &= longest[j] + 1 == static_cast<int>(chains[j].size());
    if (!all_used) continue;
    std::vector<std::uint32_t> permutation(n), best;
    for (std::uint32_t i = 0; i < n; ++i) permutation[i] = i;
    int most = kAbsent;
    do {
      int sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) sum += signature[i][permutation[i]];
      if (sum > most) {
        most = sum;
        best = permutation;
      }
    } while (std::ranges::next_permutation(permutation).found);
    REQUIRE(most >= 0);
    std::vector<int> c(n, 0), d(n, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t i = 0; i < n; ++i) d[j] = std::max(d[j], signature[i][j] + c[i]);
      for (std::uint32_t i = 0; i < n; ++i)
        if (int next = d[best[i]] - signature[i][best[i]]; next != c[i]) {
          c[i] = next;
          changed = true;
        }
    }
    for (std::uint32_t i = 0; i < n; ++i) REQUIRE(found[i] == static_cast<std::uint32_t>(c[i]));
  }
  CHECK(consistent > 1000);
  CHECK(differentiated > 300);
}

TEST_CASE("a million equations: nothing to differentiate, pairs of constraints, and a chain of them") {
  constexpr std::uint32_t n = 1000000;
  auto build = [](auto&& row, std::uint32_t columns, std::uint32_t count) {
    Bipartite g;
    g.columns = columns;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t v : row(i)) g.targets.push_back(v);
      g.end_row();
    }
    return g;
  };
  // Variables x_i, then x_i'. Heat conduction: x_i' = f(x_i-1, x_i, x_i+1).
  std::vector<std::uint32_t> derivative(2 * n, kNone);
  for (std::uint32_t i = 0; i < n; ++i) derivative[i] = n + i;
  Bipartite rod = build(
      [](std::uint32_t i) {
        return std::vector<std::uint32_t>{i ? i - 1 : 0, i, std::min(i + 1, n - 1), n + i};
      },
      2 * n, n);
  CHECK(check_consistency(rod, derivative).verdict == Consistency::Consistent);
  CHECK(pantelides(rod, derivative).equations() == n);
  CHECK(pantelides(rod, derivative, {}, SearchOrder::Published).equations() == n);
  // x_i' + y_i' = …, x_i = y_i.
  Bipartite pairs = build(
      [](std::uint32_t i) {
        std::uint32_t x = i / 2 * 2;
        return i % 2 ? std::vector<std::uint32_t>{x, x + 1} : std::vector<std::uint32_t>{n + x, n + x + 1};
      },
      2 * n, n);
  Differentiated paired = pantelides(pairs, derivative);
  CHECK(paired.equations() == n + n / 2);
  CHECK_FALSE(paired.endless);
  // x_0 = u(t), x_i = x_i-1, and one equation with the derivative of the last in place of the first
  // variable's own: all differ.
  Bipartite chain = build(
      [](std::uint32_t i) {
        return i == 0   ? std::vector<std::uint32_t>{n + n - 1, 2 * n}
               : i == 1 ? std::vector<std::uint32_t>{0}
                        : std::vector<std::uint32_t>{i - 2, i - 1};
      },
      2 * n + 1, n + 1);
  derivative.push_back(kNone);
  Differentiated differentiated = pantelides(chain, derivative);
  CHECK(differentiated.equations() == n + 1 + n);
}
