// Quantised states: closed forms, events that are processed where they are read, the other solvers as
// reference, and what is refused.
#include <fmt/format.h>

#include <cmath>

#include "numeric.h"
#include "runtime/events/event_observer.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

Run quantised(const char* expression, double stop, double tolerance, std::int64_t steps = 50,
              Backend backend = Backend::Jit) {
  return Model("quantised.sr", expression, {}, backend)
      .run({.stop = stop, .tolerance = tolerance, .steps = steps, .solver = "qss", .events = false});
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

TEST_CASE("Quantised states: what rests exactly at the limit of a comparison crosses nothing") {
  const Run run = quantised("rest", 3, 1e-4);
  CHECK(value(run, "below") == 0);
  CHECK(value(run, "decayed") == 0);
  CHECK(value(run, "moved") == 1);
  CHECK(value(run, "left") == 1);
  CHECK(value(run, "x") == Approx(1));
}

TEST_CASE("Quantised states: clocks that tick together are one round") {
  // Both tick at 0.875 for the first time: one reads what the other had before.
  const Run run = quantised("sharedTicks", 1, 1e-4);
  CHECK(value(run, "a") == 1);
  CHECK(value(run, "b") == 0);
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

TEST_CASE("Quantised states: a `when` has rows of its own, what changes equations only has none") {
  auto rows = [](const char* expression) {
    return Model("quantised.sr", expression)
        .run({.stop = 2, .steps = 10, .solver = "qss", .events = true})
        .trajectory.rows();
  };
  CHECK(rows("bent") == 11);
  CHECK(rows("ball") > 11);
}

TEST_CASE("Quantised states: converters with clocks of their own") {
  const Run run = quantised("converters 5", 0.002, 1e-6, 20);
  const Run reference =
      Model("quantised.sr", "converters 5")
          .run({.stop = 0.002, .tolerance = 1e-10, .steps = 20, .solver = "cvode", .events = false});
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
  const Run reference =
      Model("quantised.sr", "inverters 21")
          .run({.stop = 25, .tolerance = 1e-10, .steps = 100, .solver = "cvode", .events = false});
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

TEST_CASE("Quantised states: pieces, of time and of states") {
  struct Case {
    const char *expression, *name;
    double stop, exact, allowed;
    std::uint64_t events;  // 0: not compared
  };
  const Case cases[] = {{"sawtooth", "x", 1, 0.4, 1e-6, 0},
                        {"pulseOfTime", "x", 10, 0.5, 1e-5, 4},
                        {"pulseOfState", "x", 10, 0.5, 1e-5, 4},
                        {"cycle", "x", 200, 100, 1e-4, 0},
                        {"pulses", "n", 100, 100, 0, 0},
                        // Two at noon; at midnight the floor and both comparisons that read it.
                        {"noon", "x", 864000, 10, 1e-4, 50},
                        {"pwm", "y", 0.05, 0.0125, 1e-7, 0},
                        {"turning", "x", 2 * std::acos(-1.0), -std::acos(-1.0), 1e-4, 10}};
  for (const Case& c : cases) {
    INFO(c.expression);
    const Run run = Model("pieces.sr", c.expression)
                        .run({.stop = c.stop, .tolerance = 1e-6, .solver = "qss", .events = false});
    CHECK(std::abs(value(run, c.name) - c.exact) <= c.allowed);
    if (c.events > 0) CHECK(run.outcome.statistics.events == c.events);
  }
  const Run jump = Model("pieces.sr", "jump").run({.stop = 3, .solver = "qss"});
  CHECK(value(jump, "y") == 1'000'003);
}

TEST_CASE("Quantised states: a smooth pulse of time is met") {
  const Run run = quantised("pulse", 10, 1e-5);
  CHECK(value(run, "x") == Approx(std::sqrt(std::acos(-1.0)) * 0.05).epsilon(1e-3));
}

TEST_CASE("Quantised states: pieces that a `when` reads; the longest step") {
  const Run run =
      Model("quantised.sr", "stairs").run({.stop = 20, .max_step = 1e-4, .steps = 50, .solver = "qss"});
  const double pi = std::acos(-1.0), rises = std::asin(0.4);  // floor (5 x) is 2 from x = 0.4 on
  CHECK(value(run, "n") == 4);
  CHECK(value(run, "y") == Approx(3 * (pi - 2 * rises) + (20 - 6 * pi) - rises).epsilon(1e-6));
  CHECK(value(run, "z") == Approx(5e-4 * std::sqrt(pi)).epsilon(1e-4));
}

TEST_CASE("Quantised states: events inside the solver are reported") {
  struct Counter : runtime::EventObserver {
    std::uint64_t comparisons = 0, triggers = 0, jumps = 0;
    double last = 0;
    void event(const runtime::EventReport& report) override {
      CHECK(report.time >= last);
      last = report.time;
      comparisons += report.comparisons.size();
      triggers += report.triggers.size();
      jumps += report.jumps.size();
    }
  } counter;
  const Run run = Model("quantised.sr", "converters 5")
                      .run({.stop = 0.00202, .tolerance = 1e-4, .solver = "qss", .event_observer = &counter});
  CHECK(counter.comparisons + counter.triggers == run.outcome.statistics.events);
  CHECK(counter.triggers >= 5 * 40);
  CHECK(counter.jumps >= 2 * (counter.triggers - 5));
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
    const RunOptions options{
        .stop = c.stop, .tolerance = 1e-6, .steps = 50, .solver = "qss", .events = false};
    RunOptions exact = options;
    exact.tolerance = 1e-9;
    exact.solver = "auto";
    const Run run = Model(c.file, c.expression).run(options),
              reference = Model(c.file, c.expression).run(exact);
    CHECK(difference(run, reference, c.name) <= c.allowed);
  }
}

TEST_CASE("Quantised states: clocks whose assignments are compared, or which tick with a step of the time") {
  for (const char* solver : {"auto", "cvode", "ida", "qss"})
    for (const bool events : {false, true}) {
      INFO(solver << ", rows at events: " << events);
      const RunOptions options{.stop = 4, .steps = 8, .solver = solver, .events = events};
      const Run compared = Model("quantised.sr", "compared").run(options);
      CHECK(numeric::column(compared, "x").back() == Approx(2));
      CHECK(numeric::column(compared, "n").back() == 2);
      const Run coincident = Model("quantised.sr", "coincident").run(options);
      CHECK(numeric::column(coincident, "a").back() == 8);
      CHECK(numeric::column(coincident, "missed").back() == 0);
    }
}

TEST_CASE("Quantised states: pre of what equations compute is of before the instant") {
  for (const char* solver : {"auto", "ida", "qss"}) {
    INFO(solver);
    const Run run = Model("quantised.sr", "computedBefore").run({.stop = 2.2, .steps = 4, .solver = solver});
    CHECK(numeric::column(run, "y").back() == 9);  // ticks at 0, 0.25, …, 2
    CHECK(numeric::column(run, "p").back() == 17);
    CHECK(numeric::column(run, "q").back() == 3);
  }
}

TEST_CASE("Quantised states: a clock that ticks without end is an error") {
  for (const char* solver : {"auto", "qss"}) {
    INFO(solver);
    const std::string refusal =
        Model("quantised.sr", "manyTicks").refusal({.stop = 2, .steps = 4, .solver = solver});
    CHECK_THAT(refusal, Catch::Contains("SR0511") && Catch::Contains("longer period"));
  }
}

TEST_CASE("Quantised states: comparisons that cross together are one crossing each") {
  // An event that rounding errors put just before the next one does not decide the first comparison again.
  struct Window {
    double top, limit;
  };
  std::vector<Window> windows = {{1.46, 0.9940055204594463}, {1.049, 0.9833576063833109}};
  for (int k = 0; k < 40; ++k)
    windows.push_back({0.3 + 0.0337 * k, 1 - std::pow(10.0, -1.3 - 0.09 * (k * 7 % 40))});
  for (const auto& [top, limit] : windows)
    for (const char* solver : {"qss", "auto"}) {
      INFO(solver << ", top " << top << ", limit " << limit);
      const std::string model = fmt::format("window {} {}", top, limit);
      const Run run =
          Model("quantised.sr", model.c_str(), {}, Backend::Interpreter)
              .run({.stop = 2, .tolerance = 1e-9, .steps = 10, .solver = solver, .events = false});
      const double half = std::sqrt(1 - limit);
      CHECK(value(run, "entered") == 1);
      CHECK(value(run, "left") == 1);
      CHECK(std::abs(value(run, "enteredAt") - (top - half)) < 1e-7 / half);
      CHECK(std::abs(value(run, "leftAt") - (top + half)) < 1e-7 / half);
    }
}

TEST_CASE("Quantised states: where a run ends, comparisons hold what its values say") {
  // The time of a crossing is predicted with an error, and the run may end within it.
  int beyond = 0;
  for (int k = -40; k <= 40; ++k) {
    const double stop = 1.4 + k * 1e-14;
    const Run run = quantised("saw", stop, 1e-6, 3, Backend::Interpreter);
    INFO(k);
    const bool above = value(run, "x") > 0.3 + 1e-15;
    CHECK((!above || value(run, "n") == 3));
    beyond += above || value(run, "n") == 3;
  }
  CHECK(beyond > 10);
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

TEST_CASE("Quantised states: a clock reads what a `when` assigns in the round of both") {
  for (const char* solver : {"auto", "ida", "qss"}) {
    INFO(solver);
    const Run run = Model("quantised.sr", "readsWhen").run({.stop = 0.9, .steps = 9, .solver = solver});
    numeric::check_values(run,
                          {{"b", 1}, {"before", 0}, {"c", 2}, {"d", 10}, {"x", 0.4}, {"y", 10.4}, {"w", 4}});
  }
}

TEST_CASE("Quantised states: comparisons that cross together are one event, also where it takes them back") {
  for (int k = 0; k < 40; ++k) {
    const double rate = 0.3 + 0.0737 * k, low = -0.5 + 0.0171 * k, limit = 0.25 + 0.0131 * k;
    const std::string model = fmt::format("sawtooth {} ({}) {}", rate, low, limit);
    const int resets = static_cast<int>(7.3 * rate / (limit - low));
    for (const char* solver : {"qss", "auto"}) {
      INFO(solver << ", " << model);
      const Run run = Model("quantised.sr", model.c_str(), {}, Backend::Interpreter)
                          .run({.stop = 7.3, .steps = 7, .solver = solver});
      CHECK(value(run, "resets") == resets);
      CHECK(value(run, "returns") == resets);
    }
  }
}

TEST_CASE("Quantised states: the last tick may miss a stop time of zero by a rounding error") {
  for (const char* solver : {"qss", "auto"}) {
    INFO(solver);
    const Run run =
        Model("quantised.sr", "ticksAtStop").run({.start = -0.4, .stop = 0, .steps = 4, .solver = solver});
    CHECK(value(run, "n") == 4);
  }
}

TEST_CASE("A tick that misses the start by a rounding error is at the start") {
  for (const char* solver : {"qss", "auto", "ida"}) {
    INFO(solver);
    const Run run = Model("quantised.sr", "ticksAtStop").run({.stop = 0.1, .steps = 1, .solver = solver});
    CHECK(numeric::column(run, "n").front() == 1);
    CHECK(value(run, "n") == 2);
  }
}
