// Structural types of definitions, through the whole front end: what `sigrel check` says of a relation by
// itself.
#include "tests/unit/session/structure.h"

using namespace structure;

namespace {

const char* kFoo =
    "foo :: SR (x1 :: Real, x2 :: Real, x3 :: Real)\n"
    "foo = sigrel (x1, x2, x3) where\n  x1 + x2 * x3 = 1.0\n  sin x2 + x3 = 0.0\n";

}  // namespace

TEST_CASE("N-1 to N-4: the types of the talk") {
  // The sets that foo can determine are all pairs, so {x1 x2 x3; x2 x3} and {x1 x2; x1 x3} are one type.
  has_types(
      (std::string(kFoo) +
       "two = sigrel (u :: Real, v :: Real, w :: Real, x :: Real, y :: Real) where\n  foo <> (u, v, w)\n"
       "three = sigrel (u :: Real, v :: Real, w :: Real, x :: Real, y :: Real) where\n  foo <> (w, u + x, v "
       "+ y)\n"
       "bar = sigrel (u :: Real, y :: Real) where\n  local v, w, x\n  u = sin v\n  foo <> (u, w + x, y + "
       "v)\n  w * x = exp v\n")
          .c_str(),
      {{"foo", "{x1 x2; x1 x3}"}, {"two", "{u v; u w}"}, {"three", "{u w x; v w y}"}, {"bar", "{u y}"}});
}

TEST_CASE("N-5: an over-determined part is an error where it is defined, and only there") {
  refused(
      "f :: SR (x :: Real, y :: Real, z :: Real)\nf = sigrel (x, y, z) where\n  x + y * z = 1.0\n  sin z = "
      "0.5\n  exp z = 2.0\n"
      "user :: SR (a :: Real, b :: Real)\nuser = sigrel (a, b) where\n  f <> (a, b, c)\n  c = a\n",
      "SR0301", "2 equations of `f` determine only 1 unknown");
  refused("f :: SR (p :: Real)\nf = sigrel (p) where\n  local v, w :: Real\n  v = p\n", "SR0302",
          "nothing determines `w` in `f`");
  refused(
      "f :: SR (p :: Real)\nf = sigrel (p) where\n  local v, w :: Real\n  v = p\n  p = 1.0\n  v = w * 0.0 + "
      "2.0 * w\n  w = 3.0\n",
      "SR0301", "4 equations of `f` determine only 3 unknowns");
}

TEST_CASE("N-6: components of circuits and of machines") {
  has_types(
      "import Electrical\n"
      "record Flange = { phi :: Angle, flow tau :: Torque }\n"
      "inertia :: Inertia -> SR (a :: Flange)\ninertia j = sigrel (a) where\n  local w :: AngularVelocity\n  "
      "der a.phi = w\n  j * der w = a.tau\n"
      "emf :: Real<N*m/A> -> SR (p :: Pin, n :: Pin, a :: Flange)\nemf k = sigrel (p, n, a) where\n  twoPin "
      "<> (p, n, u)\n  u = k * der a.phi\n  a.tau = -k * p.i\n"
      "r :: Resistance -> SR (p :: Pin, n :: Pin)\nr = resistor\n"
      "v :: Voltage -> SR (p :: Pin, n :: Pin)\nv = constantVoltage\n"
      "i :: Current -> SR (p :: Pin, n :: Pin)\ni = constantCurrent\n"
      "g = ground\n"
      "lc = series (inductor 1.0) (capacitor 1.0)\n"
      "rr = parallel (resistor 1.0) lc\n",
      {{"r", "{p.v p.i n.v; p.i n.i}"},
       {"v", "{p.v n.v; p.i n.i}"},
       {"i", "{p.i; n.i}"},
       {"g", "{g.v}"},
       {"lc", "{p.v p.i n.v; p.i n.i}"},
       {"rr", "{p.v p.i n.v; p.v p.i n.i}"},
       {"inertia", "{a.phi a.tau}"},
       {"emf", "{p.v n.v a.phi; p.i n.i; p.i a.tau}"}});
  // A source whose balance is written as two currents (MT-10 c).
  refused(
      "import Electrical\nsource :: Current -> SR (p :: Pin, n :: Pin)\nsource j = sigrel (p, n) where\n  "
      "twoPin <> (p, n, u)\n  p.i = j\n  n.i = j\n",
      "SR0301", "of `source`");
}

TEST_CASE("what depends on the values of numbers has no structural type of its own") {
  has_types(
      "import Electrical\n"
      "choose :: Real<1> -> SR (p :: Pin, n :: Pin)\nchoose x = if x > 0.0 then resistor 1.0 else "
      "constantVoltage 1.0\n",
      {{"choose", ""}});
}

TEST_CASE("a relation that contains itself without end has no structural type, and check ends") {
  has_types(
      "grow :: Int -> SR (x :: Real)\ngrow n = sigrel (x) where\n  grow (n + 1) <> x\ntop = grow 1\n"
      "same :: SR (x :: Real)\nsame = sigrel (x) where\n  same <> x\n",
      {{"top", ""}, {"same", ""}});
}

TEST_CASE("An equation that reads inside a part") {
  // p = u^2 / r: power determines what else would be free.
  has_types(
      "import Electrical\n"
      "rated :: Power -> SR (p :: Pin, n :: Pin)\nrated w = sigrel (p, n) where\n  r1: resistor 1.0 <> (p, "
      "m)\n  local v :: Voltage\n"
      "  r2: resistor 1.0 <> (m, n)\n  v = r1.u - r2.u\n"
      "doubled :: SR (p :: Pin, n :: Pin, x :: Real)\ndoubled = sigrel (p, n, x) where\n  r1: rated 1.0 <> "
      "(p, n)\n  x = r1.v + r1.r2.u\n",
      {{"rated", "{p.v p.i n.v; p.i n.i}"}, {"doubled", "{p.v p.i n.v; p.i n.i; p.i x}"}});
  refused(
      "import Electrical\n"
      "fixed :: SR (p :: Pin, n :: Pin)\nfixed = sigrel (p, n) where\n  r1: resistor 1.0 <> (p, n)\n  r1.u = "
      "1.0\n  r1.u * 2.0 = 2.0\n",
      "SR0301", "determine only");
  // Reading is no equation: what a part leaves undetermined is its own mistake.
  refused(
      "part :: SR (x :: Real)\npart = sigrel (x) where\n  local w :: Real\n  x = 1.0\n"
      "whole :: SR (y :: Real)\nwhole = sigrel (y) where\n  a: part <> x\n  y = a.w + x\n",
      "SR0302", "nothing determines `w` in `part`");
}

TEST_CASE(
    "relation parameters: how many equations an argument may have, and what the definition has at most") {
  has_types(
      "import Electrical\n"
      "twice :: SR (Pin, Pin) -> SR (p :: Pin, n :: Pin)\ntwice part = sigrel (p, n) where\n  part <> (p, "
      "m)\n  part <> (m, n)\n"
      "four :: SR (Pin, Pin) -> SR (p :: Pin, n :: Pin)\nfour part = twice (twice part)\n"
      "driven :: SR (Pin, Pin) -> SR ()\ndriven load = sigrel () where\n  sineVoltage 5.0 50.0 <> (a, g)\n  "
      "load <> (a, g)\n  ground <> g\n"
      "ladder :: (Resistance -> SR (Pin, Pin)) -> SR (Pin, Pin)\nladder part = sigrel (p, n) where\n  part "
      "1.0 <> (p, m)\n  part 2.0 <> (m, n)\n"
      "rung :: SR (Pin, Pin) -> SR (Pin, Pin) -> SR (Pin, Pin)\nrung a b = series a (parallel b (series a "
      "b))\n"
      "whole = driven (four (resistor 1.0))\n"
      "made = rung (resistor 1.0) (capacitor 1.0)\n",
      {{"twice", "for part {#1 .. 3}"},
       {"four", "{p.v p.i n.v; p.v p.i n.i} at most, for part {#2}"},
       {"driven", "{} at most, for load {#2}"},
       {"ladder", "for part {#1 .. 3}"},
       {"whole", "{}"},
       {"made", "{p.v p.i n.v; p.v p.i n.i}"}});
}

TEST_CASE(
    "functions of numbers as arguments are unknown numbers; they depend on signals that they are applied "
    "to") {
  has_types(
      "law :: (Real -> Real) -> SR (x :: Real, y :: Real)\nlaw f = sigrel (x, y) where\n  f x = f y\n"
      "root :: (Real -> Real) -> SR ()\nroot f = sigrel () where\n  local x\n  f x = 0.0\n",
      {{"law", "{x y}"}, {"root", "{}"}});
}

TEST_CASE("SR0304: a definition that no argument can complete") {
  const char* both =
      "both :: SR (Real, Real) -> SR (a :: Real, b :: Real)\nboth part = sigrel (a, b) where\n  part <> (a, "
      "x)\n  a = 1.0\n  x = 2.0\n  part <> (y, b)\n";
  refused(both, "SR0304", "`both` cannot be completed, whatever `part` is");
  refused(both, "SR0304", "`part` is taken to have 1 equation; with fewer, nothing determines `y`");
  // Whoever uses it has nothing to blame itself for.
  refused(
      (std::string(both) +
       "user :: SR (Real, Real) -> SR (a :: Real)\nuser p = sigrel (a) where\n  both p <> (a, b)\n  b = a\n")
          .c_str(),
      "SR0304", "`both`");
  // What is wrong without the argument is said without it.
  refused(
      "f :: SR (Real, Real, Real) -> SR (a :: Real)\nf part = sigrel (a) where\n  part <> (a, x, y)\n  a = "
      "1.0\n  a * a = 2.0 * a\n",
      "SR0301", "2 equations of `f` determine only 1 unknown");
  refused(
      "f :: SR (Real, Real) -> SR (a :: Real)\nf part = sigrel (a) where\n  local z :: Real\n  part <> (a, "
      "x)\n",
      "SR0302", "nothing determines `z`");
  // Each part by itself can be completed, both together cannot.
  refused(
      "one :: SR (Real, Real) -> SR (a :: Real)\none part = sigrel (a) where\n  part <> (x, a)\n  x = sin "
      "a\n  a = 2.0\n"
      "two :: SR (Real, Real) -> SR (a :: Real)\ntwo part = sigrel (a) where\n  part <> (x, y)\n  a = 2.0\n"
      "pair :: SR (Real, Real) -> SR (a :: Real, b :: Real)\npair part = sigrel (a, b) where\n  one part <> "
      "a\n  two part <> b\n",
      "SR0304", "`two` needs at least 2 equations of `part`");
}

TEST_CASE("contracts of parameters: the body is checked with what is promised") {
  has_types(
      "import Electrical\n"
      "twice :: SR (p :: Pin, n :: Pin) {p.v n.v p.i; p.i n.i} -> SR (p :: Pin, n :: Pin)\ntwice part = "
      "sigrel (p, n) where\n  part <> (p, m)\n  part <> (m, n)\n"
      "same :: SR (p :: Pin, n :: Pin) like resistor -> SR (p :: Pin, n :: Pin) like resistor\nsame part = "
      "twice part\n"
      "bits :: SR (Real, Real, Real) {1 1 1; 0 1 1} -> SR (x :: Real)\nbits f = sigrel (x) where\n  f <> (x, "
      "y, z)\n"
      "cells :: SR (x :: Real^3) {x[1]; x[2 .. 3]} -> SR (y :: Real)\ncells f = sigrel (y) where\n  local v "
      ":: Real^3\n  f <> v\n  y = v[1] + v[2] * v[3]\n"
      "counted :: SR (Real, Real) {#1} -> SR (x :: Real)\ncounted f = sigrel (x) where\n  f <> (x, y)\n"
      "filter :: SR (in u :: Real, out y :: Real) -> SR (u :: Real, y :: Real)\nfilter b = sigrel (u, y) "
      "where\n  b <> (u, w)\n  b <> (w, y)\n"
      "made = same (capacitor 1.0)\n",
      {{"twice", "{p.v p.i n.v; p.i n.i} at least"},
       {"same", "{p.v p.i n.v; p.i n.i} at least"},
       {"bits", "{} at least"},
       {"cells", "{} at least"},
       {"counted", "{} at least"},
       {"filter", "{y} at least"},
       {"made", "{p.v p.i n.v; p.i n.i}"}});
}

TEST_CASE("SR0306: arguments and definitions that do not keep a contract") {
  std::string fed =
      "import Electrical\nfed :: SR (p :: Pin, n :: Pin) like resistor -> SR ()\nfed load = sigrel () "
      "where\n  constantVoltage 5.0 <> (a, g)\n"
      "  load <> (a, g)\n  ground <> g\n";
  refused((fed + "whole = fed (constantCurrent 2.0)\n").c_str(), "SR0306",
          "`constantCurrent` does not keep the contract of this argument");
  refused((fed + "inside :: Current -> SR (x :: Real)\ninside i = sigrel (x) where\n  fed (constantCurrent "
                 "i) <> ()\n  x = 1.0\n")
              .c_str(),
          "SR0306", "`constantCurrent`");
  refused((fed + "whole = let part = constantCurrent 1.0 in fed part\n").c_str(), "SR0306",
          "`constantCurrent`");
  // Passed on: the contract of a parameter is all that is known of it.
  refused((fed + "pass :: SR (Pin, Pin) {#1} -> SR ()\npass x = fed x\n").c_str(), "SR0306",
          "2 equations are promised, `x` has 1");
  refused((fed + "made :: (Real -> SR (p :: Pin, n :: Pin) like resistor) -> SR ()\nmade f = fed (f "
                 "1.0)\nwhole = made (\\r -> constantCurrent 2.0)\n")
              .c_str(),
          "SR0306", "`constantCurrent`");
  refused((fed + "made :: (Current -> SR (p :: Pin, n :: Pin) like resistor) -> SR ()\nmade f = fed (f "
                 "1.0)\nwhole = made constantCurrent\n")
              .c_str(),
          "SR0306", "`constantCurrent`");
  refused(
      "import Electrical\nf :: Current -> SR (p :: Pin, n :: Pin) like resistor\nf i = sigrel (p, n) where\n "
      " constantCurrent i <> (p, n)\n",
      "SR0306", "`f` does not keep its contract");
  refused("f :: SR (x :: Real, y :: Real) {x}\nf = sigrel (x, y) where\n  y = 1.0\n", "SR0306",
          "it is promised to determine `x`");
  refused(
      "record Part = { rel :: SR (x :: Real, y :: Real) {x} }\nf = sigrel (x :: Real, y :: Real) where\n  y "
      "= 1.0\nuse :: Part -> SR (Real, Real)\nuse p = p.rel\nbad = use Part { rel = f }\n",
      "SR0306", "`f` does not keep the contract");
  // An inferred parameter is not strict, nor is one without a contract.
  has_types((fed + "free x = fed x\nother :: SR (Pin, Pin) -> SR ()\nother x = fed x\nwhole = other "
                   "(resistor 1.0)\nhalf = fed (inductor 1.0)\n")
                .c_str(),
            {{"whole", "{}"}, {"half", "{}"}});
}

TEST_CASE("SR0305: contracts that do not fit the interface") {
  auto contract = [](const char* text) {
    return std::string("import Electrical\nf :: SR (p :: Pin, x :: Real^3) ") + text +
           " -> SR (y :: Real)\nf _ = sigrel (y) where\n  y = 1.0\n";
  };
  refused(contract("{p.v q.v}").c_str(), "SR0305", "`q` is not a variable of this interface");
  refused(contract("{p.w}").c_str(), "SR0305", "`p` has no part `w`");
  refused(contract("{x[4]}").c_str(), "SR0305", "`x` has 3 elements");
  refused(contract("{p[1]}").c_str(), "SR0305", "`p` is not a vector");
  refused(contract("{1 1 1}").c_str(), "SR0305", "this row has 3 columns, the interface has 5 scalars");
  refused(contract("{#6}").c_str(), "SR0305", "6 equations are promised for 5 unknowns");
  refused(contract("{p.v; p.v}").c_str(), "SR0305", "they determine only 1 unknown");
  refused(contract("like resistor").c_str(), "SR0305", "`resistor` has another interface");
  refused(contract("like pi").c_str(), "SR0305", "`pi` is not a relation");
  refused("f :: SR (Real, Real) {x} -> SR (y :: Real)\nf _ = sigrel (y) where\n  y = 1.0\n", "SR0305",
          "`x` is not a variable of this interface");
  has_types(contract("{p x[1]; x[2 .. 3]}").c_str(), {{"f", "{y}"}});
  // What is too large to compare is not compared.
  has_types(
      "f :: SR (x :: Real^9223372036854775807) {x[4]} -> SR (y :: Real)\nf _ = sigrel (y) where\n  y = 1.0\n",
      {});
}

TEST_CASE("a combinator for connectors of every kind") {
  has_types(
      "import Electrical\nimport Rotational (Flange, spring)\n"
      "joined :: SR (c, c) -> SR (c, c) -> SR (p :: c, n :: c)\njoined first second = sigrel (p, n) where\n  "
      "first <> (p, m)\n  second <> (m, n)\n"
      "divider = joined (resistor 1.0) (resistor 3.0)\nshaft = joined (spring 2.0) (spring 2.0)\n"
      "half = sigrel (x, y) where\n  x = 0.0\nuse :: SR (Real, Real) -> SR (x :: Real)\nuse f = sigrel (x) "
      "where\n  f <> (x, y)\n  y = 2.0\ngood = use half\n",
      {{"divider", "{p.v p.i n.v; p.i n.i}"},
       {"shaft", "{p.phi p.tau n.phi; p.tau n.tau}"},
       {"good", "{x}"}});
}

TEST_CASE("SR0304: what does not fit a definition is said where it is applied") {
  std::string driven =
      "import Electrical\ndriven :: SR (Pin, Pin) -> SR ()\ndriven load = sigrel () where\n  constantVoltage "
      "5.0 <> (a, g)\n  load <> (a, g)\n  ground <> g\n"
      "probe :: SR (p :: Pin, n :: Pin)\nprobe = sigrel (p, n) where\n  p.i = 0.0\n";
  refused((driven + "whole = driven probe\n").c_str(), "SR0304", "`probe` has 1 equation: {p.i}");
  refused((driven + "top = sigrel () where\n  driven probe <> ()\n").c_str(), "SR0304",
          "2 equations are needed here");
  refused((driven + "top = sigrel () where\n  driven (constantVoltage 1.0) <> ()\n").c_str(), "SR0304",
          "`driven` cannot be completed by what it is applied to");
  refused(
      "import Electrical\nprobe :: SR (p :: Pin, n :: Pin)\nprobe = sigrel (p, n) where\n  twoPin <> (p, n, "
      "u)\n  u = 1.0\n  p.i = 1.0\n"
      "top :: SR (p :: Pin, n :: Pin)\ntop = sigrel (p, n) where\n  series probe probe <> (p, n)\n",
      "SR0304", "`series` cannot be completed");
}
