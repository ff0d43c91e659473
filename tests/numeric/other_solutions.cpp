// Other solutions of the loops of a start, for loops whose solutions are known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/numeric/numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

/// A run to the time 0, and the other solutions that it tells of.
struct Start {
  Session session{{.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true}};
  Run run;

  explicit Start(const std::string& equations) {
    const std::string text =
        "m :: SR ()\nm = sigrel () where\n" + equations + "main = simulate m with { stop = 0.0 }\n";
    INFO(text);
    REQUIRE(session.load_text("m.sr", text));
    REQUIRE(session.check());
    const auto compiled = session.compile({});
    REQUIRE(compiled);
    run = session.run(*compiled, {.events = false});
    for (const Diagnostic& d : session.diagnostics().all()) UNSCOPED_INFO(d.message);
    REQUIRE(run.completed());
  }
  const std::vector<runtime::OtherSolution>& others() const { return run.outcome.others; }
  std::size_t notes() {
    return static_cast<std::size_t>(
        std::ranges::count(session.diagnostics().all(), Code::SeveralSolutions, &Diagnostic::code));
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  double uniform(double a, double b) { return a + (b - a) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  /// Of either sign, with a magnitude between 1/1000 and 1000.
  double any() { return (random_() & 1 ? 1 : -1) * std::pow(10.0, uniform(-3, 3)); }

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("Of a quadratic equation the start has one root, and the other one is told") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const double a = random.any(), b = random.any();
    if (std::abs(a - b) < 0.01 * std::max(std::abs(a), std::abs(b))) continue;
    Start start(fmt::format("  local x :: Real\n  x^2 - ({:.17g}) * x + ({:.17g}) = 0.0\n", a + b, a * b));
    CAPTURE(seed, a, b);
    const double x = value(start.run, "x");
    const bool is_a = std::abs(x - a) < std::abs(x - b);
    CHECK(x == Approx(is_a ? a : b).epsilon(1e-6));
    REQUIRE(start.others().size() <= 1);
    CHECK(start.notes() == start.others().size());
    if (start.others().empty()) continue;  // the search is a short one
    ++found;
    CHECK(start.others()[0].value == Approx(x));
    CHECK(start.others()[0].other == Approx(is_a ? b : a).epsilon(1e-5));
  }
  CHECK(found >= 45);  // of 60: a search of small effort
}

TEST_CASE("A start with one solution has no other") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed + 1000);
    const double a = std::abs(random.any()), b = std::abs(random.any()), c = random.any();
    // Monotone, alone and as a loop of two.
    Start start(
        fmt::format("  local x, y, z :: Real\n  {0:.17g} * x^3 + {1:.17g} * x = {2:.17g}\n"
                    "  y + {0:.17g} * tanh z = {2:.17g}\n  z - {1:.17g} * y^3 = 0.0\n",
                    a, b, c));
    CAPTURE(seed, a, b, c);
    CHECK(start.others().empty());
  }
}

TEST_CASE("A guess chooses, so other solutions are not sought; nor are those of linear equations") {
  CHECK(Start("  local x :: Real\n  x^2 = 4.0\n").others().size() == 1);
  CHECK(Start("  local x :: Real\n  x^2 = 4.0\n  guess x = 1.0\n").others().empty());
  CHECK(Start("  local x, y :: Real\n  x + 2.0 * y = 4.0\n  x - y = 1.0\n").others().empty());
}

TEST_CASE("A loop of two unknowns: the other intersection of a circle and a line") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed + 2000);
    const double r = random.uniform(1, 5), k = random.uniform(-2, 2), d = random.uniform(-0.8, 0.8) * r;
    Start start(fmt::format("  local x, y :: Real\n  x^2 + y^2 = {:.17g}\n  y = ({:.17g}) * x + ({:.17g})\n",
                            r * r, k, d));
    CAPTURE(seed, r, k, d);
    const double x = value(start.run, "x"), y = value(start.run, "y");
    CHECK(x * x + y * y == Approx(r * r).epsilon(1e-9));
    REQUIRE(start.others().size() <= 1);
    if (start.others().empty()) continue;
    // The two abscissae are the roots of (1 + k^2) x^2 + 2 k d x + d^2 - r^2.
    const double other_x = -2 * k * d / (1 + k * k) - x, other_y = k * other_x + d;
    const bool of_x = std::abs(start.others()[0].value - x) <= 1e-12 * std::abs(x);
    CHECK(start.others()[0].other == Approx(of_x ? other_x : other_y).epsilon(1e-6));
  }
}
