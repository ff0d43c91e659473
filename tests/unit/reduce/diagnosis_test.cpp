// What is said of systems that cannot be solved.
#include <catch2/catch.hpp>

#include "compiler/order/order.h"
#include "compiler/reduce/reduce.h"
#include "compiler/singularity/singular_system.h"
#include "tests/unit/reduce/circuits.h"

using namespace sigrel;
using namespace fixture;

namespace {

/// Reduces, and orders when that went well.
Diagnostics diagnose(const Builder& b) {
  Diagnostics d;
  system::verify(b.system);
  dae::System dae = reduce::reduce(b.system, d);
  if (!d.has_errors()) order::order(b.system, dae, d);
  SourceMap sources;
  sources.add("model.sr", b.source);
  for (const Diagnostic& x : d.all()) UNSCOPED_INFO(render_text(x, sources, false));
  return d;
}

std::string all_text(const Diagnostic& d) {
  std::string s = d.message;
  if (d.primary) s += "\n" + d.primary->text;
  for (const Label& l : d.secondary) s += "\n" + l.text;
  for (const std::string& n : d.notes) s += "\n" + n;
  for (const Help& h : d.helps) s += "\n" + h.text;
  return s;
}

bool says(const Diagnostic& d, const std::string& words) {
  return all_text(d).find(words) != std::string::npos;
}

void check_one(const Diagnostics& d, Code code) {
  REQUIRE(d.all().size() == 1);
  CHECK(d.all()[0].code == code);
  CHECK(d.all()[0].primary);
}

}  // namespace

TEST_CASE("three equations for two unknowns") {
  Builder b;
  auto u = b.unknown("u"), i = b.unknown("i"), w = b.unknown("w");
  auto line = b.shape(b.sub(b.mul(b.p(0), b.s(0)), b.s(1)));
  auto twice = b.shape(b.sub(b.s(0), b.mul(b.s(1), b.s(1))));
  auto ode = b.shape(b.sub(b.der(0), b.s(1)));
  b.row(line, {i, u}, {b.parameter(2)});
  b.row(ode, {w, u});
  b.row(twice, {u, i});
  b.row(line, {u, i}, {b.parameter(3)});
  Diagnostics d = diagnose(b);
  check_one(d, Code::TooManyEquations);
  CHECK(d.all()[0].message == "3 equations of `model` determine only 2 unknowns: `u` and `i`");
  CHECK(says(d.all()[0], "only `u` and `i` can be found from these"));
  CHECK(d.all()[0].secondary.size() == 2);
}

TEST_CASE("an unknown in no equation, and one equation for two unknowns") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y");
  b.unknown("z");
  b.row(b.shape(b.sub(b.mul(b.s(0), b.s(0)), b.s(1))), {x, y});
  Diagnostics d = diagnose(b);
  REQUIRE(d.all().size() == 2);
  CHECK(d.all()[0].code == Code::Undetermined);
  CHECK(says(d.all()[0], "nothing determines all of `x` and `y` in `model`"));
  CHECK(says(d.all()[0], "`x` and `y` occur only in 1 equation"));
  CHECK(says(d.all()[1], "nothing determines `z` in `model`"));
  CHECK(says(d.all()[1], "occurs in no equation"));
}

TEST_CASE("an equation too many and an unknown too many in one relation are one mistake") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y");
  auto value = b.shape(b.sub(b.fn(Op::Sin, b.s(0)), b.p(0)));
  b.row(value, {x}, {b.parameter(0.1)});
  b.row(value, {x}, {b.parameter(0.2)});
  (void)y;
  Diagnostics d = diagnose(b);
  check_one(d, Code::TooManyEquations);
  CHECK(says(d.all()[0], "1 equation is too few for `y`"));
}

TEST_CASE("an equation without unknowns") {
  Builder b;
  auto x = b.unknown("x");
  b.row(b.shape(b.sub(b.s(0), b.p(0))), {x}, {b.parameter(1)});
  b.row(b.shape(b.sub(b.p(0), b.p(1))), {}, {b.parameter(1), b.parameter(2)});
  check_one(diagnose(b), Code::NoUnknown);
}

TEST_CASE("a flow that nothing determines") {
  Circuit x;
  auto a = x.node("a"), g = x.node("g");
  x.source("s", a, g, 10);
  x.ground(g);
  x.finish();
  auto loose = x.unknown("p.i", system::UnknownKind::Flow);
  (void)loose;
  Diagnostics d = diagnose(x);
  check_one(d, Code::Undetermined);
  CHECK(says(d.all()[0], "nothing determines `p.i`"));
  CHECK(says(d.all()[0], "occurs in no equation"));
}

TEST_CASE(
    "MB-8a: of a source and a resistor without ground two equations are left, and one level is arbitrary") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b");
  auto s = x.source("s", a, b, 10), r = x.resistor("r", a, b, 2);
  x.finish();
  Diagnostics d = diagnose(x);
  check_one(d, Code::ArbitraryLevel);
  CHECK(says(d.all()[0], "nothing determines the common reference of `a.v` and `b.v`"));
  CHECK(says(d.all()[0], "`b.v` is taken as 0"));
  Diagnostics quiet;
  dae::System dae = reduce::reduce(x.system, quiet);
  CHECK(dae.equations.count() == 2);
  CHECK(dae.variables.size() == 2);
  CHECK(dae.aliases[b].kind == dae::Alias::Zero);
  CHECK(dae.aliases[a].variable == dae.aliases[s.u].variable);
  CHECK(dae.aliases[r.u].variable == dae.aliases[s.u].variable);
}

TEST_CASE("MB-8b: with a ground nothing is arbitrary") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b");
  x.source("s", a, b, 10);
  x.resistor("r", a, b, 2);
  x.ground(b);
  x.finish();
  CHECK(diagnose(x).all().empty());
  Diagnostics quiet;
  CHECK(reduce::reduce(x.system, quiet).equations.count() == 2);
}

TEST_CASE("MB-8c: the same with a capacitor, and with two islands") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), c = x.node("c");
  x.source("s", a, b, 10);
  x.resistor("r", a, c, 2);
  auto k = x.capacitor("k", c, b, 2);
  auto e = x.node("e"), f = x.node("f");
  auto l = x.inductor("l", e, f, 1);
  x.resistor("m", e, f, 1);
  x.finish();
  Diagnostics d = diagnose(x);
  REQUIRE(d.all().size() == 3);  // and a note on the start
  CHECK(d.all()[0].code == Code::ArbitraryLevel);
  CHECK(says(d.all()[0], "nothing determines the common reference of `a.v`, `b.v` and `c.v`"));
  CHECK(says(d.all()[1], "nothing determines the common reference of `e.v` and `f.v`"));
  Diagnostics quiet;
  dae::System dae = reduce::reduce(x.system, quiet);
  CHECK(dae.variables[dae.aliases[k.u].variable].state);
  CHECK(dae.variables[dae.aliases[l.i].variable].state);
}

TEST_CASE("MB-8d: inductors in series without ground have one state, and one level is arbitrary") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), c = x.node("c"), g = x.node("g");
  x.source("v", a, g, 10);
  auto l1 = x.inductor("l1", a, b, 0.1);
  x.resistor("r1", b, c, 10);
  x.resistor("r2", b, c, 20);
  auto l2 = x.inductor("l2", c, g, 0.2);
  x.finish();
  Diagnostics d = diagnose(x);
  REQUIRE(d.all().size() == 2);
  CHECK(says(d.all()[0], "nothing determines the common reference of `a.v`, `b.v`, `c.v` and `g.v`"));
  Diagnostics quiet;
  dae::System dae = reduce::reduce(x.system, quiet);
  CHECK(std::ranges::count_if(dae.variables, [](const dae::Variable& v) { return v.state; }) == 1);
  // L1.i - L2.i = 0 follows from the source between them: they are one variable.
  CHECK(dae.aliases[l1.i].variable == dae.aliases[l2.i].variable);
  CHECK(dae.variables[dae.aliases[l1.i].variable].state);
}

TEST_CASE("a circuit grounded twice is not singular") {
  Circuit x;
  auto a = x.node("a"), g = x.node("g"), h = x.node("h");
  x.source("s", a, g, 10);
  x.resistor("r", a, h, 2);
  x.ground(g);
  x.ground(h);
  x.finish();
  CHECK(diagnose(x).all().empty());
}

TEST_CASE("a redundant alias") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y"), z = b.unknown("z");
  auto same = b.shape(b.sub(b.s(0), b.s(1)));
  b.row(same, {x, y});
  b.row(same, {y, z});
  b.row(same, {z, x});
  Diagnostics d = diagnose(b);
  REQUIRE(d.all().size() == 1);
  // Nothing fixes the level of x, y and z either: that they are one unknown is all there is.
  CHECK(d.all()[0].code == Code::RedundantEquation);
  CHECK(says(d.all()[0], "what this says of `x` and `z` follows from the other equations"));
}

TEST_CASE("capacitors in parallel and inductors in series are one state each") {
  Circuit x;
  auto a = x.node("a"), b = x.node("b"), g = x.node("g"), c = x.node("c");
  x.source("s", a, g, 10);
  x.resistor("r", a, b, 1);
  x.capacitor("c1", b, g, 1);
  x.capacitor("c2", b, g, 2);
  x.inductor("l1", b, c, 1);
  x.inductor("l2", c, g, 1);
  x.ground(g);
  x.finish();
  Diagnostics d;
  dae::System dae = reduce::reduce(x.system, d);
  REQUIRE(d.all().empty());
  plan::Plan plan = order::order(x.system, dae, d);
  plan::verify(plan);
  CHECK(plan.model.states.size() == 2);
}

namespace {

/// What is said of a start with too many equations, when a run finds that the spare ones do not hold.
Diagnostics contradicted(Builder& b) {
  Diagnostics d;
  dae::System dae = reduce::reduce(b.system, d);
  plan::Plan plan = order::order(b.system, dae, d);
  plan::verify(plan);
  CHECK(!d.has_errors());
  d.clear();
  std::vector<singularity::Contradiction> all;
  for (std::uint32_t e : plan.redundant_initial) all.push_back({e, 0.5});
  REQUIRE(all.size() == 1);
  CHECK(plan.model.initial_checks.size() == 1);
  singularity::report_overdetermined_start(b.system, dae, plan, all, d);
  return d;
}

}  // namespace

TEST_CASE("more initial equations than degrees of freedom") {
  Builder b;
  auto h1 = b.unknown("h1"), h2 = b.unknown("h2"), q = b.unknown("q");
  auto ode = b.shape(b.sub(b.der(0), b.s(1)));
  b.row(ode, {h1, q});
  b.row(b.shape(b.add(b.der(0), b.s(1))), {h2, q});
  b.row(b.shape(b.sub(b.s(0), b.sub(b.s(1), b.s(2)))), {q, h1, h2});
  auto start = b.initial_shape(b.sub(b.s(0), b.p(0)));
  b.initial_row(start, {h1}, {b.parameter(1)});
  b.initial_row(start, {h2}, {b.parameter(2)});
  b.initial_row(start, {q}, {b.parameter(0.1)});
  Diagnostics d = contradicted(b);
  check_one(d, Code::TooManyInitialEquations);
  CHECK(d.all()[0].message == "3 initial equations for 2 degrees of freedom contradict each other");
  CHECK(says(d.all()[0], "drop one of the three, or make it a `guess`"));
}

TEST_CASE("an initial equation for what time fixes, and one for a derivative that is nowhere") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y");
  b.row(b.shape(b.sub(b.s(0), b.fn(Op::Sin, b.time()))), {x});
  b.row(b.shape(b.sub(b.der(0), b.s(1))), {y, x});
  b.initial_row(b.initial_shape(b.sub(b.s(0), b.p(0))), {x}, {b.parameter(1)});
  Diagnostics fixed = contradicted(b);
  check_one(fixed, Code::TooManyInitialEquations);
  CHECK(fixed.all()[0].message == "the equations contradict an initial equation");

  Builder c;
  auto z = c.unknown("z");
  c.row(c.shape(c.sub(c.s(0), c.fn(Op::Sin, c.time()))), {z});
  c.initial_row(c.initial_shape(c.der(0)), {z});
  Diagnostics d = diagnose(c);
  check_one(d, Code::DerivativeNotInEquations);
  CHECK(says(d.all()[0], "no equation contains `der z`"));
}

TEST_CASE("starts from guesses are one note") {
  Circuit x;
  auto before = x.node("a"), g = x.node("g");
  x.source("s", before, g, 10);
  x.ground(g);
  std::vector<Circuit::Part> c;
  for (int k = 1; k <= 4; ++k) {
    auto here = x.node("n" + std::to_string(k));
    x.resistor("r" + std::to_string(k), before, here, 1);
    c.push_back(x.capacitor("c" + std::to_string(k), here, g, 1));
    before = here;
  }
  x.finish();
  x.guess(c[2].u, 5);
  x.initial_row(x.initial_shape(x.sub(x.s(0), x.c(1))), {c[0].u});
  Diagnostics d = diagnose(x);
  REQUIRE(d.all().size() == 1);
  CHECK(d.all()[0].code == Code::InitialFromGuesses);
  CHECK(d.all()[0].severity == Severity::Note);
  CHECK(d.all()[0].message == "the start of `c3.u`, `c2.u` and `c4.u` is taken from guesses");
}
