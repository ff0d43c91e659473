// What happens inside one step, against closed forms, by every integrator at the default tolerance: pulses
// are met, poles and solutions that end are errors.
#include <cmath>
#include <numbers>

#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

const double kRootPi = std::sqrt(std::numbers::pi);
constexpr double kPi = std::numbers::pi;

struct Case {
  const char* expression;
  double stop, expected;  // x at the end
};

void check_cases(const std::vector<Case>& cases) {
  for (const Case& c : cases)
    for (const char* solver : {"auto", "cvode", "adams", "ida"}) {
      INFO(c.expression << ", " << solver);
      const Run run = numeric::Model("steps.sr", c.expression).run({.stop = c.stop, .solver = solver});
      CHECK(value(run, "x") == Approx(c.expected).epsilon(1e-4));
    }
}

/// By each integrator: the run ends before the time with an error, and keeps what it has.
void check_ends(const char* expression, double end) {
  for (const char* solver : {"auto", "cvode", "adams", "ida"}) {
    INFO(expression << ", " << solver);
    numeric::Model model("steps.sr", expression);
    const std::string text = model.refusal({.stop = 2 * end, .solver = solver});
    INFO(text);
    CHECK((text.find("SR0504") != std::string::npos || text.find("SR0503") != std::string::npos));
    CHECK(text.find("steps.sr:") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("pulses and waves of time") {
  check_cases({
      {"ofTime (\\t -> 100.0 * gauss 5.0 0.01 t)", 10, kRootPi},
      {"ofTime (\\t -> 1.0e4 * gauss 5.0 0.0001 t)", 10, kRootPi},
      {"ofTime (\\t -> 1.0e6 * gauss 5.0 0.000001 t)", 10, kRootPi},
      {"ofTime (\\t -> 1.0e3 * lorentz 5.0 0.001 t)", 10, 2 * std::atan(5e3)},
      {"ofTime (\\t -> 100.0 * hat 5.0 5.01 t)", 10, 1},
      {"ofTime (\\t -> 1.0e3 / cosh ((t - 5.0) / 0.001)^2)", 10, 2},
      {"ofTime (\\t -> 100.0 * gauss 3.0 0.01 t + 50.0 * gauss 7.0 0.02 t)", 10, 2 * kRootPi},
      {"ofTime (\\t -> 1000.0 * sin (1000.0 * t))", 0.031 * kPi, 2},
      {"ofTime (\\t -> 1000.0 * sin (1000.0 * t)^2)", 0.1, 50 - std::sin(200.0) / 4},
      {"hit", 10, kRootPi * std::sin(5.0) * std::exp(-0.01 * 0.01 / 4)},
  });
}

TEST_CASE("pulses, fronts and resonances of a state") {
  const double slope = std::pow(1 - 0.25, -0.5), bend = 1.5 * std::pow(1 - 0.25, -2.5);
  check_cases({
      {"ofState (\\p -> 100.0 * gauss 5.0 0.01 p)", 10, kRootPi},
      {"ofState (\\p -> 1.0e4 * gauss 5.0 0.0001 p)", 10, kRootPi},
      {"ofState (\\p -> 1.0e5 * gauss 9.0 0.00001 p)", 10, kRootPi},
      {"ofState (\\p -> 1.0e3 * lorentz 5.0 0.001 p)", 10, 2 * std::atan(5e3)},
      {"ofState (\\p -> 1.0e-4 / (1.0e-8 + (p - 5.0)^2))", 10, 2 * std::atan(5e4)},
      {"ofState (\\p -> 1.0 / (1.0e-6 + (p - 1.0)^2))", 2, 2e3 * std::atan(1e3)},
      {"ofState (\\p -> 1.0e3 * (1.0 + ((p - 5.0) / 0.001)^2)^(-2))", 10, kPi / 2},
      {"ofState (\\p -> 100.0 * hat 5.0 5.01 p)", 10, 1},
      {"ofState (\\p -> tanh (1.0e4 * (p - 3.0)))", 10, 4},
      {"ofState (\\p -> noEvent (if p > 5.0 && p < 5.01 then 100.0 else 0.0))", 10, 1},
      {"ofState (\\p -> sin (1000.0 * p)^2)", 1, 0.5 - std::sin(2000.0) / 4000},
      {"ofLag (\\p -> 1.0e3 * gauss 0.5 0.001 p)", 10, 2 * kRootPi},
      // Four passages: the width is small against the distance from the turning point, up to second order.
      {"ofOscillator (\\p -> 100.0 * gauss 0.5 0.01 p)", 10, 4 * kRootPi * (slope + 1e-4 / 4 * bend)},
      {"byParts", 10, kRootPi},
      {"follower", 10, -2e-3},
      {"filtered", 10, kRootPi * std::exp(-5 + 0.01 * 0.01 / 4)},
      {"throughLoop", 10, kRootPi},
      {"beside", 10, 10 + 0.1 * kRootPi},
  });
}

TEST_CASE("two fronts in two equations make a pulse") {
  for (const char* solver : {"auto", "cvode", "adams", "ida"}) {
    INFO(solver);
    const Run run = numeric::Model("steps.sr", "byParts").run({.stop = 10, .solver = solver});
    CHECK(value(run, "y") == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("pulses of many equations that read one state") {
  check_cases({{"manyReaders", 60, 100 * kRootPi}});
}

TEST_CASE("a quotient that has a value where its divisor is zero, and a root that reaches zero") {
  check_cases({{"removable", 2, 2 * 0.946083070367183},  // twice the sine integral of 1
               {"removableOfEquation", 2, 2 * 0.946083070367183},
               {"alone (\\x -> -sqrt x) 1.0", 1.9, 0.0025}});
}

TEST_CASE("a solution that ends is an error") {
  check_ends("alone (\\x -> x^2) 1.0", 1);
  check_ends("alone (\\x -> x^3) 1.0", 0.5);
  check_ends("alone exp 0.0", 1);
  check_ends("alone (\\x -> 1.0 + x^2) 0.0", kPi / 2);
  check_ends("alone (\\x -> -1.0 / x) 1.0", 0.5);
  check_ends("alone (\\x -> -1.0 / x) (-1.0)", 0.5);
  check_ends("alone (\\x -> -1.0 / x^3) 1.0", 0.25);
  check_ends("alone (\\x -> -x^(-1.0 / 3.0)) 1.0", 0.75);
  check_ends("alone (\\x -> -1.0 / sqrt x) 1.0", 2.0 / 3);
}

TEST_CASE("no step goes over a pole") {
  check_ends("ofTime (\\t -> 1.0 / (t - 1.0))", 1);
  check_ends("ofTime (\\t -> 1.0 / (t - 1.0)^2)", 1);
  check_ends("ofTime tan", kPi / 2);
  check_ends("ofState (\\p -> 1.0 / (p - 1.0))", 1);
  check_ends("ofState tan", kPi / 2);
  check_ends("overZero", 1);
}

TEST_CASE("no step goes over a pole of a linear equation, which no division shows") {
  check_ends("poleOfEquation", 0.05);
  check_ends("poleOfLoop", 0.05);
  check_ends("poleOfConstraint", 0.12253);
}

// Its loops have no solution at times just before the end of a step, and again just before the end of the
// step that is repeated.
TEST_CASE("steps that are repeated become shorter") {
  numeric::Model model("wheelset.sr", "wheelset (-285.73)", {}, Backend::Interpreter);
  CHECK(model.refusal({.stop = 1, .steps = 20}).starts_with("error["));
}

TEST_CASE("a discrete variable at which a whole number changes repeats no step") {
  const Run run = numeric::Model("steps.sr", "remainder").run({.stop = 10});
  CHECK(value(run, "x") == Approx(1 - std::exp(-10.0)).epsilon(1e-5));
  CHECK(run.outcome.statistics.revised_steps == 0);
}

TEST_CASE("ordinary models repeat no step") {
  for (const char* expression : {"ofState (\\p -> exp (-p))", "ofOscillator (\\p -> 1.0 / (2.0 + p))",
                                 "alone (\\x -> -sin x) 1.0", "ofTime sin"}) {
    INFO(expression);
    const Run run = numeric::Model("steps.sr", expression).run({.stop = 10});
    CHECK(run.outcome.statistics.revised_steps == 0);
  }
}

TEST_CASE("Every step of a small model is checked inside, one in up to 129 of a large one") {
  for (auto [expression, least] : {std::pair{"lags 8", 1.0}, {"lags 31", 1.0}, {"lags 2000", 1.0 / 129}}) {
    INFO(expression);
    const runtime::Statistics s = numeric::Model("steps.sr", expression)
                                      .run({.stop = 10, .max_step = 1e-3, .solver = "cvode"})
                                      .outcome.statistics;
    const double share = static_cast<double>(s.check_evaluations) / static_cast<double>(s.steps);
    REQUIRE(s.steps >= 10'000);
    CHECK(share >= 0.99 * least);
    if (least < 1) CHECK(share < 1.0 / 100);
  }
}

TEST_CASE("a model is small if few unknowns are solved for, those of loops among them") {
  const runtime::Statistics s = numeric::Model("steps.sr", "loops 40")
                                    .run({.stop = 10, .max_step = 1e-2, .solver = "cvode"})
                                    .outcome.statistics;
  REQUIRE(s.states == 1);
  REQUIRE(s.steps >= 1000);
  CHECK(s.check_evaluations < s.steps / 3);
  CHECK(s.check_evaluations > s.steps / 6);
}

TEST_CASE("auto follows stiffness: Adams before, BDF while, Adams after") {
  // x' = -k (x - cos t) - sin t has the solution cos t, whatever k; k is 10^5 between 10 and 20.
  numeric::Model model("steps.sr", "stiffBetween");
  const auto steps = [&](const char* solver) {
    const Run run = model.run({.stop = 60, .solver = solver});
    INFO(solver);
    CHECK(value(run, "x") == Approx(std::cos(60.0)).margin(1e-4));
    return run.outcome.statistics;
  };
  const runtime::Statistics s = steps("auto"), bdf = steps("cvode"), adams = steps("adams");
  CHECK(s.solver == "CVODE Adams and BDF");
  CHECK(s.method_changes == 2);
  CHECK(s.steps < bdf.steps);
  CHECK(s.steps < adams.steps);
}

TEST_CASE("auto sees that a part becomes stiff that nothing couples to a faster one") {
  const Run run = numeric::Model("steps.sr", "apart").run({.stop = 5.5});
  CHECK(run.outcome.statistics.method_changes == 1);
  CHECK(value(run, "y") == Approx(std::cos(5.5)).margin(1e-4));
}

TEST_CASE("auto integrates what is not stiff by Adams alone, also badly scaled") {
  for (const char* expression : {"oscillator 1.0", "oscillator 1.0e5", "oscillator 1.0e-5"}) {
    INFO(expression);
    const Run run = numeric::Model("steps.sr", expression).run({.stop = 100, .tolerance = 1e-8});
    CHECK(run.outcome.statistics.solver == "CVODE Adams");
  }
}
