// Types of functions and values.
#include <catch2/catch.hpp>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

namespace {

void has_type(const std::string& definition, std::string_view name, std::string_view type) {
  Checked c(definition);
  INFO(definition);
  INFO(c.messages());
  CHECK(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  CHECK(c.type(name) == type);
}

}  // namespace

TEST_CASE("functions are inferred with let-polymorphism") {
  has_type("twice f x = f (f x)\n", "twice", "(a -> a) -> a -> a");
  has_type("pair = let same x = x in (same 1, same True)\n", "pair", "(Int, Bool)");
  has_type("swap (x, y) = (y, x)\n", "swap", "(a, b) -> (b, a)");
  has_type("f x = x + 1.0\n", "f", "Real<u> -> Real<u>");
  has_type("f x = x + 1\n", "f", "Int -> Int");
  has_type("f x = x * x\n", "f", "Real<u> -> Real<u^2>");
  has_type("half x = x / 2\n", "half", "Real<u> -> Real<u>");
  has_type("twice x = 2 * x\n", "twice", "Real<u> -> Real<u>");
  has_type("f 0 = 1\nf n = n * f (n - 1)\n", "f", "Int -> Int");
  has_type("even 0 = True\neven n = odd (n - 1)\nodd 0 = False\nodd n = even (n - 1)\n", "odd",
           "Int -> Bool");
  has_type("len xs = case xs of\n  [] -> 0\n  _ : rest -> 1 + len rest\n", "len", "[a] -> Int");
  has_type("xs = [i * i for i in 1 .. 10]\n", "xs", "[Int]");
  has_type("xs = [(i, real j) for i in 1 .. 3, j in [4, 5]]\n", "xs", "[(Int, Real<1>)]");
  has_type("inc = map (+ 1.0)\n", "inc", "[Real<u>] -> [Real<u>]");
  has_type("f = (1 -)\n", "f", "Int -> Int");
  has_type("f = foldr (+) 0.0\n", "f", "[Real<u>] -> Real<u>");
  has_type("n = 7 `div` 2\n", "n", "Int");
  has_type("f = (`div` 2)\n", "f", "Int -> Int");
  has_type("s = \"a\" ++ show 1\n", "s", "String");
  has_type("f x y = x ^ 2 + y ^ 0.5\n", "f", "Real<u> -> Real<u^4> -> Real<u^2>");
  has_type("f a b = if a < b then a else b\n", "f", "Real<u> -> Real<u> -> Real<u>");
  has_type("same x y = x == y\n", "same", "a -> a -> Bool");
  has_type("g :: [a] -> a -> a\ng [] x = x\ng (x : _) _ = x\n", "g", "[a] -> a -> a");
  has_type("f = max 1.0\n", "f", "Real<u> -> Real<u>");
  has_type("xs = map sin [0.0, pi]\n", "xs", "[Real<1>]");
}

TEST_CASE("data types, records and synonyms") {
  has_type(
      "data Shape = Circle Real | Square Real\narea s = case s of\n  Circle r -> pi * r ^ 2\n  Square a -> a "
      "* a\n",
      "area", "Shape -> Real");
  has_type("f (Just x) = x\nf Nothing = 0.0\n", "f", "Maybe Real<u> -> Real<u>");
  has_type("record D = { r :: Real = 0.5, n :: Int }\nd = D { n = 2 }\n", "d", "D");
  has_type("record D = { r :: Real = 0.5, n :: Int }\nf d = d with { n = 3 }\n", "f", "D -> D");
  has_type("record D = { r :: Real, n :: Int }\nf d = d.r * 2\n", "f", "D -> Real");
  has_type("record P a = { left :: a, right :: a }\np = P { left = 1.0, right = 2.0 }\nl = p.left\n", "l",
           "Real<u>");
  has_type("type Point a = (a, a)\nf :: Point Real -> Real\nf (x, y) = x + y\n", "f", "(Real, Real) -> Real");
  has_type("type Part = SR (Pin, Pin)\nimport Electrical\nf :: Part -> Part\nf p = p\n", "f", "Part -> Part");
}

TEST_CASE("relations over signals of any type take layouts") {
  Checked c(
      "serial a b = sigrel (p, q) where\n  a <> (p, m)\n  b <> (m, q)\n"
      "import Electrical\nboth = serial (resistor 1.0) (resistor 2.0)\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  CHECK(c.type("serial") == "SR (a, b) -> SR (b, c) -> SR (p :: a, q :: c)");
  CHECK(c.global("serial")->layout_parameters == 3);
  CHECK(c.dump("serial").find("local m.") != std::string::npos);
  CHECK(c.dump("both").find("serial @Pin @Pin @Pin") != std::string::npos);
}

TEST_CASE("a relation over any signal with a signature, used at two types") {
  Checked c(
      "import Electrical\n"
      "row :: Int -> SR (a, a) -> SR (a, a)\n"
      "row n part = if n == 1 then part else sigrel (p, q) where\n  part <> (p, m)\n  row (n - 1) part <> "
      "(m, q)\n"
      "gain = sigrel (x, y) where\n  y = 2.0 * x\n"
      "circuit = row 3 (resistor 1.0)\nsignals = row 3 gain\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  CHECK(c.global("row")->layout_parameters == 1);
  CHECK(c.dump("row").find("(implicit) :: @layout.0") != std::string::npos);
  CHECK(c.dump("signals").find("row @Real") != std::string::npos);
}

TEST_CASE("vectors carry their sizes") {
  has_type(
      "rod :: (n :: Int) -> SR (Real^n)\nrod n = sigrel (x) where\n  for i in 1 .. n do\n    der x[i] = "
      "0.0\nr = rod 10\n",
      "r", "SR (Real^10)");
  Checked c(
      "rod :: (n :: Int) -> SR (Real^n)\nrod k = sigrel (x) where\n  local y :: Real^(k+1)\n  for i in 1 .. "
      "k do\n    der x[i] = y[i]\n  y[k+1] = 0.0\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  CHECK(c.dump("rod").find("x.1 :: Real^(k.0)") != std::string::npos);
  CHECK(c.dump("rod").find("Real^((k.0 + 1))") != std::string::npos);
  ACCEPTS(
      "f = sigrel (x :: Real^3, y :: Real^3) where\n  y = 2.0 * x + [1, 2, 3]\n  x = [real i for i in 1 .. "
      "3]\n");
  ACCEPTS(
      "m = sigrel (a :: Real^(2,3)) where\n  for i in 1 .. 2, j in 1 .. 3 do\n    a[i,j] = real (i * j)\n");
  REFUSES("f = sigrel (x :: Real^3, y :: Real^2) where\n  x = y\n", Code::TypeMismatch, "Real^2");
  REFUSES("f = sigrel (x :: Real^3) where\n  x = [1.0, 2.0]\n", Code::TypeMismatch, "Real^2");
}

TEST_CASE("units are read and literals are SI") {
  Checked c("a = 1.0<mH>\nt = 20.0<degC>\nv = 36.0<km/h>\nf :: Real<kg*m^2/s> -> Voltage\nf x = x as <V>\n");
  INFO(c.messages());
  REQUIRE(c.diagnostics.all().empty());
  CHECK(c.dump("a").find("= 0.001") != std::string::npos);
  CHECK(c.dump("t").find("= 293.15") != std::string::npos);
  CHECK(c.dump("v").find("= 10.0") != std::string::npos);
  CHECK(c.type("f") == "Real<kg*m^2/s> -> Voltage");
  REFUSES("a = 1.0<metre>\n", Code::UnknownUnit, "did you mean `m`?");
  REFUSES("x :: Real<Volt>\nx = 1.0\n", Code::UnknownUnit, "`Volt` is not a unit");
}
