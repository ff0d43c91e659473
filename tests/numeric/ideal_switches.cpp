// Circuits of ideal diodes, whose mode vectors are searched where they cannot be solved, against closed forms
// and an exact integration of each mode.
#include <cmath>
#include <numbers>

#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

constexpr double kOmega = 100 * std::numbers::pi;

void check(const char* expression, const std::vector<numeric::ValueAt>& expected, double accuracy,
           double tolerance = 1e-9) {
  numeric::check_values_at("ideal_switches.sr", expression, expected, accuracy, tolerance);
}

}  // namespace

TEST_CASE("a bridge of four ideal diodes with an inductor at its input") {
  // From matrix exponentials of the three modes with polished roots.
  check("bridge",
        {{"u", 0.004, 4.672466571},
         {"i", 0.004, 2.879964183},
         {"u", 0.01, 13.95699680},
         {"i", 0.02, 0},
         {"u", 0.05, 8.966660704},
         {"u", 0.1, 8.920399401}},
        1e-7);
}

TEST_CASE("bridges side by side are put in order one after the other") {
  for (const int n : {1, 7}) {
    numeric::Model model("ideal_switches.sr", ("bridges " + std::to_string(n)).c_str());
    for (const double t : {0.003, 0.0125, 0.0275}) {
      const Run run = model.run({.stop = t, .tolerance = 1e-9});
      CHECK(value(run, "total") == Approx(5.0 * n * (n + 1) * std::abs(std::sin(kOmega * t))).epsilon(1e-9));
    }
  }
}

TEST_CASE("the current of an inductor goes on through a second diode") {
  check("freeWheel",
        {{"i", 0.005, 3.015736897},
         {"i", 0.015, 0.1489063033},
         {"i", 0.02, 0.01222297370},
         {"i", 0.04, 0.01222352862}},
        1e-7);
}

TEST_CASE("the impulse of an interrupted current closes the diode behind it") {
  // L i' = 12 - R i for 0.4 ms, then L i' = -R i for 0.6 ms: never at rest.
  double i = 0;
  for (int k = 0; k < 20; ++k) {
    i = 6 + (i - 6) * std::exp(-200 * 0.4e-3);
    i *= std::exp(-200 * 0.6e-3);
  }
  check("buck", {{"i", 0.02, i}}, 1e-7);
}

TEST_CASE("capacitors that ideal diodes connect share their charge") {
  // 10 V charge the first one in the negative half wave; in the next one both follow the source, which
  // leaves c1 / (c1 + c2) of its swing at the output.
  double u1 = 0, u2 = 0;
  const double c1 = 1e-5, c2 = 2e-5;
  // First quarter: both in series from 0 V.
  u2 = c1 / (c1 + c2) * 10;
  u1 = 10 - u2;
  for (int k = 0; k < 3; ++k) {
    u1 = -10;                      // in the trough
    const double start = u2 - 10;  // v at which the output diode closes: v - u1 = u2
    const double dv = 10 - start;
    u2 += c1 / (c1 + c2) * dv;
    u1 = 10 - u2;
  }
  check("doubler", {{"u2", 0.065, u2}, {"u1", 0.065, u1}}, 1e-6);
}

TEST_CASE("networks of diodes and contacts that move charge") {
  // From implicit Euler steps of 4 and 2 us with complementarity, extrapolated.
  check("shared",
        {{"c7.u", 0.016, -9.771960},
         {"c8.u", 0.016, 0.438976},
         {"l9.p.i", 0.016, -0.661927},
         {"l10.p.i", 0.016, 0.190914}},
        3e-4, 1e-8);
  check("pumped", {{"c3.u", 0.016, 3.961274}, {"c4.u", 0.016, -3.135818}, {"l5.p.i", 0.016, -0.532084}}, 3e-4,
        1e-8);
}
