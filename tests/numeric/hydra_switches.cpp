// Published models whose equations are exchanged, against their published or closed answers: by JIT and
// interpreter, CVODE and IDA, at two tolerances.
#include <cmath>
#include <numbers>

#include "compiler/pipeline/structures.h"
#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

void check(const char* expression, const std::vector<numeric::ValueAt>& expected, double accuracy) {
  for (const double tolerance : {1e-7, 1e-9})
    numeric::check_values_at("hydra_switches.sr", expression, expected, accuracy * tolerance, tolerance);
}

}  // namespace

TEST_CASE("HY-5: a pendulum that breaks") {
  check("breaking",
        {{"x", 5, -0.587962649984},
         {"y", 5, -0.808888077687},
         {"vx", 5, -1.14306762688},
         {"vy", 5, 0.830870289168},
         {"x", 6, -1.73103027687},
         {"y", 6, -4.88301778852},
         {"vy", 6, -8.97912971083}},
        1000);
}

TEST_CASE("HY-10: a rectifier of one diode changes its mode 19 or 20 times in ten periods") {
  check("halfWave", {{"r.p.i", 9.25, 1}, {"r.p.i", 9.75, 0}, {"r.p.i", 3.125, std::sqrt(0.5)}}, 10);
  const Run run = numeric::Model("hydra_switches.sr", "halfWave").run({.stop = 10, .tolerance = 1e-9});
  CHECK(value(run, "d.entered") >= 19);
  CHECK(value(run, "d.entered") <= 20);
}

TEST_CASE("HY-11: a rectifier with a capacitor, which begins closed") {
  check("smoothed", {{"c.u", 10, 0.159284259}, {"c.u", 9.3, 0.256233633}}, 100);
}

TEST_CASE("HY-13: an engine that exchanges its law") {
  const double at = 12.5694;
  check("drive", {{"a.phi", 10, 165.9994757}, {"we", 10, 32.1910464}}, 100);
  for (const char* solver : {"cvode", "ida"}) {
    const Run run =
        numeric::Model("hydra_switches.sr", "drive").run({.stop = 14, .tolerance = 1e-9, .solver = solver});
    CHECK(value(run, "we") == Approx(40 + 10 / 3.24 * (14 - at)).epsilon(1e-5));
  }
}

TEST_CASE("SC-9: a switched capacitor converter through 500 periods: 1000 jumps conserve charge") {
  numeric::Model model("hydra_switches.sr", "converter");
  const double a = std::exp(-5e-4), b = std::exp(-5e-3 / 11);
  for (const double tolerance : {1e-6, 1e-9})
    for (const int periods : {1, 10, 500}) {
      double u = 0;
      for (int n = 0; n < periods; ++n) u = b * (1e-6 * 10 + 1e-5 * a * u) / 1.1e-5;
      const Run run = model.run({.stop = (periods - 1e-6) * 1e-5, .tolerance = tolerance, .steps = 1});
      INFO(periods << ", " << tolerance);
      CHECK(value(run, "c.u") == Approx(u).epsilon(tolerance > 1e-8 ? 1e-5 : 1e-7));
    }
}

TEST_CASE("after the first visits of modes no structure and no code is made") {
  numeric::Model model("hydra_switches.sr", "converter");
  const RunOptions options{.stop = 5e-3, .tolerance = 1e-6, .steps = 1};
  const Run first = model.run(options);
  REQUIRE(first.last);
  const auto generated = first.last->executable.statistics();
  const std::size_t structures = model.compiled().structures->compiled();
  CHECK(structures <= 4);
  const Run second = model.run(options);
  CHECK(second.last == first.last);
  CHECK(second.last->executable.statistics().compiled == generated.compiled);
  CHECK(model.compiled().structures->compiled() == structures);
  CHECK(value(second, "c.u") == value(first, "c.u"));
}
