// Changes of structure at which values jump so that flux, charge and momentum are conserved, against closed
// forms and integrations in minimal coordinates, by JIT and interpreter and by several integrators.
#include <cmath>
#include <string>

#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

void check(const char* expression, const std::vector<numeric::ValueAt>& expected, double accuracy) {
  numeric::check_values_at("jumps.sr", expression, expected, accuracy);
}

}  // namespace

TEST_CASE("a clutch that engages keeps angular momentum, and angles keep their difference") {
  check("clutch",
        {{"w1", 1.5, 87.0 / 40 + 0.8 / 4},
         {"w2", 1.5, 87.0 / 40 + 0.8 / 4},
         {"t", 1.5, 1.75},
         {"w1", 3, 187.0 / 40},
         {"w2", 3, 253.0 / 120},
         {"phi1", 3, 1697.0 / 80},
         {"phi2", 3, 583.0 / 240}},
        1e-7);
}

TEST_CASE("inductors that come into one loop keep their flux") {
  const double i1 = 2 * std::exp(-0.5), i2 = 0.5 * std::exp(-0.05 * 2 / 0.3);
  const double after = (0.1 * i1 + 0.3 * i2) / 0.4;
  check("inductors", {{"i1", 0.2, after * std::exp(-7.5 * 0.15)}, {"i2", 0.1, after * std::exp(-7.5 * 0.05)}},
        1e-7);
}

TEST_CASE("capacitors that are connected keep their charge") {
  check("capacitors", {{"c1.u", 1, 2}, {"c2.u", 1, 2}, {"s.p.i", 1, 0}}, 1e-9);
}

TEST_CASE("a capacitor takes charge from a source, and shares it with another one") {
  const double shared = 10 * 1e-6 / (1e-6 + 1e-5);
  check("converter", {{"u", 1e-5, shared * std::exp(-5e-6 / (1e3 * 1.1e-5))}}, 1e-7);
}

TEST_CASE("a string that becomes taut takes the radial velocity") {
  // From integrations in minimal coordinates of order 8, with exact events.
  check("string 1.0 2.5",
        {{"x", 0.5, 0.9054266878},
         {"y", 0.5, -0.4245026656},
         {"vx", 0.5, -0.8718183085},
         {"vy", 0.5, -1.859511441},
         {"x", 2, 0.07623573295}},
        1e-6);
}

TEST_CASE("a string that becomes slack: its length leaves the limit by the third derivative") {
  check("string 2.0 7.0",
        {{"x", 0.5, 0.05395927007}, {"y", 1, -0.3896807068}, {"x", 2, 0.2852916718}, {"x", 3, 0.4345520048}},
        1e-6);
}

TEST_CASE("a string that would push after the capture is slack again, with the tangential velocity") {
  check("string 0.5 6.0", {{"vx", 0.5, -1.539595333}, {"vy", 0.5, -0.8458514574}, {"x", 2, 0.4727819282}},
        1e-6);
}

TEST_CASE("handlers fire if what they compare jumps") {
  check("counted", {{"above", 1, 1}, {"below", 1, 1}, {"inside", 1, 0}, {"u2", 1, 2}, {"above", 0.4, 0}},
        1e-9);
}

TEST_CASE("what is tied to a source jumps with it, and impulses decide") {
  auto sources = [](const char* expression, const std::vector<numeric::ValueAt>& expected) {
    numeric::check_values_at("jumping_sources.sr", expression, expected, 1e-6);
  };
  sources("peak", {{"c.u", 0.5, 10}, {"c.u", 1, 10}, {"c.u", 2, 10 * std::exp(-1.0)}});
  sources("handled", {{"c.u", 2, 10 * std::exp(-1.0)}, {"e", 2, 2}});
  sources("freewheel", {{"w", 1, 10}, {"w", 2, 10 * std::exp(-0.5)}, {"drive", 2, 2}});
  sources("divider", {{"c1.u", 1.2, 1.5}, {"c2.u", 1.2, 0.5}, {"c2.u", 2, 0.5}});
}

TEST_CASE("states that constraints tie to a source jump with it, without a switch") {
  // Momentum 2 w1 + 3 w2 = 5 stays: w1 - w2 is 5 at first, which lets the handler fire, then 2.5.
  numeric::check_values_at("jumping_sources.sr", "meshed",
                           {{"w1", 0.9, 1}, {"w1", 2, 2.5}, {"w2", 2, 0}, {"n", 2, 1}, {"angle", 2, 3.5}},
                           1e-7);
}

TEST_CASE("a jump passes through several constraints") {
  // 2 (w1 - 2) = -P, 3 (w3 - 1) = 2 P and w1 = 2 (w3 + 5) afterwards.
  const double w3 = -14.5 / 5.5, w1 = 2 * (w3 + 5);
  numeric::check_values_at("jumping_sources.sr", "chained",
                           {{"w1", 0.9, 2}, {"w1", 2, w1}, {"w3", 2, w3}, {"angle", 2, 2 + w1}}, 1e-7);
}

TEST_CASE("random networks of capacitors conserve the charge of each node") {
  for (const char* solver : {"auto", "cvode", "adams", "ida"})
    for (const int n : {2, 3, 5, 8}) {
      INFO(solver << ", " << n);
      numeric::Model model("jumping_sources.sr", ("series " + std::to_string(n)).c_str());
      const Run run = model.run({.stop = 2.2, .steps = 20, .solver = solver, .events = true});
      const std::vector<double> times = run.trajectory.times();
      std::vector<std::vector<double>> u;
      for (int k = 1; k <= n; ++k) u.push_back(numeric::column(run, "u[" + std::to_string(k) + "]"));
      int jumps = 0;
      for (std::size_t row = 1; row < times.size(); ++row) {
        if (times[row] != times[row - 1]) continue;
        ++jumps;
        auto charge = [&](int k) {
          const double c = 0.5 + 0.37 * ((7 * k) % 5);
          return c * (u[std::size_t(k - 1)][row] - u[std::size_t(k - 1)][row - 1]);
        };
        CHECK(std::abs(charge(1)) > 0.1);
        for (int k = 2; k <= n; ++k) CHECK(charge(k) == Approx(charge(1)).epsilon(1e-9));
      }
      CHECK(jumps == 5);
    }
}

TEST_CASE("a charge pump without losses moves the charge that capacitors share") {
  double u1 = 0, u2 = 5, u = 5;
  for (int half = 1; half < 60; ++half) {
    if (half % 2) {  // the first clock is low
      u1 = 5;
      const double shared = (1e-7 * (u2 + 5) + 1e-6 * u) / 1.1e-6;
      if (u2 + 5 > u) u2 = shared - 5, u = shared;
    } else {
      const double shared = (u1 + 5 + u2) / 2;
      u1 = shared - 5;
      u2 = shared;
    }
  }
  numeric::check_values_at("jumping_sources.sr", "pump", {{"c.u", 2.98e-4, u}, {"c2.u", 2.98e-4, u2}}, 1e-8);
}

TEST_CASE("a transition at the stop time is taken, before handlers of the end") {
  numeric::check_values_at("jumping_sources.sr", "atStop",
                           {{"k", 1, 2}, {"n", 1, 1}, {"seen", 1, 2}, {"k", 0.5, 1}}, 1e-12);
}

TEST_CASE("assertions hold after the transitions of an instant, also where a row is") {
  numeric::check_values_at("jumping_sources.sr", "asserted", {{"x", 1, 8}, {"y", 1, 8}, {"y", 0.4, 0}}, 1e-9);
}

TEST_CASE("the same jumps at each visit of a mode vector, which is compiled once") {
  numeric::Model model("jumps.sr", "clutch");
  const Run first = model.run({.stop = 3, .tolerance = 1e-9});
  const Run second = model.run({.stop = 3, .tolerance = 1e-9});
  CHECK(numeric::column(first, "w1") == numeric::column(second, "w1"));
}

TEST_CASE("a run ends at the instant at which its condition became true, also where a jump makes it false") {
  for (const char* solver : {"auto", "cvode", "ida"}) {
    INFO(solver);
    const Run run =
        numeric::Model("jumping_sources.sr", "endsBetween").run({.stop = 1, .steps = 10, .solver = solver});
    CHECK(run.outcome.reached == Approx(0.5));
    CHECK(value(run, "k") == 1);
    CHECK(value(run, "x") == Approx(0.5));
  }
}
