// Quantised states: closed forms, events that are processed where they are read, the other solvers as
// reference, and what is refused.
#include <cmath>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

Run quantised(const char* expression, double stop, double tolerance, std::int64_t steps = 50,
              Backend backend = Backend::Jit) {
  return Model("quantised.sr", expression, {}, backend)
      .run({.stop = stop, .tolerance = tolerance, .steps = steps, .solver = "qss"});
}

/// The largest difference of a variable between two runs, over all rows.
double difference(const Run& a, const Run& b, const std::string& name) {
  const std::vector<double> x = numeric::column(a, name), y = numeric::column(b, name);
  REQUIRE(x.size() == y.size());
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
  return largest;
}

}  // namespace

TEST_CASE("Quantised states: closed forms, to the tolerance") {
  for (const double tolerance : {1e-3, 1e-5, 1e-7})
    for (const Backend backend : {Backend::Jit, Backend::Interpreter}) {
      INFO(tolerance);
      const Run run = quantised("smooth", 10, tolerance, 40, backend);
      const std::vector<double> times = run.trajectory.times();
      auto check = [&](const char* name, double allowed, auto exact) {
        INFO(name);
        const std::vector<double> values = numeric::column(run, name);
        for (std::size_t k = 0; k < times.size(); ++k)
          CHECK(std::abs(values[k] - exact(times[k])) <= allowed * tolerance);
      };
      check("x", 1, [](double t) { return std::exp(-t); });
      check("y", 2, [](double t) {
        return 1e6 / (1e6 + 1) * (std::sin(t) - 1e-3 * std::cos(t) + 1e-3 * std::exp(-1000 * t));
      });
      // Undamped: the error grows with time.
      check("c", 20, [](double t) { return std::cos(t); });
      check("s", 20, [](double t) { return std::sin(t); });
      check("z", 1, [](double t) { return std::sin(t); });
    }
}

TEST_CASE("Quantised states: a stiff pair takes steps of its slow mode") {
  const Run run = quantised("stiff", 500, 1e-4);
  // The slow mode: -0.01, nearly.
  const double slow = (-100 + std::sqrt(1e4 - 4)) / 2, fast = (-100 - std::sqrt(1e4 - 4)) / 2;
  // x1 = 20.2 + a exp (slow t) + b exp (fast t), x1(0) = 0, x1'(0) = 0.2
  const double a = (0.2 + 20.2 * fast) / (slow - fast), b = -20.2 - a;
  const std::vector<double> times = run.trajectory.times(), x1 = numeric::column(run, "x1");
  for (std::size_t k = 0; k < times.size(); ++k)
    CHECK(x1[k] == Approx(20.2 + a * std::exp(slow * times[k]) + b * std::exp(fast * times[k])).margin(0.01));
  CHECK(run.outcome.statistics.steps < 5000);  // an explicit method needs 25 000
}

TEST_CASE("Quantised states: a `when` of the whole model") {
  const double first = std::sqrt(2 / 9.81);
  const Run run = quantised("ball", 2.5, 1e-6);
  CHECK(value(run, "bounces") == 4);
  // After the fourth bounce: times between are 2 * 0.8^k * first.
  const double bounce = first * (1 + 2 * (0.8 + 0.64 + 0.512));
  const double speed = 9.81 * first * std::pow(0.8, 4), since = 2.5 - bounce;
  CHECK(value(run, "h") == Approx(speed * since - 9.81 / 2 * since * since).epsilon(1e-8));
  const Run triangle = quantised("triangle", 10.1, 1e-6);
  CHECK(value(triangle, "x") == Approx(0.35).epsilon(1e-9));  // 0.25 + 10.1: 10.35 of a period of 1
  CHECK(triangle.outcome.statistics.events == 20);
}

TEST_CASE("Quantised states: a comparison in an equation is an event at its root") {
  const Run run = quantised("bent", 2, 1e-3);
  CHECK(value(run, "x") == Approx(2.5).epsilon(1e-12));
  CHECK(run.outcome.statistics.events == 1);
}

TEST_CASE("Quantised states: converters with clocks of their own") {
  const Run run = quantised("converters 5", 0.002, 1e-6, 20);
  const Run reference = Model("quantised.sr", "converters 5")
                            .run({.stop = 0.002, .tolerance = 1e-10, .steps = 20, .solver = "cvode"});
  for (const char* name : {"c[1].i", "c[1].u", "c[4].i", "c[4].u"}) {
    INFO(name);
    CHECK(difference(run, reference, name) <= 1e-4);
  }
  CHECK(difference(run, reference, "c[2].cycles") == 0);
  CHECK(difference(run, reference, "c[2].start") == 0);
  CHECK(value(run, "c[3].u") == Approx(12).epsilon(0.02));
  CHECK(run.outcome.statistics.events >= 5 * 2 * 39);
}

TEST_CASE("Quantised states: the cost of an event does not grow with the model") {
  // Steps of single states for each event, of 4 and of 64 converters.
  const Run few = quantised("converters 4", 0.001, 1e-4, 2),
            many = quantised("converters 64", 0.001, 1e-4, 2);
  const runtime::Statistics &a = few.outcome.statistics, &b = many.outcome.statistics;
  CHECK(static_cast<double>(b.events) == Approx(16.0 * static_cast<double>(a.events)).epsilon(0.05));
  CHECK(static_cast<double>(b.evaluations) == Approx(16.0 * static_cast<double>(a.evaluations)).epsilon(0.1));
}

TEST_CASE("Quantised states: a flank runs through a chain of inverters") {
  const Run reference = Model("quantised.sr", "inverters 21")
                            .run({.stop = 25, .tolerance = 1e-10, .steps = 100, .solver = "cvode"});
  double before = 0;
  for (const double tolerance : {1e-4, 1e-6}) {
    const Run run = quantised("inverters 21", 25, tolerance, 100);
    const double last = difference(run, reference, "x[21]"), first = difference(run, reference, "x[1]");
    CHECK(first <= 20 * tolerance);
    CHECK(last <= 500 * tolerance);  // flanks of 50 per second, at instants that are off by the errors before
    if (before > 0) CHECK(last < before / 10);
    before = last;
    CHECK(run.outcome.statistics.events == reference.outcome.statistics.events);
    CHECK(run.outcome.statistics.busiest.size() == 5);
  }
}

TEST_CASE("Quantised states agree with the other solvers") {
  struct Case {
    const char *file, *expression, *name;
    double stop, allowed;
  };
  const Case cases[] = {
      {"quantised.sr", "loop", "x", 5, 1e-5},           {"hy02_van_der_pol.sr", nullptr, "y", 2, 1e-3},
      {"md17_chirp.sr", nullptr, "x", 1, 1e-4},         {"mp01_decay.sr", nullptr, "x", 1, 1e-5},
      {"mp18_saturation.sr", nullptr, "area", 1, 1e-5}, {"events.sr", "gear", "phi2", 4, 1e-5},
      {"events.sr", "rectifier", "load.u", 3, 1e-3}};
  for (const Case& c : cases) {
    INFO(c.file << " " << c.name);
    const RunOptions options{.stop = c.stop, .tolerance = 1e-6, .steps = 50, .solver = "qss"};
    RunOptions exact = options;
    exact.tolerance = 1e-9;
    exact.solver = "auto";
    const Run run = Model(c.file, c.expression).run(options),
              reference = Model(c.file, c.expression).run(exact);
    CHECK(difference(run, reference, c.name) <= c.allowed);
  }
}

TEST_CASE("Quantised states: what is refused, and what does not end") {
  const RunOptions options{.stop = 1, .solver = "qss"};
  CHECK(Model("quantised.sr", "delayed").refusal(options).find("SR0506") != std::string::npos);
  CHECK(Model("mt04_pendulum.sr").refusal(options).find("SR0506") != std::string::npos);
  const std::string relay = Model("quantised.sr", "relay").refusal(options);
  CHECK(relay.find("SR0511") != std::string::npos);
  CHECK(relay.find("t = 0.5 s") != std::string::npos);
  CHECK(Model("quantised.sr", "root").refusal(options).find("y") != std::string::npos);
}
