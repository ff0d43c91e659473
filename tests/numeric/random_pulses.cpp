// Pulses of random place and width, of time and of states: none is missed. The width is between 1e-5 and 1e-1
// of the run.
#include <cmath>
#include <numbers>

#include "numeric.h"
#include "tests/property/property.h"

using namespace sigrel;

namespace {

constexpr double kStop = 10;

struct Shape {
  const char* name;
  double (*area)(double u);  // from 0 to u
};

const Shape kShapes[] = {
    {"bell", [](double u) { return std::sqrt(std::numbers::pi) / 2 * std::erf(u); }},
    {"peak", [](double u) { return std::atan(u); }},
    {"wave", [](double u) { return std::tanh(u); }},
};

struct Pulse {
  double middle, width;
};

/// `end`: of the argument of the pulse, which begins at 0.
Pulse random_pulse(double end) {
  const double middle = end * *rc::gen::inRange(0, 1'000'001) / 1e6;
  return {middle, kStop * std::pow(10.0, -*rc::gen::inRange(100, 501) / 100.0)};
}

void check_area(const Pulse& pulse, const Shape& shape, double end, double x) {
  const double expected =
      shape.area((end - pulse.middle) / pulse.width) + shape.area(pulse.middle / pulse.width);
  RC_LOG() << "middle " << pulse.middle << ", width " << pulse.width << ": " << x << " instead of "
           << expected << "\n";
  RC_ASSERT(std::abs(x - expected) <= 1e-4 * expected + 1e-5);
}

Run run_pulse(numeric::Model& model, const char* solver, const Pulse& pulse) {
  return model.run({.stop = kStop,
                    .solver = solver,
                    .set = {{"middle", pulse.middle}, {"width", pulse.width}},
                    .keep_trajectory = false});
}

void check_pulses(const std::string& of, double end, int cases) {
  for (const Shape& shape : kShapes) {
    numeric::Model model("steps.sr", (of + " " + shape.name + " 5.0 0.1").c_str());
    for (const char* solver : {"cvode", "adams", "ida"}) {
      INFO(of << " " << shape.name << ", " << solver);
      property::holds(
          [&] {
            const Pulse pulse = random_pulse(end);
            check_area(pulse, shape, end, numeric::value(run_pulse(model, solver, pulse), "x"));
          },
          {.cases = cases});
    }
  }
}

}  // namespace

TEST_CASE("random pulses of time") { check_pulses("pulseOfTime", kStop, 200); }

TEST_CASE("random pulses of a state that rises evenly") { check_pulses("pulseOfState", kStop, 200); }

TEST_CASE("random pulses of a state that approaches its end") {
  check_pulses("pulseOfLag", kStop * (1 - std::exp(-kStop)), 200);
}

TEST_CASE("random pulses in several equations") {
  numeric::Model model("steps.sr", "pulseInParts 5.0 0.1");
  for (const char* solver : {"cvode", "adams", "ida"}) {
    INFO(solver);
    property::holds(
        [&] {
          const Pulse pulse = random_pulse(kStop);
          const Run run = run_pulse(model, solver, pulse);
          check_area(pulse, kShapes[0], kStop, numeric::value(run, "x"));
          check_area(pulse, kShapes[0], kStop, numeric::value(run, "y"));
        },
        {.cases = 200});
  }
}
