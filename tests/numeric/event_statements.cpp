// Statements of the chapter on events that no other test is about, by every solver and backend. EVENTS.md has
// the tests of all statements.
#include <cmath>
#include <numbers>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

template <class Check>
void each(const char* expression, const RunOptions& options, const Check& check) {
  numeric::each_way("event_statements.sr", expression, options, check, {"auto", "cvode", "adams", "ida"});
}

void check_events(const char* expression, double stop, std::uint64_t events) {
  each(expression, {.stop = stop}, [&](const Run& run) { CHECK(run.outcome.statistics.events == events); });
}

}  // namespace

TEST_CASE("A comparison keeps its new value where its handler stops it at equality") {
  each("stopsThere", {.stop = 4},
       [](const Run& run) { numeric::check_values(run, {{"x", 2}, {"y", 1}, {"moving", 0}, {"stops", 1}}); });
}

TEST_CASE("A comparison keeps its new value where its handler assigns a value that was there before") {
  for (const char* expression : {"sameLimit", "twoLimits 1.0", "twoLimits (1.0 + 1.0e-15)"})
    numeric::each_way("event_statements.sr", expression, {.stop = 1.9},
                      [&](const Run& run) {
                        if (expression == std::string("sameLimit"))
                          numeric::check_values(run, {{"x", 2.85}, {"limit", 2}, {"n", 2}});
                        else
                          numeric::check_values(run, {{"x", 1.9}, {"limit", 1}, {"a", 1}, {"b", 1}});
                      },
                      {"auto", "cvode", "adams", "ida", "qss"});
}

TEST_CASE("A state that its handler gives its value before the round goes on") {
  // x = sin t, which passes 0.5 at pi / 6 and 13 pi / 6; or is put back to 0 there, with the same velocity.
  const double put_back = std::sqrt(0.75) * std::sin(8 - 13 * std::numbers::pi / 6);
  const auto ends = [](double x, double n) {
    return [=](const Run& run) {
      CHECK(value(run, "x") == Approx(x).margin(1e-7));
      CHECK(value(run, "n") == n);
    };
  };
  const RunOptions options{.stop = 8, .tolerance = 1e-10};
  each("keepsState", options, ends(std::sin(8), 2));
  each("keepsNegative", options, ends(std::sin(8), 2));
  each("keepsStateOnce", options, ends(put_back, 3));
}

TEST_CASE("A state that comes to rest at the limit of a comparison stays there when others are assigned") {
  each("restsAtLimit", {.stop = 1}, [](const Run& run) {
    CHECK(std::abs(value(run, "i")) < 1e-9);
    CHECK(value(run, "y") == Approx(0.5).margin(1e-9));
    CHECK(value(run, "k") == 201);
  });
}

TEST_CASE("Comparisons that no value satisfies are an error with their line") {
  for (const char* solver : {"auto", "ida", "qss"}) {
    const std::string text = Model("events.sr", "contradiction").refusal({.stop = 1, .solver = solver});
    INFO(solver << ": " << text);
    CHECK(text.find("SR0511") != std::string::npos);
    CHECK(text.find("if x > 0.5 then 0.0 else 1.0") != std::string::npos);
  }
}

TEST_CASE("noEvent, smooth, assertions and `initially` make no events") { check_events("unwatched", 1, 0); }

TEST_CASE("Kinks of states are no events, those of time are") {
  check_events("kinks", 2, 0);
  check_events("kinksOfTime", 1, 3);
}

TEST_CASE("Points of a table are events, of a spline that is extended none") {
  check_events("through splineExtend", 4, 0);
  for (const char* table : {"splineHold", "linearExtend", "linearHold"}) {
    INFO(table);
    check_events((std::string("through ") + table).c_str(), 4, 3);
  }
  each("through linearHold", {.stop = 4}, [](const Run& run) { CHECK(value(run, "x") == Approx(6)); });
}

TEST_CASE("`sign` changes where its argument arrives at zero and where it leaves") {
  each("signs", {.stop = 4}, [](const Run& run) {
    numeric::check_values(run, {{"x", 1}, {"y", 1}});
    CHECK(run.outcome.statistics.events == 2);  // of both at once
  });
}

TEST_CASE("The integrator restarts after events that change its equations, and after no others") {
  each("counts", {.stop = 1}, [](const Run& run) {
    CHECK(value(run, "n") == 1);
    CHECK(run.outcome.statistics.events == 0);  // restarts
  });
  each("bends", {.stop = 1}, [](const Run& run) {
    CHECK(value(run, "x") == Approx(1.5).epsilon(1e-6));
    CHECK(run.outcome.statistics.events == 1);
  });
}

TEST_CASE("Whatever happens at one instant is one event") {
  each("together", {.stop = 2}, [](const Run& run) {
    numeric::check_values(run, {{"a", 1}, {"b", 1}, {"y", 3}});
    CHECK(run.outcome.statistics.events == 1);
  });
}

TEST_CASE("A timer begins in the round that enters its state") {
  each("batch", {.stop = 200}, [](const Run& run) {
    numeric::check_values(run, {{"p", 2}, {"since", 100, 1e-15}, {"ended", 120, 1e-15}});
  });
  each("lateTimer", {.stop = 200}, [](const Run& run) {
    numeric::check_values(run, {{"p", 2}, {"since", 100, 1e-15}, {"ended", 100, 1e-15}});
  });
}

TEST_CASE(
    "A `when` fires where its condition becomes true, not at the start, and not where it becomes false") {
  each("rising", {.stop = 20}, [](const Run& run) { CHECK(value(run, "n") == 3); });
}

TEST_CASE("`initial` is before everything, `terminal` after everything, and in the last row") {
  each("counted", {.stop = 3}, [](const Run& run) {
    numeric::check_values(run, {{"changes", 3}, {"first", 1}, {"last", std::exp(-3.0), 1e-5}});
    CHECK(numeric::column(run, "last").back() == value(run, "last"));
  });
  each("endsAtTick", {.stop = 3}, [](const Run& run) {
    numeric::check_values(run, {{"n", 4}, {"was", 4}, {"seen", 1}, {"start", 5}, {"begun", 6}});
    CHECK(numeric::column(run, "was").back() == 4);
  });
  each("endsItself", {.stop = 9}, [](const Run& run) {
    CHECK(run.outcome.reached == 3);
    numeric::check_values(run, {{"n", 4}, {"was", 4}, {"seen", 1}});
    CHECK(numeric::column(run, "was").back() == 4);
  });
}

TEST_CASE("A condition that is true at the start ends the run there") {
  each("endsAtOnce", {.stop = 3}, [](const Run& run) {
    CHECK(run.outcome.terminated);
    CHECK(run.outcome.reached == 0);
    CHECK(value(run, "x") == 1);
  });
}

TEST_CASE("The examples of the chapter on events") {
  each("pulsed", {.stop = 0.02}, [](const Run& run) { CHECK(value(run, "x") == Approx(0.008)); });
  each("lift", {.stop = 6}, [](const Run& run) { numeric::check_values(run, {{"speed", 0}, {"stops", 1}}); });
  each("traffic", {.stop = 4},
       [](const Run& run) { numeric::check_values(run, {{"n", 1}, {"changes", 9}, {"full", 2}}); });
  each("register", {.stop = 0.65}, [](const Run& run) {
    numeric::check_values(run, {{"n", 1}, {"q[1]", 2}, {"q[2]", 0}, {"q[3]", 1}});
    numeric::check_values(run, {{"seen[1]", 2}, {"seen[2]", 3}, {"seen[3]", 2}});
  });
  each("sampled", {.stop = 1}, [](const Run& run) {
    CHECK(value(run, "m") == Approx(1 - std::exp(-6 * std::acos(-1.0) / 20)).epsilon(1e-5));
  });
}

TEST_CASE("Changes in successive rounds fire once, and are over in the handler that they call") {
  each("successive", {.stop = 2}, [](const Run& run) {
    numeric::check_values(run, {{"n", 3}, {"fired", 1}, {"inside", 2}});
    CHECK(run.outcome.statistics.events == 1);
  });
}

TEST_CASE("Ticks are computed from their number, after a year as well") {
  const double begin = 31'536'000;
  each("year", {.start = begin, .stop = begin + 1, .steps = 10}, [&](const Run& run) {
    const std::vector<double> at = numeric::column(run, "at");
    for (std::size_t k = 0; k < at.size(); ++k)
      CHECK(at[k] == Approx(0.1 * (315'360'000.0 + static_cast<double>(k))).epsilon(3e-16));
    CHECK(value(run, "n") == 11);
  });
}

TEST_CASE("No step is longer than the shortest delay") {
  each("delayed", {.stop = 1}, [](const Run& run) {
    CHECK(run.outcome.statistics.steps >= 100);
    CHECK(value(run, "y") == Approx(0.99).epsilon(1e-9));
  });
}
