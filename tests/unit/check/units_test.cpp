// Units and sizes: inferred types, errors and their messages.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/check/checked.h"

using namespace sigrel;
using tests::Checked;

namespace {

void has_type(const char* source, const char* name, const char* type) {
  Checked c(source);
  INFO(source << c.messages());
  CHECK(c.diagnostics.all().empty());
  CHECK(c.findings.empty());
  CHECK(c.type(name) == type);
}

}  // namespace

TEST_CASE("units are inferred as Kennedy infers them") {
  has_type("kinetic m v = 0.5 * m * v^2\n", "kinetic", "Real<u> -> Real<v> -> Real<v^2*u>");
  has_type("f x y = x / y\n", "f", "Real<u> -> Real<v> -> Real<u/v>");
  has_type("f x = sqrt (x * x)\n", "f", "Real<u> -> Real<u>");
  has_type("f x = exp x\n", "f", "Real<1> -> Real<1>");
  has_type("f x = x + x^2\n", "f", "Real<1> -> Real<1>");
  has_type("square x = x * x\narea :: Length -> Area\narea = square\n", "area", "Length -> Area");
  has_type("k = 2.0\na :: Voltage\na = k\nb :: Current\nb = k\n", "k", "Real<u>");
  has_type("mix :: Voltage -> Current -> Real<u> -> Real<u*W>\nmix u i w = u * i * w\n", "mix",
           "Voltage -> Current -> Real<u> -> Real<u*W>");
  has_type("hyp a b = sqrt (a^2 + b^2)\n", "hyp", "Real<u> -> Real<u> -> Real<u>");
  has_type("poly x = 1.0 * x^2 + x * 3.0<m>\n", "poly", "Real<m> -> Real<m^2>");
  has_type("speed = 36.0<km/h> * 1.0<s>\n", "speed", "Real<m>");
  has_type("n = 10.0<m/s> / 1.0<km/h>\n", "n", "Real<1>");
  has_type("angle = atan2 1.0<V> 2.0<V>\n", "angle", "Real<1>");
  has_type("total = sum [1.0<V>, 2.0]\n", "total", "Real<V>");
}

TEST_CASE("a literal takes the unit of its place, beside * / ^ it is a number") {
  ACCEPTS("f :: Voltage -> Voltage\nf v = 2.0 * v + 1.0\n");
  ACCEPTS("f :: Voltage -> Bool\nf v = v > 0.0\n");
  ACCEPTS("f :: Voltage -> Voltage\nf v = if v < 1 then 0.0 else -1.0\n");
  ACCEPTS("f :: Voltage -> Voltage\nf v = 2 * v + 1\n");
  REFUSES("f :: Voltage -> Voltage\nf v = 2.0 * 3.0\n", Code::TypeMismatch, "Real<1>");
  REFUSES("f :: Voltage -> Resistance\nf v = v / 2.0\n", Code::TypeMismatch, "2.0<A>");
  REFUSES("f :: Voltage -> Int -> Voltage\nf v n = v ^ n\n", Code::TypeMismatch, "power");
}

TEST_CASE("MD-23b: a lag and a mass carry their units; dropping or mixing one is an error") {
  std::string lag =
      "lag :: SR (x :: Mass)\nlag = sigrel (x) where\n  0.2<s> * der x + x = 8.5\n  initially x = 5.5\n";
  std::string push =
      "push :: SR (v :: Velocity)\npush = sigrel (v) where\n  local a :: Acceleration\n  20.0<N> = 10.0<kg> "
      "* a\n  der v = a\n  initially v = 1.0\n";
  ACCEPTS((lag + push).c_str());
  auto replaced = [](std::string s, std::string_view from, std::string_view to) {
    return s.replace(s.find(from), from.size(), to);
  };
  REFUSES(replaced(lag, "0.2<s>", "0.2").c_str(), Code::TypeMismatch, "kg/s");
  REFUSES(replaced(lag, "8.5", "8.5<m>").c_str(), Code::TypeMismatch, "a mass is equated with a length");
  REFUSES(replaced(push, "10.0<kg>", "10.0").c_str(), Code::TypeMismatch, "m/s^2");
  REFUSES(replaced(push, "der v = a", "v = a").c_str(), Code::TypeMismatch,
          "a velocity is equated with an acceleration");
}

TEST_CASE("MT-31: der E = P - E / tau is right, P + E * tau is not") {
  const char* head = "store :: Power -> Time -> SR (e :: Energy)\nstore p tau = sigrel (e) where\n";
  ACCEPTS((std::string(head) + "  der e = p - e / tau\n").c_str());
  REFUSES((std::string(head) + "  der e = p + e * tau\n").c_str(), Code::TypeMismatch, "J*s");
  // A prefix is not another unit.
  ACCEPTS("a :: Voltage\na = 5.0<mV> + 1.0<V>\n");
}

TEST_CASE("a definition in which no unit occurs needs none") {
  has_type("decay = sigrel (x) where\n  der x = -x\n", "decay", "SR (x :: Real)");
  has_type("wave = sigrel (x) where\n  x = sin time + der x\n", "wave", "SR (x :: Real<1>)");
  ACCEPTS(
      "vdp :: SR (x :: Real, y :: Real)\nvdp = sigrel (x, y) where\n  der x = y\n  der y = 3.0 * (1.0 - x^2) "
      "* y - x\n");
  ACCEPTS(
      "main = simulate (sigrel () where\n  local x :: Real\n  x = sin ((time + 1.0) * time)) with { stop = "
      "5.0 }\n");
  // `Real` without a unit agrees with every unit.
  ACCEPTS(
      "import Electrical\nf :: SR (p :: Pin, n :: Pin, y :: Real)\nf = sigrel (p, n, y) where\n  y = p.v - "
      "n.v\n  der y = y\n  p.i = y\n  p.i + n.i = 0.0\n");
  // Units are checked only in definitions that state one.
  REFUSES("f = sigrel (x) where\n  local m :: Mass\n  x = m\n  der x = -x\n", Code::TypeMismatch,
          "a mass flow is equated with a mass");
}

TEST_CASE("what has no unit to add") {
  REFUSES(
      "import Electrical\nr :: SR (p :: Pin, n :: Pin)\nr = sigrel (p, n) where\n  p.v - n.v = p.i\n  p.i + "
      "n.i = 0.0\n",
      Code::TypeMismatch, "a voltage is equated with a current");
  REFUSES("f :: Voltage -> Current -> Voltage\nf u i = u + i\n", Code::TypeMismatch,
          "a current is added to a voltage");
  REFUSES("f :: Time -> Real<1>\nf t = sin (2.0 * pi * 50.0 * t)\n", Code::TypeMismatch, "50.0<1/s>");
  REFUSES("f :: Real<u> -> Real<v> -> Real<u>\nf a b = a + b\n", Code::TypeMismatch, "Real<v>");
  REFUSES("f :: Real<u> -> Real<u>\nf x = x + 1.0<V>\n", Code::TypeMismatch, "Real<V>");
  REFUSES("import Electrical\nc = resistor 1.0<F>\n", Code::TypeMismatch, "a resistance");
  ACCEPTS("f :: Voltage -> Current\nf v = v as <A>\n");
}

TEST_CASE("sizes are sums of multiples, and are compared as such") {
  has_type("mm :: Real<V>^(m,n) -> Real<A>^n -> Real<W>^m\nmm a x = a * x\n", "mm",
           "Real<V>^(m,n) -> Real<A>^n -> Real<W>^m");
  has_type("mm :: Real^(m,n) -> Real^(n,k) -> Real^(m,k)\nmm a b = a * b\n", "mm",
           "Real^(m,n) -> Real^(n,k) -> Real^(m,k)");
  has_type("vm :: Real^m -> Real^(m,n) -> Real^n\nvm x a = x * a\n", "vm", "Real^m -> Real^(m,n) -> Real^n");
  has_type("both :: Real^n -> Real^m -> Real^(n+m)\nboth a b = a ++ b\n", "both",
           "Real^n -> Real^m -> Real^(n+m)");
  has_type("f :: Real<m>^n -> Real<N>^n -> Real<J>\nf a b = dot a b\n", "f",
           "Real<m>^n -> Real<N>^n -> Real<J>");
  std::string rod =
      "rod :: (n :: Int) -> SR (t :: Real^n)\nrod n = sigrel (t) where\n  for i in 1 .. n do\n    der t[i] = "
      "0.0\n";
  ACCEPTS((rod + "f :: (n :: Int) -> SR (x :: Real^n)\nf n = sigrel (x) where\n  local z :: Real^(n+1)\n  "
                 "rod (n + 1) <> z\n  x = z[1 .. n]\n")
              .c_str());
  ACCEPTS((rod + "f :: (n :: Int) -> SR (x :: Real^(2*n))\nf n = sigrel (x) where\n  rod (n + n) <> x\n")
              .c_str());
  REFUSES((rod + "f :: (n :: Int) -> SR (x :: Real^(2*n))\nf n = sigrel (x) where\n  rod (n + n + 1) <> x\n")
              .c_str(),
          Code::TypeMismatch, "Real^(2*n+1)");
  REFUSES((rod + "f = sigrel (x :: Real^3) where\n  rod 4 <> x\n").c_str(), Code::TypeMismatch, "Real^4");
  REFUSES(
      (rod + "f :: (n :: Int) -> (m :: Int) -> SR (x :: Real^n)\nf n m = sigrel (x) where\n  rod m <> x\n")
          .c_str(),
      Code::TypeMismatch, "Real^m");
  REFUSES("f :: Real^(m,n) -> Real^m -> Real^m\nf a x = a * x\n", Code::TypeMismatch, "n columns");
  REFUSES("f :: Real^n -> Real^m -> Real^n\nf a b = a + b\n", Code::TypeMismatch, "Real^m");
  REFUSES("f = sigrel (x :: Real^3, y :: Real^3, z :: Real) where\n  z = x * y\n  x = y\n", Code::OperandType,
          "dot a b");
  // Under a condition on a size, the elaborator compares the numbers.
  ACCEPTS((rod + "f :: (n :: Int) -> SR (x :: Real^n)\nf n = if n == 2 then rod 2 else sigrel (x) where\n  "
                 "rod n <> x\n")
              .c_str());
  ACCEPTS((rod + "f :: (n :: Int) -> SR (x :: Real^n)\nf 2 = rod 2\nf n = rod n\n").c_str());
}

// Units of unknowns are exponents; an equation between products is a linear equation on them. The oracle
// eliminates modulo a prime, one base unit at a time, independently of the checker.
namespace {

constexpr long kPrime = 1000003;

long power(long base, long exponent) {
  long result = 1;
  for (base %= kPrime; exponent > 0; exponent /= 2, base = base * base % kPrime)
    if (exponent % 2) result = result * base % kPrime;
  return result;
}

bool consistent(std::vector<std::vector<long>> rows) {  // the last column is the right side
  std::size_t unknowns = rows[0].size() - 1, done = 0;
  for (std::size_t column = 0; column < unknowns && done < rows.size(); ++column) {
    std::size_t pivot = done;
    while (pivot < rows.size() && rows[pivot][column] % kPrime == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[done], rows[pivot]);
    long inverse = power((rows[done][column] % kPrime + kPrime) % kPrime, kPrime - 2);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == done) continue;
      long factor = (rows[r][column] % kPrime + kPrime) % kPrime * inverse % kPrime;
      for (std::size_t k = 0; k <= unknowns; ++k)
        rows[r][k] = (rows[r][k] - factor * (rows[done][k] % kPrime) % kPrime + 2 * kPrime) % kPrime;
    }
    ++done;
  }
  for (std::size_t r = done; r < rows.size(); ++r)
    if (rows[r][unknowns] % kPrime != 0) return false;
  return true;
}

}  // namespace

TEST_CASE("units of random equations: accepted exactly when some assignment of units fits, in any order") {
  std::mt19937 random(20261121);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  static const std::pair<const char*, std::array<long, 3>> kLiterals[] = {
      // exponents of m, kg, s
      {"m", {1, 0, 0}},    {"kg", {0, 1, 0}}, {"s", {0, 0, 1}},     {"N", {1, 1, -2}},
      {"m/s", {1, 0, -1}}, {"J", {2, 1, -2}}, {"Pa*s", {-1, 1, -1}}};
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    int unknowns = 2 + below(5), count = 2 + below(6);
    std::vector<std::string> equations;
    std::vector<std::vector<long>> rows[3];
    for (int e = 0; e < count; ++e) {
      std::vector<long> row(static_cast<std::size_t>(unknowns) + 1, 0);
      std::string sides[2];
      for (int side = 0; side < 2; ++side)
        for (int f = 0; f < 1 + below(2); ++f) {
          int x = below(unknowns), exponent = 1 + below(3);
          row[static_cast<std::size_t>(x)] += side == 0 ? exponent : -exponent;
          sides[side] += (sides[side].empty() ? "" : " * ") + ("x" + std::to_string(x)) +
                         (exponent == 1 ? "" : "^" + std::to_string(exponent));
        }
      auto& [name, dimension] = kLiterals[below(std::size(kLiterals))];
      bool literal = below(3) != 0;
      if (literal) sides[1] = "2.0<" + std::string(name) + "> * " + sides[1];
      for (int d = 0; d < 3; ++d) {
        row.back() = literal ? dimension[static_cast<std::size_t>(d)] : 0;
        rows[d].push_back(row);
      }
      equations.push_back("  " + sides[0] + " = " + sides[1] + "\n");
    }
    bool expected = consistent(rows[0]) && consistent(rows[1]) && consistent(rows[2]);
    refused += !expected;
    for (int order = 0; order < 3; ++order) {
      std::string source = "r = sigrel (y) where\n  local ";
      for (int x = 0; x < unknowns; ++x) source += (x ? ", x" : "x") + std::to_string(x);
      source += "\n  y = 1.0<kg>\n";
      for (auto& equation : equations) source += equation;
      Checked c(source.c_str());
      INFO(source << c.messages());
      CHECK(c.diagnostics.has_errors() == !expected);
      std::shuffle(equations.begin(), equations.end(), random);
    }
  }
  CHECK(refused > 20);
  CHECK(refused < 130);
}
