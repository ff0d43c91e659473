// Shapes, templates and instances: sharing, names, parameters.
#include <fmt/format.h>

#include "source.h"

using elaborated::Source;
using sigrel::Code;

namespace {

std::string ladder(int n, bool loop) {
  const char* recursive = R"(
ladder :: Int -> SR (p :: Pin, g :: Pin)
ladder n = sigrel (p, g) where
  r: resistor (2.0<Ohm> * real n) <> (p, m)
  c: capacitor 1.0e-3        <> (m, g)
  if n > 1 then
    rest: ladder (n - 1) <> (m, g)
  initially c.u = 0.0
)";
  const char* looped = R"(
ladder :: Int -> SR (p :: Pin, g :: Pin)
ladder n = sigrel (p, g) where
  local x :: Pin^(n + 1)
  connect p x[1]
  for i in 1 .. n do
    r: resistor (2.0<Ohm> * real i) <> (x[i], x[i + 1])
    c: capacitor 1.0e-3        <> (x[i + 1], g)
    initially c.u = 0.0
)";
  return std::string(loop ? looped : recursive) + fmt::format(R"(
main = simulate (sigrel () where
    source: constantVoltage 1.0 <> (a, g)
    net: ladder {} <> (a, g)
    ground <> g)
)",
                                                              n);
}

}  // namespace

TEST_CASE("Copies add rows, not shapes or templates") {
  for (bool loop : {false, true}) {
    INFO(loop);
    Source small(ladder(5, loop)), large(ladder(200, loop));
    CHECK(small.system().equations.tables.size() == large.system().equations.tables.size());
    CHECK(small.system().templates.size() == large.system().templates.size());
    CHECK((large.system().unknowns - small.system().unknowns) % 195 == 0);
    CHECK(large.system().unknowns == large.system().equations.count());
  }
}

TEST_CASE("A node of k parts is one sum of k terms; one use is plain substitution") {
  Source s(R"(
main = simulate (sigrel () where
    v: constantVoltage 1.0 <> (a, g)
    for i in 1 .. 7 do
      r: resistor 1.0 <> (a, g)
    ground <> g)
)");
  const auto& sums = s.system().equations.sums;
  REQUIRE(sums.rows() == 2);
  CHECK(sums.terms_of(0).size() == 8);
  CHECK(sums.terms_of(1).size() == 9);
  CHECK(s.unknown("r[3].p.v") == s.unknown("a.v"));
  CHECK(s.unknown("r[3].n.v") == s.unknown("g.v"));
  CHECK(s.unknown("r[3].p.i") != s.unknown("r[4].p.i"));

  Source one(R"(
inner :: SR (p :: Pin, n :: Pin)
inner = sigrel (p, n) where
  r: resistor 1.0 <> (p, n)
main = simulate (sigrel () where
    v: constantVoltage 1.0 <> (a, g)
    i: inner <> (a, g)
    ground <> g)
)");
  CHECK(one.unknown("i.r.p.i") == one.unknown("i.p.i"));
  CHECK(one.unknown("i.r.p.v") == one.unknown("a.v"));
}

TEST_CASE("connect joins nodes, of labelled instances too, before or after they are made") {
  Source s(R"(
main = simulate (sigrel () where
    connect v.p r.p
    connect r.n v.n g.g
    v: constantVoltage 1.0
    r: resistor 1.0
    g: ground)
)");
  CHECK(s.unknown("v.p.v") == s.unknown("r.p.v"));
  CHECK(s.unknown("g.g.v") == s.unknown("r.n.v"));
  CHECK(s.system().unknowns == s.system().equations.count());

  Source wire(R"(
wire :: SR (p :: Pin, q :: Pin)
wire = sigrel (p, q) where connect p q
main = simulate (sigrel () where
    v: constantVoltage 1.0 <> (a, g)
    w: wire <> (a, b)
    r: resistor 1.0 <> (b, g)
    ground <> g)
)");
  CHECK(wire.system().unknowns == wire.system().equations.count());
  CHECK(wire.unknown("w.p.v") !=
        wire.unknown("w.q.v"));  // an equation, as an interface may be bound to anything
}

TEST_CASE("An argument that is an expression is an auxiliary unknown with its own equation") {
  Source s(R"(
foo :: SR (x :: Real, y :: Real)
foo = sigrel (x, y) where
  x = 2.0 * y
main = simulate (sigrel () where
    local u :: Real
    u = time
    f: foo <> (u + 1.0, w))
)");
  CHECK(s.system().unknowns == 3);
  CHECK(s.system().equations.count() == 3);
  CHECK(s.unknown("f.x") != s.unknown("u"));
  CHECK(s.unknown("f.y") == s.unknown("w"));
}

TEST_CASE("Reals are parameters: named at the root and where --set says so") {
  const std::string text = R"(
gain :: Real -> SR (x :: Real)
gain k = sigrel (x) where
  x = k^2 + k * time
pair :: Real -> SR ()
pair r = sigrel () where
  a: gain r <> x
  b: gain (2.0 * r) <> y
main = simulate (pair 3.0)
)";
  Source plain(text);
  REQUIRE(plain.system().named_parameters.size() == 1);
  CHECK(plain.system().named_parameters[0].name == "r");
  CHECK_FALSE(plain.system().named_parameters[0].structural);
  CHECK(plain.system().equations.tables.size() == 1);  // both gains are rows of one shape

  Source set(text, {{"b.k", 7.0}});
  REQUIRE(set.system().named_parameters.size() == 2);
  CHECK(set.system().named_parameters[1].name == "b.k");
  CHECK(set.system().parameters[set.system().named_parameters[1].parameter].value == 7.0);

  Source unknown(text, {{"b.kk", 7.0}});
  CHECK(unknown.codes() == std::vector{Code::UnknownParameter});
}

TEST_CASE("A Real that decides an `if` of items is structural, for each of its values") {
  Source s(R"(
choose :: Real -> SR (x :: Real)
choose k = sigrel (x) where
  if k > 5.0 then
    x = k
  else
    x = 2.0 * k + time
top :: Real -> SR ()
top k = sigrel () where
  a: choose k <> x
  b: choose 6.0 <> y
  c: choose 4.5 <> z
main = simulate (top 4.0)
)");
  CHECK(s.system().equations.tables.size() == 2);
  REQUIRE(s.system().named_parameters.size() == 1);
  CHECK(s.system().named_parameters[0].structural);
}

TEST_CASE("A relation that captures the rest of a chain costs the same however long the rest is") {
  Source s(R"(
series :: SR (Pin, Pin) -> SR (Pin, Pin) -> SR (Pin, Pin)
series a b = sigrel (p, n) where
  a <> (p, m)
  b <> (m, n)
main = simulate (sigrel () where
    v: constantVoltage 1.0 <> (a, g)
    s: foldr series (resistor 1.0) [resistor (real i * 1.0<Ohm>) for i in 1 .. 3000] <> (a, g)
    ground <> g)
)");
  CHECK(s.system().equations.tables.size() < 8);
  CHECK(s.system().captured.size() < 30000);
  CHECK(s.system().unknowns == s.system().equations.count());
}

TEST_CASE("Hidden variables are read through labels, forwards too") {
  Source s(R"(
part :: SR (p :: Pin, n :: Pin)
part = sigrel (p, n) where
  r: resistor 1.0 <> (p, m)
  c: capacitor 1.0 <> (m, n)
main = simulate (sigrel () where
    local q :: Real
    q = x[2].m.v + x[1].c.u
    initially
      x[1].c.u = 0.0
      x[2].c.u = 0.0
    for i in 1 .. 2 do
      x: part <> (a, g)
    v: constantVoltage 1.0 <> (a, g)
    ground <> g)
)");
  CHECK(s.system().initial.count() == 2);
  CHECK(s.unknown("x[1].m.v") != s.unknown("x[2].m.v"));
}

TEST_CASE("A global that is a signal is evaluated for each body that uses it") {
  Source s(R"(
wave = sin time
phase = time + 1.0
one :: SR (x :: Real)
one = sigrel (x) where
  x = 2.0 * time * phase
two :: SR (x :: Real)
two = sigrel (x) where
  local y :: Real
  y = exp x
  x = wave
main = simulate (sigrel () where
    local z :: Real
    z = wave + phase
    a: one <> x
    b: two <> y)
)");
  // sin(time) is the same expression in every shape that has it
  auto& tables = s.system().equations.tables;
  std::size_t waves = 0;
  for (const auto& t : tables)
    waves += print(s.system().exprs, t.residual).find("sin(time)") != std::string::npos;
  CHECK(waves == 2);
}
