// Long chains of horizontal and vertical rods in Cartesian coordinates: states are chosen by the numbers of
// each rod, however many there are. Compared with a formulation by angles.
#include <fmt/format.h>
#include <cmath>
#include <numbers>
#include <string>

#include "numeric.h"
#include "tests/numeric/rods.h"
#include "tests/property/property.h"

using namespace sigrel;

namespace {

/// As in models/rod_chains.sr.
int pick(int seed, int i, int k) { return (seed * i * i + seed * i / 7 + i / 3) % k; }

numeric::Rods chain(int n, int seed) {
  numeric::Rods rods;
  for (int i = 1; i <= n; ++i) {
    rods.angle.push_back(pick(seed, i, 4) * std::numbers::pi / 2);
    rods.rate.push_back(pick(seed + 1, i, 3) - 1);
  }
  return rods;
}

/// The greatest error, relative to 1 plus the value.
double greatest_error(int n, int seed, double stop, double tolerance, int steps) {
  numeric::Model model("rod_chains.sr", fmt::format("rods {} {}", n, seed).c_str());
  const Run run = model.run(
      {.stop = stop, .tolerance = tolerance, .outputs = {"x[*]", "y[*]", "f[*]"}, .keep_trajectory = false});
  numeric::Rods rods = chain(n, seed);
  if (stop > 0) rods.advance(stop, steps);
  const auto ends = rods.ends();
  double worst = 0;
  auto compare = [&](const char* name, int index, double expected) {
    const double found = numeric::value(run, fmt::format("{}[{}]", name, index));
    const double error = std::abs(found - expected) / (1 + std::abs(expected));
    worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
  };
  for (int i = 0; i < n; ++i) {
    const numeric::Rods::End& end = ends[static_cast<std::size_t>(i)];
    compare("x", i + 2, end.x), compare("y", i + 2, end.y), compare("f", i + 1, end.force);
  }
  return worst;
}

}  // namespace

TEST_CASE("long chains of horizontal and vertical rods start") {
  for (int n : {10, 60, 160, 400})
    for (int seed : {1, 4, 9}) {
      INFO(n << " rods, seed " << seed);
      CHECK(greatest_error(n, seed, 0, 1e-6, 0) < 1e-8);
    }
}

TEST_CASE("chains of horizontal and vertical rods run") {
  property::holds(
      [] {
        const int n = *rc::gen::inRange(2, 25), seed = *rc::gen::inRange(1, 1000);
        RC_ASSERT(greatest_error(n, seed, 0.2, 1e-9, 200) < 1e-5);
      },
      {.cases = 20});
}

// The determinant of the constraints is that of 95 numbers about 0.02: smaller than the smallest double.
TEST_CASE("a long chain of short rods has states that determine it") {
  numeric::Model("rod_chains.sr", "hanging 95").run({.stop = 1e-4});
}
