// Operations whose value or slope jumps: every jump is an event, and values agree with closed forms at the
// default tolerance, by every solver.
#include <cmath>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Case {
  const char* expression;
  double stop;
  std::vector<numeric::Value> values;
};

const std::vector<std::string> kSolvers = {"cvode", "adams", "ida"};

void check(const Case& c) {
  for (const std::string& solver : kSolvers) {
    INFO(c.expression << ", " << solver);
    numeric::check_values(Model("pieces.sr", c.expression).run({.stop = c.stop, .solver = solver}), c.values);
  }
}

/// The time for which 0.5 + 0.4 sin(100 pi t) exceeds the sawtooth until `stop`, by bisection in each period.
double modulated(double stop) {
  double total = 0;
  for (int k = 0; k < std::lround(stop * 20000); ++k) {
    double low = k / 20000.0, high = (k + 1) / 20000.0;
    for (int i = 0; i < 60; ++i) {
      const double t = 0.5 * (low + high);
      (0.5 + 0.4 * std::sin(100 * kPi * t) > 20000 * t - k ? low : high) = t;
    }
    total += low - k / 20000.0;
  }
  return total;
}

}  // namespace

TEST_CASE("Pieces of time are met exactly") {
  check({"sawtooth", 0.02, {{"x", 0.008}}});
  check({"pulseOfTime", 10, {{"x", 0.5}}});
  check({"cycle", 200, {{"x", 100, 1e-5}}});  // 200 restarts, each with the error of the integrator
  check({"kinks", 10, {{"b", 0.001}}});
  check({"roundingsOfTime",
         3.5,
         {{"f", 4.5}, {"c", 8}, {"r", 6}, {"g", -0.5}, {"n", 1.5}, {"q", 3}, {"m", 3.25}}});
}

TEST_CASE("An argument that jumps from one end of its piece to the other one is in the piece there") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);
    const Run run = Model("pieces.sr", "jumpToBoundary").run({.stop = 1, .steps = 1, .solver = solver});
    numeric::check_values(run, {{"s", 1},
                                {"floorOf", 1},
                                {"ceilingOf", -1},
                                {"floorOfTwice", 1},
                                {"roundOf", 2},
                                {"signOf", 0},
                                {"reached", 1},
                                {"x", 0.5, 1e-4},
                                {"y", 0, 1e-4},
                                {"fired", 1}});
  }
}

TEST_CASE("The switching instants of a sine are those of its zeros") {
  for (const std::string& solver : kSolvers) {
    Run run = Model("pieces.sr", "rectified").run({.stop = 20, .steps = 500, .solver = solver});
    const double half = kPi / 10;
    const int whole = static_cast<int>(20 / (2 * half));
    const double on = whole * half + std::min(half, 20 - 2 * half * whole);
    CHECK(value(run, "w") == Approx(on).epsilon(1e-6));
    for (double z : numeric::column(run, "z")) CHECK(z > -1e-12);
    CHECK(run.outcome.statistics.events == static_cast<std::uint64_t>(20 / half));
  }
}

TEST_CASE("A pulse of a microsecond in a day is met to the rounding of time") {
  for (const std::string& solver : kSolvers)
    for (int days : {1, 10}) {
      Run run = Model("pieces.sr", "noon").run({.stop = days * 86400.0, .solver = solver});
      const double rounding = std::nextafter(days * 86400.0, 1e9) - days * 86400.0;
      CHECK(value(run, "x") == Approx(days).epsilon(2 * rounding * 1048576));
      CHECK(run.outcome.statistics.events == static_cast<std::uint64_t>(3 * days));
    }
}

TEST_CASE("No narrow pulse of a sine is missed") {
  for (const std::string& solver : kSolvers) {
    Run run = Model("pieces.sr", "pulses").run({.stop = 100, .solver = solver});
    CHECK(value(run, "n") == 100);
  }
}

TEST_CASE("Modulation over 1 000 periods") {
  for (const std::string& solver : kSolvers) {
    Run run = Model("pieces.sr", "pwm").run({.stop = 0.05, .solver = solver});
    CHECK(value(run, "x") == Approx(modulated(0.05)).epsilon(1e-6));
    CHECK(value(run, "y") == Approx(0.0125).epsilon(1e-6));
    CHECK(run.outcome.statistics.events >= 3'000 - 5);
    CHECK(run.outcome.statistics.events <= 4'000);
  }
}

TEST_CASE("Pieces of a state are met at their boundaries") {
  check({"pulseOfState", 10, {{"x", 0.5}}});
  check({"roundings 1.0 0.0", 3.5, {{"f", 4.5}, {"c", 8}, {"r", 6}, {"g", -0.5}, {"n", 1.5}}});
  check({"roundings (-1.0) 3.5", 3.5, {{"f", 4.5}, {"c", 8}, {"r", 6}, {"g", -0.5}, {"n", 1.5}}});
  check({"roundings (-1.0) 1.0", 2, {{"f", -1}, {"c", 1}, {"r", 0}, {"g", -2}, {"n", -1}}});
}

TEST_CASE("A state turns within a piece") {
  // x' = floor (2.4 cos t): what it is above 0 in one half period it is below -1 in the other.
  for (const std::string& solver : kSolvers) {
    Run run = Model("pieces.sr", "turning").run({.stop = 2 * kPi, .tolerance = 1e-9, .solver = solver});
    CHECK(value(run, "x") == Approx(-kPi).epsilon(1e-6));
    CHECK(run.outcome.statistics.events == 10);
  }
}

TEST_CASE("An argument that jumps lands in its piece at once") {
  Run run = Model("pieces.sr", "jump").run({.stop = 3, .steps = 60});
  CHECK(value(run, "y") == 1'000'003);
  CHECK(run.outcome.statistics.events <= 5);
}

TEST_CASE("The derivative of a table jumps at its knots") {
  Run run = Model("pieces.sr", "slope").run({.stop = 3, .steps = 6});
  CHECK(numeric::column(run, "x") == std::vector<double>{2, 2, -2, -2, -2, -2, -2});
}

TEST_CASE("noEvent makes no event of a piece") {
  Run run = Model("pieces.sr", "without").run({.stop = 0.9});
  CHECK(run.outcome.statistics.events == 0);
}

TEST_CASE("Every row satisfies the equations of its pieces") {
  Run run = Model("pieces.sr", "rows").run({.stop = 10, .steps = 1000});
  const auto x = numeric::column(run, "x"), y = numeric::column(run, "y"), z = numeric::column(run, "z"),
             w = numeric::column(run, "w");
  for (std::size_t k = 0; k < x.size(); ++k) {
    CHECK(y[k] == std::floor(x[k]));
    CHECK(z[k] == std::round(2 * x[k]));
    const double table = x[k] < -1 ? 0 : x[k] < 0 ? 1 + x[k] : x[k] < 1 ? 1 + 2 * x[k] : 3;
    CHECK(w[k] == Approx(table).margin(1e-12));
  }
}

TEST_CASE("A term of time that touches the end of its piece makes no event") {
  for (const char* at : {"0.5", "0.3"})
    for (const char* solver : {"cvode", "adams", "ida", "qss"}) {
      INFO(at << ", " << solver);
      Model model("pieces.sr", (std::string("touches ") + at).c_str());
      numeric::check_values(model.run({.stop = 0.9, .solver = solver}),
                            {{"total", 0, 1e-18}, {"events", 0, 1e-18}});
    }
}

TEST_CASE("A touch of a state hides no crossing behind it") {
  // Below zero for half of each period of 2 pi / 100, from its middle on; t = 1 is in the 16th, after its
  // middle.
  const double below = 15 * kPi / 100 + (1 - 31 * kPi / 100);
  check({"periods", 1, {{"down", -below, 1e-9}, {"up", 1 - below, 1e-9}}});
}
