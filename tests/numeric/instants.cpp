// What happens at instants: published answers and closed forms, by JIT and interpreter, by CVODE and by IDA.
#include <unistd.h>
#include <filesystem>

#include <cmath>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "numeric.h"
#include "runtime/results/csv.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

/// The run by each solver and each backend.
template <class Check>
void each(const char* expression, const RunOptions& options, const Check& check) {
  numeric::each_way("instants.sr", expression, options, check);
}

std::string refused(const char* expression, double stop, const char* solver) {
  Model model("instants.sr", expression);
  return model.refusal({.stop = stop, .solver = solver});
}

}  // namespace

TEST_CASE("HY-3: an elastic ball keeps bouncing") {
  each("ball", {.stop = 10, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(value(run, "h") == Approx(0.978321975404).epsilon(1e-6));
    CHECK(value(run, "v") == Approx(-0.65216780246).epsilon(1e-6));
    CHECK(value(run, "n") == 11);
    CHECK(run.outcome.statistics.events <= 22);
  });
  each("ball", {.stop = 0.451523640986, .tolerance = 1e-10},
       [](const Run& run) { CHECK(value(run, "h") == Approx(0).margin(1e-8)); });
}

TEST_CASE("MT-20: instants of a line") {
  each("line", {.stop = 3, .tolerance = 1e-9}, [](const Run& run) {
    CHECK(value(run, "first") == Approx(1).epsilon(1e-12));
    CHECK(value(run, "second") == Approx(2).epsilon(1e-12));
  });
}

TEST_CASE("MT-22: one event has two effects, also through other names of the states") {
  const double r = std::sqrt(2.0);
  each("wall", {.stop = r, .tolerance = 1e-10},
       [&](const Run& run) { CHECK(value(run, "y") == Approx(r).epsilon(1e-7)); });
  each("wall", {.stop = 5, .tolerance = 1e-10}, [&](const Run& run) {  // impacts at r and 3 r
    CHECK(value(run, "y") == Approx(-r + (5 - 3 * r)).epsilon(1e-7));
    CHECK(value(run, "x") == Approx(r * (5 - 3 * r) - (5 - 3 * r) * (5 - 3 * r) / 2).epsilon(1e-7));
    CHECK(value(run, "vx") == Approx(r - (5 - 3 * r)).epsilon(1e-7));
    CHECK(value(run, "vy") == 1);
  });
}

TEST_CASE("MT-22b: sampled where a sine passes zero, in both directions") {
  each("onCrossing", {.stop = 5.1, .tolerance = 1e-9, .steps = 5100}, [](const Run& run) {
    auto m = numeric::column(run, "m"), v = numeric::column(run, "v");
    CHECK(m[249] == m[230]);
    for (std::size_t k = 52; k < 5100; k += 50)
      CHECK(m[k] == Approx(v[k / 50 * 50]).epsilon(1e-6));  // a step at each zero
    CHECK(value(run, "n") >= 101);
  });
}

TEST_CASE("MT-22c: a spring is put back at pi / 3") {
  each("putBack", {.stop = 2, .tolerance = 1e-10, .steps = 20}, [](const Run& run) {
    CHECK(value(run, "last") == Approx(std::acos(-1.0) / 3).epsilon(1e-8));
    CHECK(numeric::column(run, "x")[17] == Approx(std::cos(1.7 - std::acos(-1.0) / 3)).epsilon(1e-7));
  });
}

TEST_CASE("a comparison whose event drives its sides back changes again at that instant") {
  each("turnsBack", {.stop = 3},
       [](const Run& run) { numeric::check_values(run, {{"x", 2}, {"below", 0}}); });
  each("toAndFro", {.stop = 6.5}, [](const Run& run) {
    numeric::check_values(run, {{"x", 0.5}});
    auto x = numeric::column(run, "x");
    for (std::size_t k = 0; k < x.size(); ++k) CHECK(std::abs(x[k]) <= 1 + 1e-6);
  });
}

TEST_CASE("MP-5: events without end are named, with their line and time") {
  for (const char* solver : {"cvode", "ida"}) {
    for (auto [model, line, time] : {std::tuple{"reflected", "when x < 0.0", "t = 5"},
                                     {"relay", "when (x > 0.0) /= above", "t = 0.5"}}) {
      const std::string text = refused(model, 6, solver);
      INFO(text);
      CHECK(text.find("SR0511") != std::string::npos);
      CHECK(text.find(line) != std::string::npos);
      CHECK(text.find(time) != std::string::npos);
    }
    // What crossed is exactly zero there, and turns back.
    const std::string relay = refused("simpleRelay", 6, solver);
    INFO(relay);
    CHECK(relay.find("SR0511") != std::string::npos);
    CHECK(relay.find("if x > 0.0 then -1.0 else 1.0") != std::string::npos);
    CHECK(relay.find("t = 1 s") != std::string::npos);
    const std::string text = refused("inelastic", 5, solver);  // impacts come closer up to 4.0637 s
    INFO(text);
    CHECK(text.find("SR0511") != std::string::npos);
    CHECK(text.find("when h < 0.0") != std::string::npos);
    CHECK(text.find("t = 4.06") != std::string::npos);
  }
}

TEST_CASE("MD-9, MD-10: sampled control") {
  each("sampledP", {.stop = 1.5, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(value(run, "x") == Approx(133.384520246561).epsilon(1e-8));
    CHECK(value(run, "v") == Approx(98.0369494314006).epsilon(1e-8));
  });
  each("sampledPI", {.stop = 1.5, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(value(run, "x") == Approx(155.245844467879).epsilon(1e-8));
    CHECK(value(run, "v") == Approx(100.185513262029).epsilon(1e-8));
  });
}

TEST_CASE("MD-27: a pulse and a flip-flop") {
  Run run = Model("instants.sr", "logic").run({.stop = 6, .steps = 12});
  CHECK(numeric::column(run, "pulse") == std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(numeric::column(run, "q") == std::vector<double>{0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("MT-25: counters; what one clock assigns another may read") {
  each("counters", {.stop = 2, .tolerance = 1e-9, .steps = 40}, [](const Run& run) {
    auto z = numeric::column(run, "z"), seen = numeric::column(run, "seen"),
         held = numeric::column(run, "held");
    for (std::size_t k = 0; k <= 40; ++k) {  // every 0.05 s
      CHECK(z[k] == std::floor(static_cast<double>(k) / 2) + 1);
      CHECK(held[k] == Approx(0.1 * std::floor(static_cast<double>(k) / 2)).margin(1e-9));
      CHECK(seen[k] == std::floor(std::floor(static_cast<double>(k) / 5) * 5 / 2) + 1);
    }
  });
}

TEST_CASE("MT-32: a controller on a clock, a plant that always moves; another clock may read it") {
  each("inferred 1.0", {.stop = 1, .tolerance = 1e-10, .steps = 20}, [](const Run& run) {
    const auto x = numeric::column(run, "x"), yd = numeric::column(run, "yd"),
               ud = numeric::column(run, "ud"), u = numeric::column(run, "u"),
               seen = numeric::column(run, "seen"), y = numeric::column(run, "y");
    double at = 0, held = 0, last = 0;
    for (std::size_t k = 0; k <= 20; ++k) {  // every 0.05 s
      if (k % 2 == 0) {
        if (k > 0) at = held + (at - held) * std::exp(-0.1);
        held = 1 - at;
      }
      if (k % 5 == 0) last = held;
      INFO(k);
      CHECK(x[k] == Approx(k % 2 == 0 ? at : held + (at - held) * std::exp(-0.05)).margin(1e-8));
      CHECK(yd[k] == Approx(at).margin(1e-8));
      CHECK(ud[k] == Approx(held).epsilon(1e-8));
      CHECK(seen[k] == Approx(last).epsilon(1e-8));
      CHECK(u[k] == ud[k]);
      CHECK(y[k] == x[k]);
    }
    CHECK(value(run, "r") == 1);
  });
}

TEST_CASE("HY-13: a drive whose engine changes its law when it is fast") {
  each("drive (-1.0)", {.stop = 10, .tolerance = 1e-10},
       [](const Run& run) {  // with the sign of the published code
         CHECK(value(run, "b.phi") == Approx(-235.80175).epsilon(1e-6));
         CHECK(value(run, "w") == Approx(-51.104985).epsilon(1e-6));
         CHECK(value(run, "we") == Approx(-28.391658).epsilon(1e-6));
         CHECK(value(run, "switched") == -1);
       });
  each("drive 1.0", {.stop = 10, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(value(run, "a.phi") == Approx(165.9994757).epsilon(1e-7));
    CHECK(value(run, "we") == Approx(32.1910464).epsilon(1e-7));
  });
  each("drive 1.0", {.stop = 14, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(value(run, "switched") == Approx(12.5694).epsilon(1e-5));
    CHECK(value(run, "we") == Approx(40 + 10 / 3.24 * (14 - value(run, "switched"))).epsilon(1e-8));
  });
}

TEST_CASE("MP-3: a run in two parts is the run in one") {
  const std::string file = std::filesystem::temp_directory_path().string() + "/sigrel_split_" +
                           std::to_string(::getpid()) + ".csv";
  for (double middle : {1.0, 1.37, 1.5})  // at ticks of a clock, and between
    for (const char* solver : {"cvode", "ida"}) {
      INFO(middle << ", " << solver);
      const RunOptions options{.stop = 3, .tolerance = 1e-10, .steps = 300, .solver = solver};
      const Run whole = Model("instants.sr", "split").run(options);
      RunOptions first = options, second = options;
      first.stop = middle;
      first.steps = 100;
      runtime::CsvFile csv(file);
      first.sinks = {&csv};
      Model("instants.sr", "split").run(first);
      second.start = middle;
      second.init_from = file;
      const Run rest = Model("instants.sr", "split").run(second);
      for (const char* name : {"x", "n", "held", "up", "late"}) {
        INFO(name);
        CHECK(value(rest, name) == Approx(value(whole, name)).epsilon(1e-8));
      }
      // And from a file that goes on: what changes at events only is as it was last.
      runtime::CsvFile all(file);
      first.stop = 2.5;
      first.sinks = {&all};
      Model("instants.sr", "split").run(first);
      second.init_from = file + "@" + std::to_string(middle);
      CHECK(value(Model("instants.sr", "split").run(second), "n") == value(whole, "n"));
    }
  std::remove(file.c_str());
}

TEST_CASE("MP-8: integrals of 1 and of a cosine") {
  each("integrals", {.stop = 10, .tolerance = 1e-9}, [](const Run& run) {
    CHECK(value(run, "y") == Approx(10).epsilon(1e-12));
    CHECK(value(run, "s") == Approx(std::sin(10.0)).epsilon(1e-7));
  });
}

TEST_CASE("MP-6: three clocks sample a decay") {
  each("samples", {.stop = 3, .tolerance = 1e-10, .steps = 60}, [](const Run& run) {
    auto a = numeric::column(run, "a"), b = numeric::column(run, "b"), c = numeric::column(run, "c");
    for (int k = 0; k <= 60; ++k) {  // every 0.05 s
      CHECK(a[k] == Approx(2 * std::exp(-(k / 4) * 0.2)).epsilon(1e-7));
      CHECK(b[k] == Approx(2 * std::exp(-std::min(2.0, (k / 5) * 0.25))).epsilon(1e-7));
      CHECK(c[k] == 2);
    }
  });
}

TEST_CASE("MP-7: a counter of seconds") {
  Run run = Model("instants.sr", "counter").run({.stop = 10, .steps = 20});
  auto n = numeric::column(run, "n");
  for (std::size_t k = 0; k <= 20; ++k) CHECK(n[k] == std::floor(static_cast<double>(k) / 2) + 1);
}

TEST_CASE("MP-9: ticks as clocks are set") {
  Run run = Model("instants.sr", "clocks").run({.stop = 4, .steps = 40});
  auto times = [&](const char* number, const char* at) {
    std::vector<double> result;
    auto n = numeric::column(run, number), t = numeric::column(run, at);
    for (std::size_t k = 0; k < n.size(); ++k)
      if (n[k] > (k > 0 ? n[k - 1] : 0)) result.push_back(t[k]);
    return result;
  };
  CHECK(times("a", "ta") == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(times("b", "tb") == std::vector<double>{1.5, 2.5, 3.5});
  CHECK(times("c", "tc") == std::vector<double>{0.5, 1.5, 2.5, 3.5});
  CHECK(times("d", "td") == std::vector<double>{0.5, 1.5});
  auto jittered = times("e", "te");
  REQUIRE(jittered.size() == 2);
  CHECK(jittered[0] == Approx(0.9).epsilon(1e-14));
  CHECK(jittered[1] == Approx(2.7).epsilon(1e-14));
  CHECK(times("f", "tf").empty());
}

TEST_CASE("Ticks do not drift") {
  Run run = Model("instants.sr", "sampledP").run({.stop = 1000, .steps = 10000});
  CHECK(value(run, "v") == Approx(500.0 / 5.1).epsilon(1e-9));
  CHECK(run.outcome.statistics.events <= 10001);
}

TEST_CASE("Rounds of one instant: plain names are new values, pre old ones") {
  each("rounds", {.stop = 2, .tolerance = 1e-9}, [](const Run& run) {
    CHECK(value(run, "a") == 10);
    CHECK(value(run, "b") == 11);
    CHECK(value(run, "c") == 21);
  });
}

TEST_CASE("An instant that an event sets is met exactly; the model ends its run") {
  each("longer", {.stop = 5, .tolerance = 1e-10}, [](const Run& run) {
    CHECK(run.outcome.reached == Approx(std::log(4.0)).epsilon(1e-8));
    CHECK(run.outcome.terminated);
    CHECK(value(run, "x") == Approx(0.25).epsilon(1e-8));
    CHECK(value(run, "n") == 4);
    CHECK(value(run, "next") == 1.6);
  });
}

TEST_CASE("What an event makes true may end the run") {
  each("counted", {.stop = 5, .tolerance = 1e-9}, [](const Run& run) {
    const double first = std::sqrt(2 / 9.81);  // then 2 first (0.8 + … + 0.8^9)
    CHECK(value(run, "n") == 10);
    CHECK(run.outcome.reached == Approx(first * (1 + 8 * (1 - std::pow(0.8, 9)))).epsilon(1e-7));
  });
}

TEST_CASE("What a when watches is on its right side as it was when it fired") {
  each("thermostat", {.stop = 20, .tolerance = 1e-9}, [](const Run& run) {
    // On: towards 40 from 19 to 21 in 10 ln (21 / 19); off: towards 10 in 10 ln (11 / 9).
    const double on = 10 * std::log(21.0 / 19), off = 10 * std::log(11.0 / 9),
                 first = 10 * std::log(20.0 / 19);
    int switches = 0;
    for (double t = first; t <= 20; t += switches % 2 ? off : on) ++switches;
    CHECK(value(run, "switched") == switches);
  });
}

TEST_CASE("After an event, blocks of equations are solved with what it changed") {
  each("loop", {.stop = 0.5, .tolerance = 1e-10}, [](const Run& run) {
    const double x0 = std::exp(-0.5), x = value(run, "x"), y = value(run, "y"), before = x - x0;
    CHECK(before + std::exp(before) == Approx(x0).epsilon(1e-7));  // pre y
    CHECK(y + std::exp(y) == Approx(2 * x).epsilon(1e-9));
  });
}

TEST_CASE("Many events are rows of one shape") {
  Model few("instants.sr", "many 3"), many("instants.sr", "many 200");
  CHECK(few.compiled().plan.kernels.size() == many.compiled().plan.kernels.size());
  Run run = many.run({.stop = 20.2, .tolerance = 1e-8});
  CHECK(value(run, "s[1].k") == 40);  // at 0.5, 1, …
  CHECK(value(run, "s[30].k") == 1);  // at 15
  CHECK(value(run, "s[41].k") == 0);
}

TEST_CASE("Sampled blocks of the library") {
  for (const char* solver : {"cvode", "ida"}) {
    Run drive =
        Model("sampled.sr", "drive").run({.stop = 1.5, .tolerance = 1e-10, .solver = solver});  // MD-10
    CHECK(value(drive, "x") == Approx(155.245844467879).epsilon(1e-8));
    CHECK(value(drive, "v") == Approx(100.185513262029).epsilon(1e-8));
    Run relay = Model("sampled.sr", "relay").run({.stop = 2, .tolerance = 1e-10, .solver = solver});
    const double on = 10 * std::log(20.0 / 19);  // from 20 to 21
    CHECK(value(relay, "t") == Approx(10 + 11 * std::exp(-(2 - on) / 10)).epsilon(1e-7));
  }
  Run chain = Model("sampled.sr", "chain").run({.stop = 1.5, .steps = 6});
  CHECK(numeric::column(chain, "h") == std::vector<double>{0, 0, 0.5, 0.5, 1, 1, 1.5});
  CHECK(numeric::column(chain, "d") == std::vector<double>{-1, -1, 0, 0, 0.5, 0.5, 1});
  CHECK(numeric::column(chain, "l") == std::vector<double>{1, 1, 1.5, 1.5, 1.75, 1.75, 1.875});
}

TEST_CASE("Examples with events") {
  for (const char* solver : {"cvode", "ida"}) {
    Run ball = Model("../../../examples/07_bouncing_ball.sr").run({.tolerance = 1e-9, .solver = solver});
    CHECK(value(ball, "impacts") == std::ceil(std::log(0.01 / std::sqrt(2 * 9.81)) / std::log(0.8)) + 1);
    CHECK(value(ball, "h") == Approx(0).margin(1e-8));
    CHECK(value(ball, "rests") == 1);
    Run room = Model("../../../examples/08_thermostat.sr").run({.tolerance = 1e-9, .solver = solver});
    const double on = 2000 * std::log(26.0 / 24), off = 2000 * std::log(16.0 / 14),
                 cycles = std::floor(7200 / (on + off));
    CHECK(value(room, "cycles") == cycles);
    CHECK(value(room, "t") ==
          Approx(5 + 16 * std::exp(-(7200 - cycles * (on + off) - on) / 2000)).epsilon(1e-7));
    // Three cycles of 40 s, 5 s of waiting, and 5 s of filling.
    Run reactor = Model("../../../examples/20_batch_reactor.sr").run({.tolerance = 1e-9, .solver = solver});
    CHECK(value(reactor, "batches") == 3);
    CHECK(value(reactor, "mode") == 1);
    CHECK(value(reactor, "entered") == Approx(125).epsilon(1e-9));
    CHECK(value(reactor, "level") == Approx(0.5).epsilon(1e-8));
    CHECK(value(reactor, "t") == Approx(293.15).epsilon(1e-12));
  }
}

TEST_CASE("a condition of a model without states is met between rows") {
  each("between", {.stop = 1, .steps = 2}, [](const Run& run) {
    CHECK(value(run, "at") == Approx(std::acos(-1.0) / 18).epsilon(1e-14));
    CHECK(value(run, "n") == 1);
  });
}

TEST_CASE("a motor breaks loose from rest: the tendency of its speed is rounding error at first") {
  // At log(1 - 0.4 / 48) / -500 s; then a linear system of two states, by its matrix exponential.
  for (const double tolerance : {1e-6, 1e-8, 1e-10})
    for (const double stop : {0.002, 0.01})
      each("breaksLoose", {.stop = stop, .tolerance = tolerance}, [&](const Run& run) {
        CHECK(value(run, "i") ==
              Approx(stop < 0.005 ? 30.1009484 : 40.82056931).epsilon(10 * tolerance + 1e-8));
        CHECK(value(run, "w") ==
              Approx(stop < 0.005 ? 8.59712157 : 88.92165615).epsilon(1e-4 + 10 * tolerance));
        CHECK(value(run, "changes") == 1);
      });
}

TEST_CASE("The last row shows the states that handlers of the end assign") {
  for (const char* solver : {"auto", "cvode", "ida", "qss"})
    for (const bool events : {false, true}) {
      INFO(solver << ", rows at events: " << events);
      const Run run =
          Model("instants.sr", "atEnd").run({.stop = 2, .steps = 2, .solver = solver, .events = events});
      CHECK(numeric::column(run, "x").back() == 7);
      CHECK(numeric::column(run, "y").back() == 14);
      CHECK(numeric::column(run, "k").back() == 1);
      CHECK(numeric::column(run, "j").back() == 1);
      CHECK(run.trajectory.times().back() == 2);
    }
}

TEST_CASE("Assertions hold after the event that terminates the run") {
  for (const char* expression : {"violatedAtEnd True", "violatedAtEnd False"})
    for (const char* solver : {"auto", "cvode", "ida", "qss"}) {
      INFO(expression << " " << solver);
      const std::string told =
          Model("instants.sr", expression).refusal({.stop = 2, .steps = 2, .solver = solver});
      INFO(told);
      CHECK(told.find("SR0510") != std::string::npos);
      CHECK(told.find("t = 0.3 s") != std::string::npos);
      CHECK(told.find("SR0513") == std::string::npos);
    }
}

TEST_CASE("ticks at the stop time, up to rounding, are executed by every solver") {
  // Three periods of 0.1 s are 0.30000000000000004 s.
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    INFO(solver);
    Model model("instants.sr", "roundedTicks");
    CHECK(value(model.run({.stop = 0.3, .steps = 3, .solver = solver}), "n") == 4);
    const Run longer = model.run({.stop = 1, .steps = 3, .solver = solver});
    CHECK(value(longer, "n") == 11);
    CHECK(value(longer, "k") == 4);
  }
  CHECK(value(Model("instants.sr", "roundedTicksAlone").run({.stop = 0.3, .steps = 3}), "n") == 4);
  const Run together = Model("instants.sr", "roundedTicks")
                           .run({.stop = 0.3, .steps = 3, .components = runtime::ComponentClocks::On});
  CHECK(value(together, "n") == 4);
}

TEST_CASE("a tick at the stop time is executed once in a run of two parts") {
  const std::string file = std::filesystem::temp_directory_path().string() + "/sigrel_ticks_" +
                           std::to_string(::getpid()) + ".csv";
  Model model("instants.sr", "roundedTicks");
  runtime::CsvFile csv(file);
  model.run({.stop = 0.3, .steps = 3, .sinks = {&csv}});
  const Run second = model.run({.start = 0.3, .stop = 0.35, .steps = 2, .init_from = file});
  std::filesystem::remove(file);
  CHECK(value(second, "n") == 4);
}

TEST_CASE("ticks of two clocks near time zero are one instant, as elsewhere") {
  // -0.3 + 3 * 0.1 is 5.6e-17.
  for (const char* solver : {"auto", "ida"}) {
    INFO(solver);
    const Run run = Model("instants.sr", "roundedTicks")
                        .run({.start = -0.45, .stop = 0.05, .steps = 5, .solver = solver});
    CHECK(value(run, "a") == 5);
    CHECK(value(run, "b") == 5);
  }
}

TEST_CASE("a jump that arrives at the stop time, up to rounding, is seen") {
  each("arrivesAtStop", {.stop = 0.3, .steps = 3}, [](const Run& run) {
    CHECK(value(run, "y") == 1);
    CHECK(value(run, "n") == 1);
  });
}

TEST_CASE("models without states and events end at any stop time") {
  // The sum of the start and the range is below the stop time by a rounding error.
  for (const auto& [start, stop] : {std::pair{0.2, 0.9}, {-1.0, 1.3}, {-0.5, 0.1}, {-5.0, -1.7}}) {
    INFO(start << " to " << stop);
    const Run run = Model("instants.sr", "sine").run({.start = start, .stop = stop, .steps = 10});
    CHECK(value(run, "y") == std::sin(stop));
    CHECK(run.trajectory.times().size() == 11);
  }
}

TEST_CASE("Instants are met to the rounding of their time, however long the run is") {
  for (const double stop : {1.0, 1e9})
    each("shortlyAfter", {.stop = stop, .steps = 10}, [](const Run& run) {
      CHECK(value(run, "t1") == Approx(1e-7).epsilon(1e-12));
      CHECK(value(run, "t2") == Approx(2e-7).epsilon(1e-12));
      CHECK(value(run, "n") == 1);
    });
}

TEST_CASE("a comparison keeps its new value where both sides stay equal after its event") {
  for (const char* model : {"braking", "brakingSpeed"})
    for (const char* solver : {"auto", "cvode", "adams", "ida"})
      for (const double tolerance : {1e-4, 1e-5, 1e-7, 1e-9})
        for (const double goal : {3.2, 3.7, 9.6}) {
          INFO(model << ' ' << solver << ' ' << tolerance << ' ' << goal);
          const Run run =
              Model("instants.sr", fmt::format("{} {}", model, goal).c_str(), {}, Backend::Interpreter)
                  .run({.stop = 20, .tolerance = tolerance, .solver = solver});
          CHECK(value(run, "phase") == 0);
          CHECK(value(run, "z") == Approx(goal).margin(100 * tolerance));
        }
}

TEST_CASE("pre of a state that no event assigns is the state, also at a crossing") {
  // Counts by the times of heating, 10 log ((20 - low) / 8), and cooling, 10 log (12 / low).
  for (const auto& [low, switched] : {std::pair{10.0, 22}, {9.7, 19}, {8.3, 12}})
    for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"})
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        INFO(low << ' ' << solver << ' ' << tolerance);
        const Run run =
            Model("instants.sr", fmt::format("onOff {:.1f}", low).c_str(), {}, Backend::Interpreter)
                .run({.stop = 50, .tolerance = tolerance, .solver = solver});
        CHECK(value(run, "n") == switched);
      }
}

TEST_CASE("pre of the negative of a state that no event assigns") {
  for (const char* solver : {"auto", "cvode", "ida", "qss"}) {
    INFO(solver);
    CHECK(value(Model("instants.sr", "negativeLevel").run({.stop = 50, .solver = solver}), "n") == 19);
  }
}

TEST_CASE("a tick at a stop time of zero, up to rounding") {
  for (const char* solver : {"auto", "cvode", "ida"}) {
    INFO(solver);
    CHECK(
        value(
            Model("instants.sr", "ticksToZero").run({.start = -0.3, .stop = 0, .steps = 3, .solver = solver}),
            "n") == 4);
  }
}
