// What was some time ago: closed forms by the method of steps, a chaotic equation beside an integrator of its
// own, jumps that arrive.
#include <unistd.h>
#include <filesystem>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "numeric.h"
#include "runtime/results/csv.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;

namespace {

/// The run by each solver and each backend.
template <class Check>
void each(const char* expression, const RunOptions& options, const Check& check) {
  numeric::each_way("delays.sr", expression, options, check, {"auto", "cvode", "adams", "ida"});
}

/// Each row of a column against a function of time.
template <class Function>
void check_rows(const Run& run, const char* name, double margin, Function expected) {
  const auto times = run.trajectory.times();
  const auto values = numeric::column(run, name);
  double worst = 0, at = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (const double error = std::abs(values[k] - expected(times[k])); !(error <= worst))
      worst = error, at = times[k];
  INFO(name << " at t = " << at);
  CHECK(worst <= margin);
}

/// x' = 2 x(t - 2) / (1 + x(t - 2)^9.65) - x, x = 0.5 before 0: the classical method of Runge and Kutta with
/// steps that divide the delay; between two grid points the past is the cubic through values and slopes.
double mackey_glass(double stop, int steps_in_delay) {
  const double h = 2.0 / steps_in_delay;
  auto f = [](double x, double past) { return 2 * past / (1 + std::pow(past, 9.65)) - x; };
  std::vector<double> x{0.5}, slope;
  const int n = static_cast<int>(std::lround(stop / h));
  auto past = [&](int k) {
    return k <= steps_in_delay ? 0.5 : x[static_cast<std::size_t>(k - steps_in_delay)];
  };
  auto past_slope = [&](int k) {
    return k < steps_in_delay ? 0.0 : slope[static_cast<std::size_t>(k - steps_in_delay)];
  };
  for (int k = 0; k < n; ++k) {
    slope.push_back(f(x.back(), past(k)));
    const double half =
        k < steps_in_delay ? 0.5 : (past(k) + past(k + 1)) / 2 + h / 8 * (past_slope(k) - past_slope(k + 1));
    const double k1 = slope.back(), k2 = f(x.back() + h / 2 * k1, half), k3 = f(x.back() + h / 2 * k2, half),
                 k4 = f(x.back() + h * k3, past(k + 1));
    x.push_back(x.back() + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4));
  }
  return x.back();
}

}  // namespace

TEST_CASE("a delayed sine, with and without states") {
  auto delayed = [](double t) { return t < 0.3 ? 0.0 : std::sin(7 * (t - 0.3)); };
  for (std::uint32_t rows : {7u, 500u})  // what a row does not show is known as well
    each("sine", {.stop = 3, .steps = rows}, [&](const Run& run) { check_rows(run, "y", 1e-6, delayed); });
  each("sines", {.stop = 3, .tolerance = 1e-8}, [&](const Run& run) {
    check_rows(run, "y", 1e-6, delayed);
    check_rows(run, "fast", 2e-5, [&](double t) { return std::sin(20 * delayed(t)); });
  });
}

TEST_CASE("x' = -x(t - 1): a polynomial between any two kinks") {
  each("steps", {.stop = 3, .tolerance = 1e-9, .steps = 300}, [](const Run& run) {
    check_rows(run, "x", 1e-8, [](double t) {
      auto third = [](double s) { return s * s * s / 6 - s * s + 1.5 * s; };
      return t <= 1 ? 1 - t : t <= 2 ? t * t / 2 - 2 * t + 1.5 : -0.5 - (third(t - 1) - third(1));
    });
    CHECK(value(run, "x") == Approx(-1.0 / 6).epsilon(1e-8));
  });
}

TEST_CASE("the equation of Mackey and Glass, beside the method of Runge and Kutta") {
  const double expected = mackey_glass(40, 4000);
  CHECK(expected == Approx(mackey_glass(40, 2000)).epsilon(1e-8));
  each("mackeyGlass", {.stop = 40, .tolerance = 1e-9},
       [&](const Run& run) { CHECK(value(run, "x") == Approx(expected).epsilon(2e-6)); });
}

TEST_CASE("a jump arrives exactly a delay later") {
  each("arrival", {.stop = 3.75, .tolerance = 1e-8, .steps = 375}, [](const Run& run) {
    CHECK(value(run, "at") == Approx(1.7).epsilon(1e-15));
    CHECK(value(run, "was") == 0);
    CHECK(value(run, "now") == 1);
    CHECK(value(run, "lateAt") == Approx(0.7).epsilon(1e-15));
    CHECK(value(run, "high") == Approx(2.45).epsilon(1e-9));
    CHECK(value(run, "z") == Approx(3.75 - 1.7).epsilon(1e-9));
    CHECK(value(run, "echo") == Approx(1 + 0.5 + 0.25 + 0.125 + 0.0625 + 0.03125).epsilon(1e-12));
    check_rows(run, "z", 1e-8, [](double t) { return std::max(0.0, t - 1.7); });
    const auto y = numeric::column(run, "y");
    CHECK(y[169] == 0);
    CHECK(y[170] == 1);
    // One event for each jump: of u, y, echo again and again, late; kinks are met without starting anew.
    CHECK(run.outcome.statistics.events <= 14);
  });
}

TEST_CASE("what a clock assigns is seen a delay later") {
  each("samples", {.stop = 0.999, .tolerance = 1e-8, .steps = 999}, [](const Run& run) {
    CHECK(value(run, "n") == 10);
    CHECK(value(run, "soon") == 10);
    CHECK(value(run, "later") == 8);
    // n is k + 1 from k / 10 on, and 0 before; integrals of that.
    auto integral = [](double t) {
      const int k = static_cast<int>(std::floor(t * 10 + 1e-9));
      return t <= 0 ? 0.0 : 0.1 * k * (k + 1) / 2 + (t - 0.1 * k) * (k + 1);
    };
    check_rows(run, "v", 1e-7, [&](double t) { return integral(t - 0.03); });
    check_rows(run, "w", 1e-7, [&](double t) { return integral(t - 0.25); });
  });
}

TEST_CASE("a thousand delays are a handful of kernels, whatever their lengths") {
  Model few("delays.sr", "many 10"), model("delays.sr", "many 1000");
  CHECK(model.compiled().plan.kernels.size() == few.compiled().plan.kernels.size());
  for (const char* solver : {"auto", "ida"}) {
    const Run run = model.run({.stop = 2.5, .tolerance = 1e-7, .solver = solver, .outputs = {"*"}});
    for (int i : {1, 2, 333, 999, 1000})
      CHECK(value(run, "y[" + std::to_string(i) + "]") ==
            Approx(i * 0.001 * std::sin(2.5 - 0.5 - 0.0005 * i)).epsilon(1e-5));
  }
  const Run run =
      Model("delays.sr", "vector 1000 0.25").run({.stop = 2, .tolerance = 1e-8, .outputs = {"*"}});
  for (int i : {1, 500, 1000})
    CHECK(value(run, "y[" + std::to_string(i) + "]") == Approx(i * std::sin(1.75)).epsilon(1e-6));
}

TEST_CASE("a delayed value in a block of equations") {
  each("loop", {.stop = 2, .tolerance = 1e-8, .steps = 40}, [](const Run& run) {
    const auto a = numeric::column(run, "a");
    for (std::size_t k = 0; k < a.size(); ++k)
      CHECK(a[k] * a[k] * a[k] + a[k] ==
            Approx(k <= 8 ? 0.0 : std::sin(0.05 * static_cast<double>(k) - 0.4)).margin(1e-6));
  });
}

TEST_CASE("delays of delays; lengths are parameters") {
  each("twice 0.3", {.stop = 2, .steps = 20}, [](const Run& run) {
    CHECK(value(run, "y") == Approx(3 + 1.7).epsilon(1e-8));
    CHECK(value(run, "z") == Approx(2 * (3 + 2 - 0.3 - 0.15 - 0.1)).epsilon(1e-8));
    CHECK(numeric::column(run, "z")[5] == Approx(6).epsilon(1e-12));
  });
  const Run run = Model("delays.sr", "twice 0.3").run({.stop = 2, .set = {{"dt", 0.8}}});
  CHECK(value(run, "z") == Approx(2 * (3 + 2 - 0.8 - 0.4 - 0.1)).epsilon(1e-8));
  Model model("delays.sr", "twice 0.3");
  CHECK(model.refusal({.stop = 2, .set = {{"dt", 0.0}}}).find("the length of this delay is 0 s") !=
        std::string::npos);
}

TEST_CASE("at the start a delay is what it delays") {
  each("rest", {.stop = 2}, [](const Run& run) { check_rows(run, "x", 1e-7, [](double) { return 1.0; }); });
}

TEST_CASE("delays of the library: exact, and by two states") {
  each("blocks", {.stop = 10, .tolerance = 1e-9}, [](const Run& run) {
    CHECK(value(run, "y") == Approx(std::sin(3 * 9.8)).epsilon(1e-7));
    const double half = 0.3,
                 phase = 2 * std::atan(half /
                                       (1 - half * half /
                                                3));  // of (1 - z + z^2 / 3) / (1 + z + z^2 / 3), z = i half
    CHECK(value(run, "p") == Approx(std::sin(30 - phase)).epsilon(1e-6));
  });
  const Run shower = Model("../../../examples/19_shower.sr").run({.stop = 6, .tolerance = 1e-8});
  CHECK(value(shower, "tap") - 311.15 == Approx(18 / 6.0).epsilon(1e-6));
  CHECK(value(shower, "skin") - 311.15 == Approx(-18 * -0.5).epsilon(1e-6));  // what left the tap at s = 2
  const Run nervous = Model("../../../examples/19_shower.sr", "nervous").run({.stop = 100}),
            patient = Model("../../../examples/19_shower.sr", "patient").run({.stop = 100});
  CHECK(std::abs(value(nervous, "tap") - 311.15) > 18);
  CHECK(value(patient, "tap") == Approx(311.15).epsilon(1e-6));
  for (double t : numeric::column(patient, "tap")) CHECK(t <= 311.15 + 1e-4);
}

TEST_CASE("a run that begins from results has no past: it is as its start") {
  const std::string file = std::filesystem::temp_directory_path().string() + "/sigrel_delays_" +
                           std::to_string(::getpid()) + ".csv";
  runtime::CsvFile csv(file);
  Model("delays.sr", "reset").run({.stop = 1, .sinks = {&csv}});
  const Run run = Model("delays.sr", "reset").run({.start = 1, .stop = 2, .steps = 10, .init_from = file});
  CHECK(value(run, "y") == Approx(1.5).epsilon(1e-8));
  check_rows(run, "y", 1e-8, [](double t) { return std::max(1.0, t - 0.5); });
  std::remove(file.c_str());
}

TEST_CASE("a delayed Int jumps by one, however large it is") {
  const Run run = Model("delays.sr", "largeCount").run({.stop = 3, .steps = 3, .events = true});
  const std::vector<double> past = numeric::column(run, "past"), times = run.trajectory.times();
  int jumps = 0;
  for (std::size_t row = 1; row < times.size(); ++row)
    if (past[row] != past[row - 1]) {
      ++jumps;
      CHECK(times[row] == Approx(jumps - 0.25));
      CHECK(times[row - 1] == times[row]);
    }
  CHECK(jumps == 3);
}
