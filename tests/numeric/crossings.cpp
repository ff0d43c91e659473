// Events and pulses inside a step, against closed forms, by every integrator at the default tolerance.
#include <fmt/format.h>

#include <cmath>

#include "numeric.h"

using namespace sigrel;
using numeric::column;
using numeric::value;

namespace {

const double kPi = std::acos(-1.0);

template <class Check>
void each(const char* expression, double stop, const Check& check, double max_step = 0) {
  for (const char* solver : {"cvode", "adams", "ida"}) {
    INFO(expression << ", " << solver);
    numeric::Model model("crossings.sr", expression);
    RunOptions options{.stop = stop, .solver = solver};
    if (max_step > 0) options.max_step = max_step;
    check(model.run(options));
  }
}

}  // namespace

TEST_CASE("a window of a state that is shorter than a step") {
  each("window", 10, [](const Run& run) {
    CHECK(value(run, "inside") == Approx(1e-4).epsilon(1e-6));
    CHECK(value(run, "near") == Approx(1e-4).epsilon(1e-6));
  });
}

TEST_CASE("two crossings in one step, down to a grazing one") {
  each("dips", 10, [](const Run& run) {
    CHECK(value(run, "below") == Approx(0.02).epsilon(1e-6));
    CHECK(value(run, "wide") == 1);
    CHECK(value(run, "narrow") == 1);
    CHECK(value(run, "touching") == 1);
    CHECK(value(run, "beyond") == 0);
  });
}

TEST_CASE("every maximum of an oscillator is met") {
  each("peaks", 20 * kPi, [](const Run& run) { CHECK(value(run, "n") == 10); });
}

TEST_CASE("a function of a state that is faster than the steps") {
  // sin u > 0.9 for 2 acos 0.9 of every period, and the first 400 rad have 63 whole ones and 0.66 of another.
  each("fast", 10, [](const Run& run) {
    CHECK(value(run, "n") == 64);
    CHECK(value(run, "y") == Approx(64 * 2 * std::acos(0.9) / 40).epsilon(1e-6));
  });
}

TEST_CASE("a condition that results alone read holds at every row") {
  each("shown", 10, [](const Run& run) {
    auto x = numeric::column(run, "x"), y = numeric::column(run, "y");
    for (std::size_t k = 0; k < x.size(); ++k)
      if (std::abs(std::sin(10 * x[k])) > 1e-9) CHECK(y[k] == (std::sin(10 * x[k]) > 0 ? 1 : -1));
  });
}

TEST_CASE("a difference that is zero at the start is watched from there on") {
  each("leaves", 1, [](const Run& run) {
    CHECK(value(run, "up") == Approx(1).epsilon(1e-6));
    CHECK(value(run, "down") == Approx(0).margin(1e-6));
    CHECK(value(run, "later") == Approx(1).epsilon(1e-6));
  });
}

TEST_CASE("a comparison that misses equality by rounding at the start changes there, as its sign says") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"})
    for (const char* start : {"0.5 - 3.3e-16", "0.5 - 1.0e-15", "0.3 + 0.2 - 5.6e-17"}) {
      INFO(solver << ", from " << start);
      const Run run = numeric::Model("crossings.sr", ("sawFrom (" + std::string(start) + ")").c_str())
                          .run({.stop = 4.9, .solver = solver});
      CHECK(value(run, "n") == 5);  // at 0, 1, 2, 3 and 4
      CHECK(value(run, "x") == Approx(0.4).margin(1e-5));
    }
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);  // x is zero at the start, pi / 2 and pi
    const Run above =
        numeric::Model("crossings.sr", "changesFrom 4.0e-16").run({.stop = 4, .solver = solver});
    numeric::check_values(above, {{"a", 3}, {"n", 1}});
    const Run below =
        numeric::Model("crossings.sr", "changesFrom (-4.0e-16)").run({.stop = 4, .solver = solver});
    numeric::check_values(below, {{"a", 2}, {"n", 1}});
  }
  // Exactly equal it is true from the start on, and the handler waits for the next time.
  const Run equal = numeric::Model("crossings.sr", "sawFrom 0.5").run({.stop = 4.9});
  CHECK(value(equal, "n") == 0);
}

TEST_CASE("a difference that rests beside zero by rounding may leave it through zero") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"})
    for (const char* start : {"(0.3 - 0.1 - 0.1 - 0.1)", "(-1.0e-14)", "(-8.5e-15)", "(-1.0e-17)", "1.0e-16"})
      for (const char* rate : {"0.5", "2.0", "-0.5", "1.0e-3"}) {
        INFO(solver << ", from " << start << " at " << rate);
        const Run run = numeric::Model("crossings.sr", fmt::format("tank {} ({})", start, rate).c_str())
                            .run({.stop = 3, .solver = solver});
        const double filled = std::stod(rate) * 2;
        CHECK(value(run, "level") == Approx(std::min(0.3, filled)).margin(1e-9));
        CHECK(value(run, "empty") == (filled < 0));
      }
}

TEST_CASE("a smooth pulse that is shorter than a step") {
  each("pulse", 10, [](const Run& run) {
    CHECK(value(run, "x") == Approx(0.01 * std::sqrt(kPi)).margin(2e-6));
    // The response of y' = -y to a Gaussian pulse of variance 0.01^2 / 2, after it.
    CHECK(value(run, "y") == Approx(3 * 0.01 * std::sqrt(kPi) * std::exp(-5 + 0.01 * 0.01 / 4)).margin(2e-6));
    CHECK(run.outcome.statistics.revised_steps > 0);
  });
}

TEST_CASE("no step is longer than maxStep") {
  each(
      "pulse", 10,
      [](const Run& run) {
        CHECK(run.outcome.statistics.steps >= 1000);
        CHECK(run.outcome.statistics.max_step == 0.01);
        CHECK(run.outcome.statistics.revised_steps == 0);
      },
      0.01);
}

TEST_CASE("A comparison that holds for a short part of a long step is met") {
  const struct {
    const char* holds;
    double time;
  } cases[] = {
      {"exp (-((u / 0.1)^2)) > 0.5", 0.2 * std::sqrt(std::log(2))},
      {"exp (-((u / 0.3)^2)) > 0.5", 0.6 * std::sqrt(std::log(2))},
      {"1.0 / (1.0 + (u / 0.1)^2) > 0.5", 0.2},
      {"(tanh (10.0 * u))^2 < 0.5", 0.2 * std::atanh(std::sqrt(0.5))},
      {"exp (-(abs u) / 0.1) > 0.5", 0.2 * std::log(2)},
      {"u^2 / (u^2 + 0.0001) < 0.5", 0.02},
      {"exp (-((u / 1.0e-4)^2)) > 0.5", 2e-4 * std::sqrt(std::log(2))},
  };
  for (const auto& c : cases)
    for (const char* solver : {"cvode", "adams", "ida"}) {
      INFO(c.holds << ", " << solver);
      const std::string expression = "held (\\u -> " + std::string(c.holds) + ")";
      const Run run =
          numeric::Model("hidden_pulses.sr", expression.c_str()).run({.stop = 2, .solver = solver});
      CHECK(value(run, "s") == Approx(c.time).epsilon(1e-6));
    }
}

TEST_CASE("Short pulses of a signal that turns within a step are counted") {
  for (const char* width : {"0.1", "0.01", "0.001"})
    for (const char* solver : {"cvode", "adams", "ida"}) {
      INFO(width << ", " << solver);
      const std::string expression = "counted " + std::string(width);
      const Run run =
          numeric::Model("hidden_pulses.sr", expression.c_str()).run({.stop = 62.8, .solver = solver});
      CHECK(value(run, "n") == 20);
    }
}

TEST_CASE("Diodes follow their source through steps that are longer than its period") {
  for (const char* solver : {"cvode", "adams", "ida"}) {
    INFO(solver);
    const Run run =
        numeric::Model("hidden_pulses.sr", "diodes").run({.stop = 5, .steps = 100, .solver = solver});
    for (const std::string diode : {"d0", "d1", "d2", "d3", "d4"}) {
      const std::vector<double> s = run.column(diode + ".s"), i = run.column(diode + ".p.i");
      REQUIRE(s.size() >= 101);
      for (std::size_t k = 0; k < s.size(); ++k)
        CHECK(i[k] == Approx(s[k] > 0 ? s[k] : 1e-5 * s[k]).epsilon(1e-6).margin(1e-9));
    }
  }
}

TEST_CASE("A state that rests at the limit of a comparison leaves it when an event pushes it") {
  for (const char* solver : {"cvode", "adams", "ida"})
    for (double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10})
      for (double inflow : {0.25, 0.3, 0.5, 0.7, 1.0, 2.0, 10.0}) {
        INFO(solver << ", tolerance " << tolerance << ", inflow " << inflow);
        const Run run = numeric::Model("rest.sr", ("tank " + std::to_string(inflow)).c_str())
                            .run({.stop = 1, .tolerance = tolerance, .solver = solver});
        CHECK(value(run, "h") == Approx(0.9 * (inflow - 0.2)).epsilon(1e-6));
      }
}

TEST_CASE("Two diodes whose currents end together, at tolerances of all sizes") {
  for (const char* bridge : {"bridge 12.0 1.0e-3 1.0e-6", "bridge 24.0 1.0e-3 1.0e-6"}) {
    numeric::Model model("bridge.sr", bridge);
    const double exact = value(model.run({.stop = 0.26, .tolerance = 1e-9, .solver = "cvode"}), "c.u");
    for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 0.75) {
      INFO(bridge << ", tolerance " << tolerance);
      CHECK(value(model.run({.stop = 0.26, .tolerance = tolerance, .solver = "cvode"}), "c.u") ==
            Approx(exact).epsilon(10 * tolerance));
    }
  }
}

TEST_CASE("Diodes that are at zero together end in no cycle") {
  for (const std::string circuit : {"ending", "starting", "dangling", "together", "across", "beside"}) {
    numeric::Model model("diodes.sr", circuit.c_str());
    const std::string state = circuit == "starting" ? "c.p.i" : "c.u";
    const double exact = value(model.run({.stop = 5, .tolerance = 1e-9, .solver = "cvode"}), state);
    for (const char* solver : {"cvode", "ida"})
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        INFO(circuit << ", " << solver << ", tolerance " << tolerance);
        const Run run = model.run({.stop = 5, .tolerance = tolerance, .steps = 100, .solver = solver});
        CHECK(value(run, state) == Approx(exact).epsilon(1e-4 + 10 * tolerance).margin(10 * tolerance));
        for (const std::string& name : run.trajectory.names()) {
          if (!name.ends_with(".s")) continue;
          const std::vector<double> s = column(run, name);
          const std::vector<double> i = column(run, name.substr(0, name.size() - 1) + "p.i");
          for (std::size_t k = 0; k < s.size(); ++k)
            CHECK(i[k] == Approx(s[k] > 0 ? s[k] : 1e-5 * s[k]).epsilon(1e-6).margin(1e-9));
        }
      }
  }
}

TEST_CASE("The same comparison in both equations of a diode is one zero crossing") {
  numeric::Model model("diodes.sr", "together");
  std::size_t rows = 0;
  for (const dae::ZeroCrossing& crossing : model.compiled().dae.zero_crossings)
    rows += crossing.differences.rows();
  CHECK(rows == 5);
}

TEST_CASE("the side of a fast difference that is zero at the start does not depend on the stop time") {
  for (const double stop : {1.0, 1e5, 2.2e7})
    each("fastFromZero", stop, [&](const Run& run) {
      INFO(stop);
      CHECK(value(run, "n") == 1);
    });
}

TEST_CASE("A guard holds at its crossing, whatever rounding leaves of it there") {
  for (const char* x0 : {"0.5", "0.3", "0.7", "1.0 / 3.0"})
    for (const char* solver : {"auto", "cvode", "adams", "ida"}) {
      INFO(x0 << ", " << solver);
      numeric::Model model("crossings.sr", (std::string("guardedRoot (") + x0 + ")").c_str());
      const Run run = model.run({.stop = 2, .steps = 4, .solver = solver, .events = true});
      for (const std::string& name : run.trajectory.names())
        for (const double v : column(run, name)) CHECK(std::isfinite(v));
      const double end = 2 + column(run, "x").front();
      CHECK(value(run, "v") == Approx(std::sqrt(2 * end)).epsilon(1e-4));
      CHECK(value(run, "u") == Approx(2 * std::pow(end, 1.5) / 3).epsilon(1e-3));
    }
}

TEST_CASE("A condition that is no number at first becomes true where it does") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);
    const Run run =
        numeric::Model("crossings.sr", "undefinedAtFirst").run({.stop = 1, .steps = 4, .solver = solver});
    CHECK(value(run, "n") == 1);
    if (solver != std::string("qss")) CHECK(value(run, "k") == 1);  // qss may see one crossing more than once
    CHECK(value(run, "at") == Approx(0.51).epsilon(1e-5));
  }
}

TEST_CASE("what a comparison guards has values while the crossing is looked for") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);
    // The sides are at rest where the flow is 0.3: 0.09 apart.
    const Run tanks = numeric::Model("crossings.sr", "tanks").run({.stop = 100, .solver = solver});
    CHECK(value(tanks, "h1") == Approx(1.455).epsilon(1e-5));
    CHECK(value(tanks, "h2") == Approx(1.545).epsilon(1e-5));
    if (std::string(solver) == "qss") continue;  // sines take it very many steps
    // By SciPy (LSODA at 1e-10), without an offset; it moves both levels by half of it.
    const Run pairs =
        numeric::Model("crossings.sr", "pairs").run({.stop = 100, .tolerance = 1e-8, .solver = solver});
    for (const int k : {1, 2, 3})
      CHECK(value(pairs, fmt::format("h[{}]", k)) == Approx(1.47987459 + 0.05 * k).epsilon(1e-6));
    // x = cos t. Of 2 pi the integrals of x log x over x > 0, and of the second term, which is odd: 2 log 2
    // - 2.
    const Run domains =
        numeric::Model("crossings.sr", "domains").run({.stop = 2 * kPi, .tolerance = 1e-8, .solver = solver});
    CHECK(value(domains, "z") == Approx(2 * std::log(2.0) - 2).epsilon(1e-5));
  }
}

TEST_CASE("a root of what is negative on its own side of the guard is an error") {
  for (const char* solver : {"auto", "cvode", "ida", "qss"}) {
    INFO(solver);
    for (const char* model : {"negative", "restingGuard", "restingLogarithm"}) {
      INFO(model);
      CHECK(numeric::Model("crossings.sr", model).refusal({.stop = 1, .solver = solver}).find("SR050") !=
            std::string::npos);
    }
  }
}

TEST_CASE("a tick at the stop time counts where a state crosses there, too") {
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);
    const Run run =
        numeric::Model("crossings.sr", "tickAtStop").run({.stop = 2, .steps = 4, .solver = solver});
    CHECK(value(run, "ticks") == 5);
    CHECK(value(run, "ends") == 1);
  }
}

TEST_CASE("a comparison crosses at the scale that its sides have now, whatever they were") {
  each("pumpDown", 60,
       [](const Run& run) { CHECK(value(run, "at") == Approx(15 * std::log(10.0)).epsilon(1e-5)); });
  each("infiniteAtFirst", 5, [](const Run& run) {
    const double at = -std::log(1 - std::pow(10, -0.3));
    CHECK(value(run, "at") == Approx(at).epsilon(1e-5));
    CHECK(value(run, "u") == Approx(5 - at).epsilon(1e-5));
  });
  for (const char* solver : {"auto", "ida"}) {
    INFO(solver);
    const Run run = numeric::Model("crossings.sr", "pumps").run({.stop = 60, .solver = solver});
    for (const char* part : {"pump", "pump#20"}) {
      CHECK(value(run, std::string(part) + ".n") == 1);
      CHECK(value(run, std::string(part) + ".at") == Approx(17 * std::log(10.0)).epsilon(1e-5));
    }
  }
}

TEST_CASE("poles of branches that are not chosen are none") {
  each("unchosen", 2, [](const Run& run) {
    CHECK(value(run, "a") == Approx(std::log(2.0) + 3).epsilon(1e-5));
    CHECK(value(run, "b") == Approx(1 + std::log(0.2 / 1.7)).epsilon(1e-5));
    CHECK(value(run, "c") == Approx(2 * std::pow(1.7, 1.5) / 3).epsilon(1e-5));
  });
}

TEST_CASE("a state that is fast beside a moment goes where its rate says") {
  for (const char* solver : {"auto", "cvode", "ida"}) {
    INFO(solver);
    CHECK(value(numeric::Model("crossings.sr", "fastFilter").run({.stop = 2, .solver = solver}), "n") == 0);
  }
}

TEST_CASE("a comparison inside a guarded branch is that of an assigned value") {
  each("guardedComparison", 20, [](const Run& run) {
    CHECK(value(run, "n") == 23);
    CHECK(value(run, "wrong") == 0);
  });
}
