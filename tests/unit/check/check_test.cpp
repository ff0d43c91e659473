#include <catch2/catch.hpp>
#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

namespace {

const std::string kTour = R"(module Tour where

import Electrical (Pin, Resistance, Voltage, ground, sineVoltage, capacitor)

-- | The part that all two-terminal components share.
twoPin :: SR (p :: Pin, n :: Pin, u :: Voltage)
twoPin = sigrel (p, n, u) where
  u = p.v - n.v
  p.i + n.i = 0

resistor :: Resistance -> SR (p :: Pin, n :: Pin)
resistor r = sigrel (p, n) where
  twoPin <> (p, n, u)
  r * p.i = u

-- | `n` copies of a two-terminal part in a row; `m` is the node between.
chain :: Int -> SR (Pin, Pin) -> SR (Pin, Pin)
chain n part = if n == 1 then part else sigrel (p, q) where
  part             <> (p, m)
  chain (n-1) part <> (m, q)

lowPass :: Resistance -> SR ()
lowPass r = sigrel () where
  source: sineVoltage 5.0 50.0 <> (a, g)
  r1:     resistor r           <> (a, b)
  c1:     capacitor 1.0e-6     <> (b, g)
  ground                       <> g
  initially c1.u = 0.0

main = simulate (lowPass 100.0) with { stop = 0.1, plot = ["source.u", "c1.u"] }
)";

const std::string kFoo = R"(
foo :: SR (Real, Real, Real)
foo = sigrel (x1, x2, x3) where
  x1 + x2 * x3 = 0.0
  x2 = sin x3
)";

}  // namespace

TEST_CASE("the tour model checks as printed") {
  Checked c(kTour);
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  REQUIRE(c.program.main.has_value());
  CHECK(!c.program.main_is_relation);
  CHECK(c.type("resistor") == "Resistance -> SR (p :: Pin, n :: Pin)");
  CHECK(c.type("main") == "Experiment");
  std::string dump = core::print(c.program);
  CHECK(dump.find("c1.") != std::string::npos);
  CHECK(dump.find("(implicit) :: Pin") != std::string::npos);
  // `p.i + n.i = 0`: the literal became a Real.
  CHECK(dump.find("= 0.0") != std::string::npos);
}

TEST_CASE("the relations of the talk check") {
  ACCEPTS(kFoo + R"(
bar = sigrel (u, y) where
  foo <> (u, v, w)
  foo <> (w, u + x, v + y)
  u = x + y
)");
  ACCEPTS("foo = sigrel (x1, x2, x3) where { x1 + x2 * x3 = 0.0 ; x2 = sin x3 }\n");
  Checked c("foo = sigrel (x1, x2, x3) where { x1 + x2 * x3 = 0.0 ; x2 = sin x3 }\n");
  CHECK(c.type("foo") == "SR (x1 :: Real<1>, x2 :: Real<1>, x3 :: Real<1>)");
}

TEST_CASE("applications to wrong signals are type errors") {
  REFUSES(kFoo + "f = sigrel (a) where\n  foo <> (a, b)\n", Code::InterfaceArity,
          "`foo` has 3 interface variables; 2 are given");
  REFUSES(kFoo + "f = sigrel (a) where\n  foo <> (a, b, c, d)\n", Code::InterfaceArity,
          "`foo` has 3 interface variables; 4 are given");
  REFUSES("import Electrical\n" + kFoo + "f :: SR (q :: Pin)\nf = sigrel (q) where\n  foo <> (a, q, b)\n",
          Code::TypeMismatch, "expected Real, because it is interface variable 2 of the relation, found Pin");
  REFUSES("import Electrical\n" + kFoo + "f = sigrel () where\n  foo <> (a, resistor 1.0, b)\n",
          Code::TypeMismatch, "expected Real");
}
