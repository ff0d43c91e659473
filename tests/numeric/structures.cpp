// Structural cases with published or closed-form answers: what is left of a model, which states it has, and
// its values all the same.
#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/graph/blt.h"
#include "compiler/incidence/incidence.h"
#include "numeric.h"
#include "runtime/solve/schedule.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

std::vector<std::string> states(const Model& model) {
  const pipeline::Compiled& c = model.compiled();
  std::vector<std::string> names;
  for (std::uint32_t v = 0; v < c.dae.variables.size(); ++v)
    if (c.dae.variables[v].state) names.push_back(dae::variable_name(c.system, c.dae, v));
  std::ranges::sort(names);
  return names;
}

dae::Alias alias(const Model& model, const char* name) {
  auto unknown = system::find_unknown(model.compiled().system, name);
  REQUIRE(unknown);
  return model.compiled().dae.aliases[*unknown];
}

using Names = std::vector<std::string>;

/// The variables that the steps of a schedule assign or solve for, in order.
Names given(const Model& model, const std::vector<runtime::Step>& steps) {
  const pipeline::Compiled& c = model.compiled();
  const runtime::Model& m = c.plan.model;
  Names names;
  auto name = [&](std::uint32_t v) { names.push_back(dae::variable_name(c.system, c.dae, v)); };
  for (const runtime::Step& step : steps)
    if (step.kind == runtime::Step::Assign)
      for (std::uint32_t row = 0; row < m.batches[step.index].count; ++row)
        name(runtime::solved_variable(m, m.batches[step.index], row));
    else
      for (std::uint32_t k = 0; k < m.loops[step.index].unknowns; ++k)
        name(m.tearing_variables[m.loops[step.index].first_unknown + k]);
  return names;
}

}  // namespace

TEST_CASE("MB-8, MD-3, MD-6: circuits without a reference") {
  for (const char* solver : {"cvode", "ida"}) {
    INFO(solver);
    Model resistive("levels.sr");
    CHECK(resistive.compiled().dae.equations.count() == 2);
    CHECK(states(resistive).empty());
    Run a = resistive.run({});
    CHECK(value(a, "r.p.i") == Approx(5));
    CHECK(value(a, "a.v") - value(a, "b.v") == Approx(10));
    CHECK(value(a, "b.v") == 0);

    Model charging("levels.sr", "charged");
    CHECK(states(charging) == Names{"c.u"});
    CHECK(value(charging.run({.solver = solver}), "c.u") == Approx(9.93262053000915).epsilon(1e-6));

    Model inductors("levels.sr", "inductors");
    CHECK(states(inductors) == Names{"l1.p.i"});
    Run l = inductors.run({.solver = solver});
    CHECK(value(l, "l1.p.i") == Approx(1.5 - 1.4 * std::exp(-20.0 / 9)).epsilon(1e-6));
    CHECK(value(l, "l2.p.i") == Approx(1.5 - 1.4 * std::exp(-20.0 / 9)).epsilon(1e-6));
  }
  // The bridge is balanced: no current through r5. The source gives 12 / 3 + 12 / 9.
  Run b = Model("levels.sr", "bridged").run({});
  CHECK(value(b, "r5.p.i") == Approx(0).margin(1e-12));
  CHECK(value(b, "v.p.i") == Approx(-16.0 / 3));
  Run t = Model("levels.sr", "sides").run({});
  CHECK(value(t, "r.u") == Approx(2));
  CHECK(value(t, "v.p.i") == Approx(-0.1));
}

TEST_CASE("MB-9: states of a first order, of vectors, and of a mass that slides along a line") {
  Model first("structures.sr");
  CHECK(states(first) == Names{"x"});
  Run a = first.run({});
  CHECK(value(a, "y") == Approx(2 * (1 - std::exp(-2.0))).epsilon(1e-6));

  Model mass("structures.sr", "simulate mass with { stop = 2.0, tolerance = 1.0e-9 }");
  CHECK(states(mass) == Names{"r[1]", "r[2]", "r[3]", "v[1]", "v[2]", "v[3]"});
  Run f = mass.run({});
  CHECK(value(f, "r[1]") == Approx(2 + 0.5 * 0.5 * 4));
  CHECK(value(f, "r[2]") == Approx(1));
  CHECK(value(f, "r[3]") == Approx(2 - 0.5 * 2 * 4));

  // Along n only the part of the push that points there moves the mass: s'' = -0.8 * 9.81.
  Model sliding("structures.sr", "simulate sliding with { stop = 1.5, tolerance = 1.0e-9 }");
  CHECK(states(sliding).size() == 2);
  Run s = sliding.run({});
  const double way = 1 - 0.5 * 0.8 * 9.81 * 1.5 * 1.5;
  CHECK(value(s, "s") == Approx(way));
  CHECK(value(s, "r[3]") == Approx(0.8 * way));
  CHECK(value(s, "r[2]") == Approx(0).margin(1e-12));
  CHECK(value(s, "f[2]") == Approx(-3));
}

TEST_CASE("MT-9: numbers of states and equations, and what is left out has its value") {
  Model a("structures.sr", "simulate lorenz with { stop = 0.05, tolerance = 1.0e-9 }");
  CHECK(states(a) == Names{"x", "y"});
  CHECK(alias(a, "u").kind == dae::Alias::Zero);
  CHECK(alias(a, "a").variable == alias(a, "z").variable);
  CHECK(alias(a, "a").kind != alias(a, "z").kind);
  CHECK(a.compiled().dae.equations.count() == 3);
  Run run = a.run({});
  auto x = numeric::column(run, "x"), y = numeric::column(run, "y"), z = numeric::column(run, "z"),
       minus = numeric::column(run, "a"), u = numeric::column(run, "u");
  for (std::size_t k = 0; k < x.size(); ++k) {
    CHECK(z[k] == Approx(x[k] - y[k]).margin(1e-12));
    CHECK(minus[k] == -z[k]);
    CHECK(u[k] == 0);
  }

  // u = k (4 x + u / 2), so u = 4 k / (1 - k / 2) x.
  Model e("structures.sr", "simulate (closedLoop (-1.0)) with { stop = 1.0, tolerance = 1.0e-9 }");
  CHECK(states(e) == Names{"x"});
  const double gain = -4 / 1.5;
  CHECK(value(e.run({}), "x") == Approx(std::exp(-2.0 + 3 * gain)).epsilon(1e-5));
}

TEST_CASE("PM-1, PM-3: what parameters alone decide is computed once, at the start") {
  Model driven("structures.sr", "simulate driven with { stop = 1.0 }");
  const runtime::Model& m = driven.compiled().plan.model;
  CHECK(given(driven, m.invariant) == Names{"a", "e"});
  CHECK(m.dynamic.empty());
  CHECK(given(driven, m.observed) == Names{"k", "c", "d", "g"});
  CHECK(value(driven.run({}), "g") == Approx(5 * std::sin(1.0) + 4));

  Model three("structures.sr", "simulate (three 1.0 1.0) with { stop = 0.0 }");
  CHECK(given(three, three.compiled().plan.model.invariant) == Names{"h", "g", "i"});
  CHECK(three.compiled().plan.model.observed.empty());

  for (const char* solver : {"cvode", "ida"}) {
    Model decided("structures.sr", "simulate (decided 1.0) with { stop = 1.0, tolerance = 1.0e-10 }");
    CHECK(given(decided, decided.compiled().plan.model.invariant) == Names{"w", "v"});
    for (double w : {0.0, 1.0, -2.0}) {  // the same model with other parameters
      Run run = decided.run({.solver = solver, .set = {{"p", w + std::exp(w)}}});
      CHECK(value(run, "w") == Approx(w).margin(1e-9));
      CHECK(value(run, "y") == Approx(2 * w * (2 - std::exp(-1.0))).margin(1e-8));
    }
  }
}

TEST_CASE("MT-11, MT-12, PM-1, PM-3, PM-5: values without states") {
  Run sorted = Model("structures.sr", "simulate sorted with { stop = 0.0 }").run({});
  CHECK(value(sorted, "x") == 9);
  CHECK(value(sorted, "y") == 7);

  Run exact = Model("structures.sr", "simulate unimodular with { stop = 0.0 }").run({});
  for (const char* name : {"a", "b", "c", "d"}) CHECK(value(exact, name) == Approx(1));

  Model graph("structures.sr", "simulate (graph 3.0) with { stop = 0.0 }");
  CHECK(value(graph.run({}), "g") == 19);
  CHECK(value(graph.run({.set = {{"k", -2.0}}}), "g") == -6);
  CHECK(alias(graph, "b").kind == dae::Alias::Zero);
  CHECK(alias(graph, "f").kind == dae::Alias::Zero);

  Run three = Model("structures.sr", "simulate (three 1.0 1.0) with { stop = 0.0 }").run({});
  CHECK(value(three, "h") == 0);
  CHECK(value(three, "g") == 1);
  CHECK(value(three, "i") == 0);

  Model values("structures.sr", "simulate (values 1.0 0.0 0.0) with { stop = 0.0 }");
  CHECK(value(values.run({}), "e4") == 9);
  Run two = values.run({.set = {{"e0", 2.0}}});
  CHECK(value(two, "e4") == 64);
  CHECK(value(two, "e9") == 4);
  CHECK(value(two, "e10") == 68);
  CHECK(value(values.run({.set = {{"e0", 2.0}, {"q0", 1.0}, {"q1", 1.0}}}), "e10") == 73);
  CHECK(value(values.run({.set = {{"e0", 2.0}, {"q0", 0.0}, {"q1", 1.0}}}), "e10") == 70);
}

TEST_CASE("MT-14: laws that were eliminated hold in every row of the results") {
  Model model("structures.sr", "simulate rc with { stop = 5.0, steps = 40 }");
  CHECK(states(model) == Names{"c.u"});
  CHECK(model.compiled().dae.variables.size() <= 5);
  Run run = model.run({});
  auto column = [&](const char* name) {
    auto c = numeric::column(run, name);
    REQUIRE(c.size() == run.trajectory.times().size());
    return c;
  };
  auto vi = column("v.p.i"), ri = column("r.p.i"), rj = column("r.n.i"), ci = column("c.p.i"),
       cj = column("c.n.i");
  auto u = column("c.u"), p = column("c.p.v"), n = column("c.n.v"), a = column("a.v"), b = column("b.v");
  for (std::size_t k = 0; k < u.size(); ++k) {
    CHECK(vi[k] + ri[k] == Approx(0).margin(1e-12));
    CHECK(rj[k] + ci[k] == Approx(0).margin(1e-12));
    CHECK(ci[k] + cj[k] == Approx(0).margin(1e-12));
    CHECK(u[k] == Approx(p[k] - n[k]).margin(1e-12));
    CHECK(a[k] - b[k] == Approx(ri[k]).margin(1e-9));
  }
  Model serial("structures.sr", "simulate serial with { stop = 0.1, tolerance = 1.0e-9 }");
  CHECK(states(serial).size() == 1);
  CHECK(value(serial.run({}), "l1.p.i") == Approx(2 - 1.5 * std::exp(-0.1 * 5 / 0.3)).epsilon(1e-6));
}

TEST_CASE("MT-14: fifty branches that heat one body are fifty independent blocks") {
  constexpr int kBranches = 50;
  Model model("structures.sr", "simulate (heating 50) with { stop = 1.0, tolerance = 1.0e-9 }");
  CHECK(states(model).size() == kBranches + 1);
  const pipeline::Compiled& c = model.compiled();
  CHECK(c.system.equations.count() > 10 * kBranches);
  CHECK(c.dae.equations.count() <= 5 * kBranches + 1);
  incidence::EquationList equations;
  equations.append(c.dae.equations);
  std::vector<std::uint32_t> variable_of(equations.count());
  for (std::uint32_t v = 0; v < c.dae.assign.size(); ++v)
    if (c.dae.assign[v] != dae::kNone) variable_of[c.dae.assign[v]] = v;
  auto blocks = graph::blt(
      incidence::incidence(equations, static_cast<std::uint32_t>(c.dae.variables.size())), c.dae.assign);
  CHECK(blocks.count() > kBranches);
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    std::set<std::string> branches;
    for (std::uint32_t r : blocks.block(b)) {
      std::string name = dae::variable_name(c.system, c.dae, variable_of[r]);
      branches.insert(name.substr(0, name.find(']')));
    }
    CHECK(branches.size() == 1);
  }
  // What the sources gave and is not in the capacitors has become heat.
  Run run = model.run({});
  const double v = value(run, "b[7].c.u");
  CHECK(value(run, "b[50].c.u") == v);
  CHECK(100 * value(run, "t") == Approx(kBranches * (10 * 0.5 * v - 0.5 * 0.5 * v * v)).epsilon(1e-6));
}

TEST_CASE("PM-10: a chain of equal signals is one variable, by for and by recursion") {
  for (const char* expression :
       {"simulate (chain 524288) with { stop = 1.0, tolerance = 1.0e-8, outputs = [\"a[524288]\"] }",
        "simulate (links 1000) with { stop = 1.0, tolerance = 1.0e-8, outputs = [\"b\"] }"}) {
    Model model("structures.sr", expression);
    CHECK(model.compiled().dae.variables.size() == 2);
    CHECK(model.compiled().dae.equations.count() == 1);
    CHECK(model.run({}).final_values.at(0) == Approx(std::exp(-1.0)).epsilon(1e-6));
  }
}

// Where two links of a loop are on a line their angles do not follow from the others of the loop, so that
// none of these may be the state there; a state that is kept lets the loop jump to its other branch, with
// another energy.
TEST_CASE("a loop of a large mechanism keeps its branch where two of its links come to lie on a line") {
  Model model("six_loops.sr");
  const Run run = model.run({.stop = 1.0, .tolerance = 1e-8, .outputs = {"energy"}});
  const auto energy = numeric::column(run, "energy");
  for (double e : energy) CHECK(std::abs(e - energy.front()) < 1e-4);
}
