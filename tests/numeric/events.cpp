// Conditions that change while a model runs: published answers, by JIT and interpreter, by CVODE and by IDA.
#include <cmath>
#include <string>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

struct Case {
  const char* expression;
  double stop;
  std::vector<std::pair<const char*, double>> values;
  std::uint64_t events;
};

}  // namespace

TEST_CASE("Published answers of models with events") {
  const Case cases[] = {
      {"gear", 4, {{"phi2", 1.56295476115153}, {"w2", 0}}, 3},             // MD-12
      {"release", 10, {{"s", 1.17569933801}, {"v", -0.535130656804}}, 4},  // MD-8
      {"rectifier", 3, {{"load.u", 3.509663936}}, 9},  // MD-21: the diode opens and closes
      {"halfWave",
       9.3,
       {{"r.p.i", std::sin(2 * 3.14159265358979323846 * 9.3)}, {"c.u", 0.256233633}},
       36},  // HY-10, HY-11
      {"halfWave", 10, {{"r.p.i", 0}, {"c.u", 0.159284259}}, 38},
      {"contact", 2, {{"z", 0.3819352531}, {"v", 0.712558968}}, 6},  // PM-13
  };
  for (const Case& c : cases)
    numeric::each_way(
        "events.sr", c.expression, {.stop = c.stop, .tolerance = 1e-9},
        [&](const Run& run) {
          for (auto [name, expected] : c.values)
            CHECK(value(run, name) == Approx(expected).epsilon(1e-6).margin(expected == 0 ? 1e-9 : 0));
          CHECK(run.outcome.statistics.events == c.events);
        },
        {"cvode", "ida"});
}

TEST_CASE("An instant that is known beforehand is met exactly") {
  for (const char* solver : {"cvode", "ida"}) {
    Model model("events.sr", "gear");
    Run run = model.run({.stop = 4, .tolerance = 1e-6, .steps = 8, .solver = solver});
    CHECK(numeric::column(run, "tau") ==
          std::vector<double>{1, 1, 0, 0, -1, -1, 0, 0, 0});  // at 0, 0.5, …: what holds from then on
    CHECK(numeric::column(run, "w2")[2] ==
          Approx(0.531477380575767).epsilon(1e-12));  // a polynomial of the first degree until then
  }
}

TEST_CASE("Conditions of a model without states hold at every row") {
  Run run = Model("events.sr", "static").run({.stop = 1, .steps = 4});
  CHECK(numeric::column(run, "late") == std::vector<double>{0, 0, 1, 1, 1});
  CHECK(numeric::column(run, "y") == std::vector<double>{0, -0.0625, 0.25, 0.5625, 1});
}

TEST_CASE("Events: a loop of Bool equations and Reals is solved by event iteration") {
  // By hand: two diodes conduct and two block. With u the voltage of the load, v that of the source, each
  // blocking diode carries goff (v + its neighbour's drop), which is below 1e-5 of the current of the load.
  for (const double phase : {0.5, 2.5, 3.9, 5.5})
    numeric::each_way("events.sr", ("bridge " + std::to_string(phase)).c_str(), {.stop = 1, .steps = 100},
                      [&](const Run& run) {
                        const auto u = numeric::column(run, "load.u"), drive = numeric::column(run, "drive");
                        REQUIRE(u.size() > 100);
                        for (std::size_t k = 0; k < u.size(); ++k)
                          CHECK(u[k] == Approx(std::abs(drive[k])).epsilon(1e-4).margin(1e-6));
                      });
}

TEST_CASE("noEvent makes no event") {
  Run run = Model("events.sr", "quiet").run({.stop = 1, .tolerance = 1e-9});
  CHECK(run.outcome.statistics.events == 0);
  CHECK(value(run, "x") > 1.01);
}

TEST_CASE("Touches, double zeros and divisors at the start, counters beside latches") {
  const Case cases[] = {
      {"doubleZero", 2, {{"x", 1.0132809538}}, 1},
      {"latched", 10, {{"x", -0.5}, {"n", 3}}, 7},
      {"touching", 7, {{"x", 0}}, 0},
      {"divisor", 0.5, {{"x", 0.5}, {"n", 5}}, 1},
  };
  for (const Case& c : cases)
    numeric::each_way(
        "events.sr", c.expression, {.stop = c.stop},
        [&](const Run& run) {
          for (auto [name, expected] : c.values)
            CHECK(value(run, name) == Approx(expected).epsilon(1e-6).margin(expected == 0 ? 1e-9 : 0));
        },
        {"cvode", "adams", "ida"});
}
