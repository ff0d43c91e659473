// Relation bodies: names, members, items.
#include <catch2/catch.hpp>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

TEST_CASE("implicit locals belong to the innermost block with all their uses") {
  Checked c(
      "import Electrical\n"
      "f :: Int -> SR (Pin, Pin)\n"
      "f n = sigrel (p, q) where\n"
      "  resistor 1.0 <> (p, a)\n"
      "  resistor 1.0 <> (a, q)\n"
      "  for i in 1 .. n do\n"
      "    resistor 1.0 <> (a, inner)\n"
      "    ground <> inner\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  std::string dump = c.dump("f");
  CHECK(dump.find("\n    local a.") != std::string::npos);
  CHECK(dump.find("\n      local inner.") != std::string::npos);
  REFUSES("f = sigrel (x) where\n  x = y + 1.0\n", Code::UnknownName, "`y` is not defined");
  REFUSES("f = sigrel (x) where\n  x = y + y\n  y = 2.0 * y\n", Code::UnknownName, "local y");
}

TEST_CASE("instances are read by interface, by local and through inner instances") {
  ACCEPTS(
      "import Electrical\n"
      "load = sigrel (p, n) where\n  r: resistor 1.0 <> (p, m)\n  c: capacitor 1.0e-3 <> (m, n)\n"
      "f = sigrel (power :: Real, q) where\n"
      "  power = l.p.i * (l.p.v - l.n.v) + l.r.u * l.c.p.i\n"
      "  l: load <> (a, b)\n  s: constantVoltage 1.0 <> (a, b)\n  ground <> b\n"
      "  q = l.m.v\n"
      "  initially l.c.u = 0.0\n");
  ACCEPTS(
      "import Electrical\nf = sigrel () where\n  r1: resistor 1.0\n  c1: capacitor 1.0\n  connect r1.n "
      "c1.p\n  connect r1.p c1.n\n");
  ACCEPTS(
      "import Electrical\nf :: Int -> SR (total :: Real)\nf n = sigrel (total) where\n"
      "  for i in 1 .. n do\n    r: resistor 1.0 <> (a, b)\n    ground <> b\n    initially r.u = 0.0\n  "
      "total = r[1].u + 1.0<Ohm> * r[2].p.i\n");
  REFUSES("import Electrical\nf = sigrel (x) where\n  r: resistor 1.0 <> (a, b)\n  x = r.w\n",
          Code::UnknownMember, "`r` has no variable `w`");
  REFUSES("import Electrical\nf = sigrel (x) where\n  r: resistor 1.0 <> (a, b)\n  x = r[1].u\n",
          Code::InstanceIndices, "not indexed");
  REFUSES("import Electrical\nf = sigrel (x) where\n  r: resistor 1.0 <> (a, b)\n  x = r\n",
          Code::InstanceAsValue, "is an instance");
  REFUSES(
      "import Electrical\nf :: SR (p :: Pin, q :: Pin) -> SR (x :: Real)\nf part = sigrel (x) where\n  r: "
      "part <> (a, b)\n  x = r.u\n",
      Code::UnknownMember, "top-level definition");
  ACCEPTS(
      "import Electrical\nf :: SR (p :: Pin, q :: Pin) -> SR (x :: Real)\nf part = sigrel (x) where\n  r: "
      "part <> (a, b)\n  x = r.q.v\n");
}

TEST_CASE("every item of a body is resolved and typed") {
  ACCEPTS(
      "import Electrical\n"
      "diode :: SR (p :: Pin, n :: Pin)\n"
      "diode = sigrel (p, n) where\n  twoPin <> (p, n, u)\n"
      "  switch Open where\n    mode Open where\n      p.i = 0.0\n      until u > 0.0 -> Closed\n"
      "    mode Closed where\n      u = 0.0\n      until p.i < 0.0 -> Open\n");
  ACCEPTS(
      "ball = sigrel (h :: Length) where\n  local v :: Velocity with { guess = 1.0, state = Prefer }\n"
      "  discrete bounces :: Int = 0\n"
      "  der h = v\n  der v = -9.81\n"
      "  when h < 0.0 do\n    v := -0.8 * pre v\n    bounces := pre bounces + 1\n"
      "  every 0.1 do\n    let half = h / 2.0\n    bounces := if half > 1.0 then 1 else 2\n"
      "  initially\n    h = 1.0\n    v = 0.0\n"
      "  guess h = 1.0\n"
      "  assert \"it fell through\" (h > -1.0)\n  terminate when time > 10.0\n");
  ACCEPTS(
      "f :: Real -> SR (x :: Real, y :: Real)\nf l = sigrel (x, y) where\n"
      "  switch Swinging 1.0 where\n"
      "    mode Swinging x0 where\n      x = l * sin x0\n      y = x\n      until time > 1.0 -> Falling x y\n"
      "    mode Falling a b where\n      x = a\n      y = b\n");
  ACCEPTS(
      "pid :: Real -> SR (in e :: Real, out y :: Real)\npid k = sigrel (e, y) where\n  y = k * e\n"
      "loop = sigrel (r, x) where\n  x = pid 2.0 <> (r - x)\n");
  ACCEPTS(
      "f :: Bool -> SR (x :: Real)\nf b = sigrel (x) where\n  if b then\n    x = 1.0\n  else\n    x = 2.0\n");
}

TEST_CASE("what goes wrong in a body") {
  REFUSES("import Electrical\nf = sigrel (a :: Pin, b :: Pin) where\n  a = b\n", Code::ConnectorEquation,
          "did you mean `connect`?");
  REFUSES("import Electrical\nf = sigrel (a :: Pin, b) where\n  b = a + 1.0\n", Code::OperandType, "Pin");
  REFUSES("import Electrical\nf = sigrel () where\n  resistor <> (a, b)\n", Code::WrongArgumentCount,
          "`resistor` takes 1 argument before `<>`, 0 are given");
  REFUSES("import Electrical\nf = sigrel () where\n  resistor 1.0 2.0 <> (a, b)\n", Code::WrongArgumentCount,
          "`resistor` takes 1 argument, 2 are given");
  REFUSES("import Electrical\nf = sigrel (x) where\n  resistor x <> (a, b)\n", Code::SignalOutOfReach,
          "`x` is a signal");
  REFUSES("f = sigrel (x) where\n  sin <> x\n", Code::NotARelation, "`sin` is not a relation");
  REFUSES("f = sigrel (x) where\n  let inner = sigrel (y) where { y = x }\n  inner <> x\n",
          Code::SignalOutOfReach, "signal of the enclosing relation");
  REFUSES("f = sigrel (x, x) where\n  x = 1.0\n", Code::DuplicateName, "`x` is defined twice");
  REFUSES("f = sigrel (x) where\n  x = 1.0 + True\n", Code::OperandType, "Bool");
  REFUSES("f = sigrel (x) where\n  x = if time then 1.0 else 2.0\n", Code::TypeMismatch, "it is a condition");
  REFUSES("f = sigrel (x) where\n  switch Open where\n    mode Closed where\n      x = 1.0\n",
          Code::UnknownMode, "there is no mode `Open`");
  REFUSES("f :: SR (x :: Real)\nf = sigrel (x, y) where\n  x = y\n", Code::InterfaceArity,
          "this relation has 2 interface variables; its type has 1");
}

TEST_CASE("experiments") {
  Checked c(
      "m = sigrel () where\n  local x :: Real\n  der x = 1.0\nmain = simulate m with { stop = 2, plot = "
      "[\"x\"] }\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.dump("main").find("#2 = 2.0") != std::string::npos);
  REFUSES("m = sigrel () where\n  local x :: Real\n  der x = 1.0\nmain = simulate m with { stopp = 2 }\n",
          Code::UnknownField, "did you mean `stop`?");
  Checked e("m :: Real -> SR ()\nm k = sigrel () where\n  local x :: Real\n  der x = k\n", "m 2.0");
  INFO(e.messages());
  REQUIRE(e.diagnostics.all().empty());
  REQUIRE(e.program.main);
  CHECK(e.program.main_is_relation);
}
