// Components of several states that are solved exactly: closed forms, and the results of one clock.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric.h"
#include "row_check.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;
using runtime::ComponentClocks;

namespace {

Run run_with(Model& model, ComponentClocks clocks, double stop, double tolerance = 1e-11) {
  RunOptions options{.stop = stop, .tolerance = tolerance, .steps = 40};
  options.components = clocks;
  return model.run(options);
}

}  // namespace

TEST_CASE("Bouncing balls against the closed form") {
  Model model("affine.sr", "balls 5");
  const Run run = run_with(model, ComponentClocks::On, 1.9, 1e-7);
  CHECK(run.outcome.statistics.exact_components == 0);  // events assign a state
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "b[" + std::to_string(i) + "].";
    constexpr double g = 9.81;
    double start = 0, x = i, v = 0, fall = std::sqrt(2 * x / g);
    int bounces = 0;
    for (; start + fall < 1.9; ++bounces) {
      v = 0.8 * (g * fall - v);
      start += fall;
      x = 0;
      fall = 2 * v / g;
    }
    const double s = 1.9 - start;
    INFO(name << ", " << bounces << " bounces");
    CHECK(value(run, name + "n") == bounces);
    CHECK(value(run, name + "x") == Approx(x + v * s - g * s * s / 2).epsilon(1e-5));
    CHECK(value(run, name + "v") == Approx(v - g * s).epsilon(1e-5));
  }
}

TEST_CASE("No short excursion of an oscillation is missed") {
  Model model("affine.sr", "oscillators 4");
  const Run run = run_with(model, ComponentClocks::On, 1000, 1e-3);
  CHECK(run.outcome.statistics.exact_components == 4);
  for (int i = 1; i <= 4; ++i) {
    const std::string name = "o[" + std::to_string(i) + "].";
    INFO(name);
    // x = cos w t, v = -w sin w t, which exceeds 0.999 w around three quarters of each period.
    const double w = i, period = 2 * std::numbers::pi / w;
    const double begin = 0.75 * period - std::acos(0.999) / w;
    CHECK(value(run, name + "n") == std::floor((1000 - begin) / period) + 1);
    CHECK(value(run, name + "x") == Approx(std::cos(w * 1000)).margin(1e-9));
  }
}

TEST_CASE("Random components of two states have the results of one clock") {
  for (const char* expression : {"random 2 1", "random 2 7", "random 2 20", "random 2 33", "random 2 47"}) {
    INFO(expression);
    Model model("affine.sr", expression);
    const Run own = run_with(model, ComponentClocks::On, 2.03);
    CHECK(own.outcome.statistics.exact_components == 10);
    CHECK(own.outcome.statistics.other_components == 2);  // balls
    const Run one = run_with(model, ComponentClocks::Off, 2.03);
    REQUIRE(own.trajectory.names() == one.trajectory.names());
    for (const std::string& name : one.trajectory.names()) {
      const std::vector<double> a = own.column(name), b = one.column(name);
      REQUIRE(a.size() == b.size());
      double largest = 1e-3, error = 0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        largest = std::max(largest, std::abs(b[k]));
        error = std::max(error, std::abs(a[k] - b[k]));
      }
      INFO(name << ", largest " << largest << ", error " << error);
      CHECK(error <= 1e-6 * largest);
    }
    CHECK(value(own, "r[1].changes") + value(own, "r[2].changes") > 4);
    CHECK(value(own, "c[1].n") + value(own, "c[2].n") > 0);
  }
}

TEST_CASE("Every row at an event of a component of several states satisfies the equations") {
  Model model("affine.sr", "relays 3");
  runtime::Experiment e;
  e.stop = 2;
  e.components = ComponentClocks::On;
  const numeric::RowCheck check = numeric::check_rows(model.compiled(), e);
  INFO(check.first);
  CHECK(check.wrong == 0);
  CHECK(check.events > 100);
}

TEST_CASE("Diodes that conduct at one instant switch together") {
  Model model("affine.sr", "bridge");
  const Run own = run_with(model, ComponentClocks::On, 1.03e-3, 1e-6);
  const Run one = run_with(model, ComponentClocks::Off, 1.03e-3);
  CHECK(own.outcome.statistics.exact_components == 1);
  for (const char* name : {"k.u", "l.p.i", "d2.s"})
    CHECK(value(own, name) == Approx(value(one, name)).epsilon(1e-6));
}

TEST_CASE("Currents that have decayed to rounding errors rise at the next tick") {
  Model model("affine.sr", "clockedBucks");
  const Run own = run_with(model, ComponentClocks::On, 0.02, 1e-6);
  const Run one = run_with(model, ComponentClocks::Off, 0.02, 1e-9);
  CHECK(own.outcome.statistics.exact_components == 4);
  for (const std::string part : {"b[1].", "b[2].", "b[3].", "b[4]."}) {
    INFO(part);
    CHECK(value(own, part + "u") == Approx(value(one, part + "u")).epsilon(1e-6));
    CHECK(value(own, part + "k") == value(one, part + "k"));
    CHECK(value(own, part + "k") > 300);
  }
}

TEST_CASE("Balls whose bounces come to no end are an error, with clocks of their own as well") {
  RunOptions options{.stop = 3};
  CHECK(Model("affine.sr", "lossyBalls 16").refusal(options).find("SR0511") != std::string::npos);
  options.components = ComponentClocks::On;
  CHECK(Model("affine.sr", "lossyBalls 1").refusal(options).find("SR0511") != std::string::npos);
}

TEST_CASE("Nearly defective equations of three states") {
  Model model("affine.sr", "nearlyDefective");
  const Run run = run_with(model, ComponentClocks::On, 5, 1e-8);
  // A cascade of three equal lags from 1: exp (-t) (1 + t + t^2 / 2); the feedback of 1e-14 is below that.
  CHECK(value(run, "c") == Approx(std::exp(-5.0) * 18.5).epsilon(1e-5));
}

TEST_CASE("A component whose states grow beyond all numbers is an error") {
  Model model("affine.sr", "saddle");
  const Run run = run_with(model, ComponentClocks::On, 0.1, 1e-3);
  CHECK(value(run, "n") == 1);
  CHECK(value(run, "x") == Approx(std::cosh(100.0)).epsilon(1e-9));
  RunOptions options{.stop = 10, .steps = 40};
  options.components = ComponentClocks::On;
  CHECK(model.refusal(options).find("SR0503") != std::string::npos);
}

TEST_CASE("What varies with time is no exact component") {
  const Run run = run_with(*std::make_unique<Model>("affine.sr", "driven 3"), ComponentClocks::On, 1, 1e-6);
  CHECK(run.outcome.statistics.exact_components == 0);
}
