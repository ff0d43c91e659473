// Index reduction of systems written by hand: what is differentiated, which states are left.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "compiler/order/order.h"
#include "compiler/reduce/reduce.h"
#include "tests/unit/reduce/circuits.h"

using namespace sigrel;
using namespace fixture;

namespace {

dae::System reduced(const Builder& b) {
  Diagnostics d;
  dae::System dae = reduce::reduce(b.system, d);
  REQUIRE(d.all().empty());
  dae::verify(b.system, dae);
  return dae;
}

std::vector<std::string> states(const Builder& b, const dae::System& dae) {
  std::vector<std::string> names;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v)
    if (dae.variables[v].state) names.push_back(dae::variable_name(b.system, dae, v));
  std::ranges::sort(names);
  return names;
}

Evaluation solved(const Builder& b, const dae::System& dae) {
  Diagnostics d;
  plan::Plan plan = order::order(b.system, dae, d);
  REQUIRE(!d.has_errors());
  plan::verify(plan);
  Evaluation e = evaluate_start(plan);
  evaluate_rates(plan, e, 0);
  return e;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a state that is given: it is differentiated, and no state") {
  Builder b;
  auto x = b.unknown("x"), f = b.unknown("f");
  b.row(b.shape(b.sub(b.der(0), b.s(1))), {x, f});
  b.row(b.shape(b.sub(b.s(0), b.mul(b.p(0), b.fn(Op::Sin, b.time())))), {x}, {b.parameter(3)});
  dae::System dae = reduced(b);
  CHECK(states(b, dae).empty());
  CHECK(dae.equations.count() == 3);
  CHECK(dae::differentiations(dae, 2) == 1);
  Evaluation e = solved(b, dae);
  CHECK(value_of(dae, e, f) == Approx(3));
}

TEST_CASE("a capacitor on a source, and a loop of three capacitors") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), g = x.node("g");
  x.source("s", a, g, 10);
  x.capacitor("c", a, g, 2);
  x.capacitor("d", a, b, 1);
  x.capacitor("e", b, g, 1);
  x.ground(g);
  x.finish();
  dae::System dae = reduced(x);
  CHECK(states(x, dae).size() == 1);
}

TEST_CASE("a shape is differentiated once, whatever the number of its rows") {
  auto tables = [](int n) {
    Builder b;
    auto ode = b.shape(b.sub(b.der(0), b.s(1)));
    auto tie = b.shape(b.sub(b.add(b.mul(b.s(0), b.s(0)), b.mul(b.p(0), b.s(1))), b.s(2)));
    auto push = b.shape(b.sub(b.add(b.s(0), b.s(1)), b.fn(Op::Sin, b.time())));
    auto last = b.unknown("x0"), w = b.unknown("w0");
    b.row(ode, {last, w});
    for (int i = 1; i <= n; ++i) {
      auto x = b.unknown("x" + std::to_string(i)), v = b.unknown("v" + std::to_string(i)),
           z = b.unknown("z" + std::to_string(i));
      b.row(ode, {x, v});
      b.row(tie, {x, last, z}, {b.parameter(i)});
      b.row(b.shape(b.sub(b.s(0), b.c(1))), {z});
      last = x;
      w = v;
    }
    b.row(push, {w, last});
    dae::System dae = reduced(b);
    CHECK(states(b, dae).size() == 1);
    return dae.equations.tables.size();
  };
  CHECK(tables(2) == tables(40));
}

TEST_CASE(
    "attributes: Prefer and Avoid among what is equally good, Always and Never whatever the numbers are") {
  // x = 2 y: either can be the state. z = y^3 + y: z' = (3 y^2 + 1) y' can always be found from y', not so
  // easily the other way.
  auto chosen = [](double of_x, double of_y, double of_z) {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y"), z = b.unknown("z"), f = b.unknown("f");
    b.row(b.shape(b.sub(b.add(b.der(0), b.s(1)), b.s(2))), {x, y, f});
    b.row(b.shape(b.sub(b.add(b.der(0), b.der(1)), b.s(2))), {y, z, f});
    b.row(b.shape(b.sub(b.s(0), b.mul(b.c(2), b.s(1)))), {x, y});
    b.row(b.shape(b.sub(b.s(0), b.add(b.mul(b.s(1), b.mul(b.s(1), b.s(1))), b.s(1)))), {z, y});
    double preferences[] = {of_x, of_y, of_z};
    for (std::uint32_t k = 0; k < 3; ++k)
      if (preferences[k] != 0)
        b.system.attributes.push_back(
            {system::AttributeKind::StatePreference, k, b.parameter(preferences[k]), {}});
    return states(b, reduced(b));
  };
  CHECK(chosen(0, 0, 0) == Names{"x"});
  CHECK(chosen(0, 1, 0) == Names{"y"});
  CHECK(chosen(-1, 0, 0) == Names{"y"});
  CHECK(chosen(0, 0, 1) == Names{"x"});
  CHECK(chosen(0, 0, 2) == Names{"z"});
  CHECK(chosen(-2, -2, 0) == Names{"z"});
}

TEST_CASE("the order of equations and declarations does not change the states") {
  std::mt19937 random(7);
  std::optional<Names> expected;
  for (int k = 0; k < 20; ++k) {
    Builder b;
    std::vector<std::string> names{"phi1", "w1", "tau1", "phi2", "w2", "tau2", "phi3", "w3", "tau3"};
    std::vector<std::string> shuffled = names;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    std::map<std::string, std::uint32_t> u;
    for (const std::string& name : shuffled) u[name] = b.unknown(name);
    auto ode = b.shape(b.sub(b.der(0), b.s(1)));
    auto inertia = b.shape(b.sub(b.mul(b.p(0), b.der(0)), b.s(1)));
    auto ratio = b.shape(b.sub(b.s(0), b.mul(b.p(0), b.s(1))));
    auto j = b.parameter(2), r = b.parameter(3);
    std::vector<std::function<void()>> rows;
    for (std::string i : {"1", "2", "3"}) {
      rows.push_back([&, i] { b.row(ode, {u["phi" + i], u["w" + i]}); });
      rows.push_back([&, i] { b.row(inertia, {u["w" + i], u["tau" + i]}, {j}); });
    }
    rows.push_back([&] { b.row(ratio, {u["phi1"], u["phi2"]}, {r}); });
    rows.push_back([&] { b.row(ratio, {u["phi2"], u["phi3"]}, {r}); });
    rows.push_back([&] { b.sum({{u["tau1"], false}, {u["tau2"], false}, {u["tau3"], false}}); });
    std::shuffle(rows.begin(), rows.end(), random);
    for (auto& row : rows) row();
    Names chosen = states(b, reduced(b));
    CHECK(chosen.size() == 2);
    if (!expected) expected = chosen;
    CHECK(chosen == *expected);
  }
}

TEST_CASE("no choice is good everywhere: a set of states for each level, with equations of its own") {
  auto pendulum = [](double preference) {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y"), vx = b.unknown("vx"), vy = b.unknown("vy"),
         t = b.unknown("t");
    auto ode = b.shape(b.sub(b.der(0), b.s(1)));
    auto push = b.shape(b.add(b.der(0), b.mul(b.s(1), b.s(2))));
    b.row(ode, {x, vx});
    b.row(ode, {y, vy});
    b.row(push, {vx, t, x});
    b.row(push, {vy, t, y});
    b.row(b.shape(b.sub(b.add(b.mul(b.s(0), b.s(0)), b.mul(b.s(1), b.s(1))), b.c(1))), {x, y});
    auto value = b.initial_shape(b.sub(b.s(0), b.p(0)));
    b.initial_row(value, {y}, {b.parameter(0.6)});
    b.initial_row(value, {vy}, {b.parameter(0.8)});
    b.guess(x, 1);
    if (preference != 0)
      for (std::uint32_t u : {x, vx})
        b.system.attributes.push_back(
            {system::AttributeKind::StatePreference, u, b.parameter(preference), {}});
    return b;
  };
  Builder b = pendulum(0);
  dae::System dae = reduced(b);
  REQUIRE(dae.sets.size() == 2);
  CHECK(states(b, dae) == Names{"one of (vy, vx)", "one of (x, y)"});
  CHECK(dae.discrete_parameters == 4);
  for (const dae::StateSet& set : dae.sets) {
    CHECK(set.candidates.size() == 2);
    CHECK(set.states.size() == 1);
    CHECK(set.equations.size() == set.eliminated.size() + 1);
  }
  // At (0.8, 0.6), speed (-0.6, 0.8), length and mass one: the tension is the speed squared.
  Evaluation e = solved(b, dae);
  CHECK(value_of(dae, e, 0) == Approx(0.8));
  CHECK(value_of(dae, e, 2) == Approx(-0.6));
  CHECK(value_of(dae, e, 4) == Approx(1));

  Builder fixed = pendulum(2);
  dae = reduced(fixed);
  for (const dae::StateSet& set : dae.sets) CHECK(set.states.empty());  // only watched
  CHECK(states(fixed, dae) == Names{"vx", "x"});
  CHECK(value_of(dae, solved(fixed, dae), 4) == Approx(1));
}

TEST_CASE("constraints between states that no equation states alone") {
  // i = j + k, j + k = l, i' = f, l' = g, f + 2 g = 1: a combination of the first two ties i and l.
  Builder b;
  auto i = b.unknown("i"), j = b.unknown("j"), k = b.unknown("k"), l = b.unknown("l"), f = b.unknown("f"),
       g = b.unknown("g");
  auto ode = b.shape(b.sub(b.der(0), b.s(1)));
  b.row(ode, {i, f});
  b.row(ode, {l, g});
  b.sum({{i, false}, {j, true}, {k, true}});
  b.sum({{j, false}, {k, false}, {l, true}});
  b.row(b.shape(b.sub(b.s(0), b.mul(b.c(2), b.fn(Op::Tanh, b.s(1))))), {j, k});
  b.row(b.shape(b.sub(b.add(b.s(0), b.mul(b.c(2), b.s(1))), b.s(2))), {f, g, b.unknown("h")});
  b.row(b.shape(b.sub(b.s(0), b.c(3))), {6});
  dae::System dae = reduced(b);
  CHECK(states(b, dae) == Names{"i"});
  CHECK(rate_of(dae, solved(b, dae), l) == Approx(1));
}
