// Starts and steady states with closed-form or published values: by generated code and by the interpreter,
// and as the integrators take them.
#include <cmath>

#include "numeric.h"

namespace {

void starts(const char* expression, double stop, const std::vector<numeric::Value>& values,
            double relative = 1e-7) {
  numeric::each_way("starts.sr", expression, {.stop = stop, .tolerance = 1e-10}, [&](const sigrel::Run& run) {
    for (const numeric::Value& v : values) {
      INFO(v.name);
      CHECK(numeric::value(run, v.name) == Approx(v.expected).epsilon(relative).margin(1e-9));
    }
  });
}

}  // namespace

TEST_CASE("MT-30: a start from coordinates, accelerations, squares") {
  starts("pendulum", 0, {{"x", 1}, {"y", 0}, {"vx", 0}, {"vy", 0}, {"lambda", 0}});
  starts("byAcceleration", 1, {{"v", std::exp(-2.0)}, {"x", (1 - std::exp(-2.0)) / 2}});
  starts("bySquare 0.5", 1, {{"x", std::sin(1.0)}, {"v", std::cos(1.0)}});
  starts("bySquare (-0.5)", 1, {{"x", -std::sin(1.0)}, {"v", -std::cos(1.0)}});
}

TEST_CASE("MT-30: a constant of the run is found at the start, and costs no state") {
  // x' = 3 - x from 1
  starts("total", 1, {{"sum", 3}, {"x", 3 - 2 * std::exp(-1.0)}, {"y", 2 * std::exp(-1.0)}});
  starts("atRest", 1, {{"r", 300}, {"c1.u", 2.5}, {"r1.p.i", 0.025}});
  numeric::Model model("starts.sr", "total");
  CHECK(model.compiled().plan.model.states.size() == 2);
  CHECK(model.compiled().plan.model.constants.size() == 1);
}

TEST_CASE("Steady starts: of a model, of a part, of a vector, with dependent coordinates") {
  starts("allAtRest", 1, {{"y", 2}, {"z", 2}});
  starts("oneAtRest", 1, {{"y", 2}, {"z", 2 + 5 * std::exp(-0.5)}});
  starts("vectorAtRest", 1, {{"x[1]", 0.5}, {"x[2]", 1}, {"x[3]", 1.5}});
  starts("tiedAtRest", 1, {{"y", 0.981}, {"x", -0.019}, {"v", 0}, {"force", 0}});
}

TEST_CASE("MT-14, MD-14: initial equations that agree are one too many and no error") {
  starts("serialInductors 0.5 0.5", 0, {{"l1.p.i", 0.5}, {"l1.u", 5.0 / 3}, {"l2.u", 10.0 / 3}});
  starts("serialInductors 0.5 0.5", 0.1, {{"l1.p.i", 1 - 0.5 * std::exp(-10 / 0.3 * 0.1)}});
  starts("inertiaAndDamper 1.0 1.0", 1,
         {{"mass.w", std::exp(-5.0)}, {"mass.a.phi", 1 + (1 - std::exp(-5.0)) / 5}});
}

TEST_CASE("MD-16: a heat capacity") { starts("heating", 15, {{"mass.a.t", 393.15 - 100 * std::exp(-7.5)}}); }

TEST_CASE("Continuation finds what Newton's method does not") {
  starts("cubic", 0, {{"x", -1.7692923542386314}});
  numeric::Model model("starts.sr", "coupledCubic");
  sigrel::Run run = model.run({.stop = 0});
  REQUIRE(run.outcome.continued.size() == 1);
  CHECK(run.outcome.continued[0].unknowns == 2);
  const double x = numeric::value(run, "x"), y = numeric::value(run, "y");
  CHECK(x + 0.1 * y == Approx(-1.7692923542386314));
  CHECK(std::exp(y) == Approx(3 + x * y - y).margin(1e-9));
}

TEST_CASE("A linear model has no state for a constant of the run") {
  sigrel::Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true});
  REQUIRE(session.load(SIGREL_SOURCE_DIR "/tests/numeric/models/starts.sr"));
  REQUIRE(session.check("total"));
  auto model = session.compile();
  REQUIRE(model);
  auto linear = session.linearize(*model, {.run = {}, .inputs = {"sum"}, .outputs = {"x"}});
  REQUIRE(linear);
  CHECK(linear->states == std::vector<std::string>{"x", "y"});
  CHECK(linear->model.a == std::vector<double>{-1, 0, 0, -1});
  CHECK(linear->model.b == std::vector<double>{1, 0});
}

// Where the potential energy of bodies, springs and tyres is stationary, by differences.
TEST_CASE("a car on four trailing arms starts at rest") {
  const sigrel::Run run = numeric::Model("car_at_rest.sr", "simulate car").run({.stop = 0.1});
  numeric::check_values(
      run, {{"a.r[3]", 0.515348595}, {"w1.flange.phi", 0.2300045771}, {"w2.flange.phi", 0.2300045771}});
}
