// Published structural cases: what elimination and the choice of states leave of them.
#include <catch2/catch.hpp>

#include <algorithm>

#include "compiler/reduce/hidden_constraints.h"
#include "compiler/reduce/reduce.h"
#include "tests/unit/reduce/circuits.h"

using namespace sigrel;
using namespace fixture;

namespace {

using Names = std::vector<std::string>;

Names states(const Builder& b, const dae::System& dae) {
  Names names;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (dae.variables[v].state) names.push_back(dae::variable_name(b.system, dae, v));
  std::ranges::sort(names);
  return names;
}

/// Σ of a row's whole numbers times unknowns = 0.
void integer_row(Builder& b, const std::vector<std::uint32_t>& unknowns, const std::vector<int>& row) {
  ExprId sum = b.c(0);
  for (std::uint32_t k = 0; k < row.size(); ++k) sum = b.add(sum, b.mul(b.c(row[k]), b.s(k)));
  b.row(b.shape(sum), unknowns);
}

/// The rows that exact elimination finds to follow from others.
std::size_t redundant_rows(const std::vector<std::vector<int>>& rows) {
  Builder b;
  std::vector<std::uint32_t> unknowns;
  for (std::size_t k = 0; k < rows[0].size(); ++k) unknowns.push_back(b.unknown("x" + std::to_string(k)));
  for (const auto& row : rows) integer_row(b, unknowns, row);
  dae::System dae;
  dae.exprs = b.system.exprs;
  dae.equations = b.system.equations;
  for (std::uint32_t u : unknowns) dae.variables.push_back({.unknown = u});
  return reduce::expose_constraints(dae).size();
}

}  // namespace

TEST_CASE("MT-2: of three equations between three unknowns two are left, and the third is told") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y"), z = b.unknown("z");
  b.sum({{x, false}, {y, true}});
  b.sum({{z, false}, {y, false}});
  b.sum({{x, false}, {z, false}});
  Diagnostics d;
  dae::System dae = reduce::reduce(b.system, d);
  CHECK(dae.equations.count() == 0);
  REQUIRE(d.all().size() == 1);
  CHECK(d.all()[0].code == Code::RedundantEquation);
}

TEST_CASE("MT-6: a priority decides which of two equal chains is the state") {
  auto chosen = [](int preferred) {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y"), f = b.unknown("f"), g = b.unknown("g");
    b.row(b.shape(b.sub(b.der(0, 2), b.s(1))), {x, f});
    b.row(b.shape(b.sub(b.der(0, 2), b.s(1))), {y, g});
    b.row(b.shape(b.sub(b.s(0), b.mul(b.p(0), b.s(1)))), {x, y}, {b.parameter(1)});
    b.row(b.shape(b.sub(b.add(b.s(0), b.s(1)), b.s(2))), {f, g, x});
    b.system.attributes.push_back(
        {system::AttributeKind::StatePreference, preferred == 0 ? x : y, b.parameter(1), {}});
    Diagnostics d;
    dae::System dae = reduce::reduce(b.system, d);
    REQUIRE(d.all().empty());
    CHECK(dae.sets.empty());
    return states(b, dae);
  };
  CHECK(chosen(0) == Names{"der(x)", "x"});
  CHECK(chosen(1) == Names{"der(y)", "y"});
}

TEST_CASE("MT-12: the rank of whole numbers is exact") {
  CHECK(redundant_rows({{2, 7, 17}, {3, 11, 19}, {5, 13, 23}}) == 0);
  CHECK(redundant_rows({{2, 7, 17}, {3, 11, 19}, {5, 18, 36}}) == 1);
  CHECK(redundant_rows({{2, 7, 17}, {4, 14, 34}, {6, 21, 51}}) == 2);
  CHECK(redundant_rows({{9, 1, 8, 0}, {0, 0, 8, 7}, {7, 6, 8, 3}, {2, 9, 7, 7}}) == 0);
  // The last row is the sum of the first and the third.
  CHECK(redundant_rows({{9, 1, 8, 0}, {0, 0, 8, 7}, {7, 6, 8, 3}, {16, 7, 16, 3}}) == 1);
}

TEST_CASE("constraints between states that are said twice") {
  // Three inductors meet at two nodes; their other ends too: i + j + k = 0 is said by both.
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), c = x.node("c"), d = x.node("d"), e = x.node("e");
  x.inductor("l1", a, b, 1);
  x.inductor("l2", a, c, 2);
  x.inductor("l3", a, d, 3);
  x.resistor("r1", b, e, 1);
  x.resistor("r2", c, e, 2);
  x.source("s", d, e, 5);
  x.finish();
  Diagnostics diagnostics;
  dae::System dae = reduce::reduce(x.system, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].code == Code::ArbitraryLevel);
  CHECK(states(x, dae).size() == 2);
}

TEST_CASE("states that are chosen for good, though the choice may become bad, are watched") {
  auto pendulum = [](double preference) {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y"), t = b.unknown("t");
    auto push = b.shape(b.add(b.der(0, 2), b.mul(b.s(1), b.s(0))));
    b.row(push, {x, t});
    b.row(push, {y, t});
    b.row(b.shape(b.sub(b.add(b.mul(b.s(0), b.s(0)), b.mul(b.s(1), b.s(1))), b.c(1))), {x, y});
    if (preference != 0)
      b.system.attributes.push_back({system::AttributeKind::StatePreference, x, b.parameter(preference), {}});
    Diagnostics d;
    dae::System dae = reduce::reduce(b.system, d);
    REQUIRE(d.all().empty());
    dae::verify(b.system, dae);
    return dae.sets;
  };
  for (double preference : {0.0, 1.0})
    for (const dae::StateSet& set : pendulum(preference)) CHECK(set.states.size() == 1);
  auto watched = pendulum(2);
  REQUIRE(!watched.empty());
  for (const dae::StateSet& set : watched) {
    CHECK(set.candidates.empty());
    CHECK(set.equations.size() == 1);
    CHECK(set.eliminated.size() == 1);
  }
}
