// Guesses of signals on which Newton's method does not iterate: through random chains of equations they
// decide which of two solutions it finds.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "numeric.h"
#include "tests/property/property.h"

using namespace sigrel;

namespace {

/// y^2 = 4 and signals z1 = a y + b, z2 = a z1 + b, …, each with coefficients of its own, some of which are
/// the signal k. Only the last one has a guess, which belongs to a y near `side` 2.
std::string chain(int length, int side) {
  double guess = side * (2 + *rc::gen::inRange(-50, 51) / 100.0);
  std::string equations = "  y^2 = 4.0\n  k = 2.5 + sin time\n", names = "k, y", last = "y";
  for (int k = 1; k <= length; ++k) {
    const double a = *rc::gen::element(-3.0, -0.5, 0.25, 2.0), b = *rc::gen::inRange(-5, 6);
    const std::string name = "z" + std::to_string(k);
    const bool by_signal = *rc::gen::arbitrary<bool>();
    equations +=
        fmt::format("  {} = ({:.3f}) * {} + ({:.3f})\n", name, a, (by_signal ? "k * " : "") + last, b);
    names += ", " + name;
    last = name;
    guess = (by_signal ? 2.5 * a : a) * guess + b;
  }
  return fmt::format(
      "m :: SR ()\nm = sigrel () where\n  local {} :: Real\n{}  guess {} = {:.6f}\n\n"
      "main = simulate m with {{ stop = 0.0 }}\n",
      names, equations, last, guess);
}

}  // namespace

TEST_CASE("a guess reaches the unknown of Newton's method through other equations") {
  for (int side : {1, -1})
    property::holds(
        [&] {
          const std::string text = chain(*rc::gen::inRange(1, 6), side);
          RC_LOG() << text;
          Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
          session.load_text("chain.sr", text);
          RC_ASSERT(session.check());
          const auto compiled = session.compile({}, Backend::Interpreter);
          RC_ASSERT(compiled != nullptr);
          const Run run = session.run(*compiled);
          RC_ASSERT(session.diagnostics().all().empty());  // no guess is unused
          RC_ASSERT(run.completed());
          RC_ASSERT(std::abs(*run.value("y") - 2.0 * side) < 1e-9);
        },
        {.cases = 50});
}

TEST_CASE("a guess behind a coefficient that is zero at the start has no effect") {
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
  session.load_text("zero.sr",
                    "m :: SR ()\nm = sigrel () where\n  local x, u, k :: Real\n  k = sin time\n"
                    "  x + x^3 = 10.0\n  u = k * x\n  guess u = -4.0\n\n"
                    "main = simulate m with { stop = 0.0 }\n");
  REQUIRE(session.check());
  const auto compiled = session.compile({}, Backend::Interpreter);
  REQUIRE(compiled != nullptr);
  const Run run = session.run(*compiled);
  REQUIRE(run.completed());
  CHECK(std::abs(*run.value("x") - 2.0) < 1e-9);
  CHECK(*run.value("u") == 0);
}
